// Archives for people: Markdown, one bold label a part, and a reader that gives every text back as it was.
import { fenced } from "../lib/index.ts";
import { beginsPlainly, escapeText, unescapeText } from "./escape.ts";
import type { ArchiveFormat, ArchivePart, HeaderFacts } from "./model.ts";
import { conversationTime, longTime } from "./name.ts";

const HEADER_END = Buffer.from("\n---\n\n");

/** One line, without what would end a bold label. */
function labelText(name: string) {
  return name
    .replace(/[*\p{Cc}]+/gu, " ")
    .replace(/\s+/gu, " ")
    .trim();
}

const labels = {
  thinking: "Thinking",
  call: "Tool call",
  result: "Tool result",
  attachment: "Attachment",
  compaction: "Compaction",
  client: "Client",
} as const;

function speakerLabel({ kind, role, agent, isError }: ArchivePart, assistantName: string) {
  // An empty name would make a label that cannot be parsed.
  const assistant = labelText(assistantName) || "Assistant";
  const speaker = role === "assistant" ? assistant : agent === undefined ? "User" : "Prompt";
  const label = kind === "text" ? speaker : isError ? "Tool error" : labels[kind];
  return agent === undefined ? label : `${label} (agent ${labelText(agent)})`;
}

/** The last digits of a call's id: enough to find the result of one of several. */
const callMark = (id: string) => `[${id.slice(-6)}]`;

function compactCall({ tool, toolUseId, text, more }: ArchivePart) {
  const size =
    more && `(${more.size.toLocaleString("en-US")} ${more.unit}${more.handle ? `, ${more.handle}` : ""})`;
  const mark = toolUseId ? callMark(toolUseId) : undefined;
  const words = (...some: (string | undefined)[]) => some.map((word) => (word ? ` ${word}` : "")).join("");
  if (!text.includes("\n")) return words(tool, mark, text, size);
  return `${words(tool, mark)}\n\n${escapeText(fenced(text))}`;
}

function renderPart(part: ArchivePart, assistantName: string) {
  const label = `**${speakerLabel(part, assistantName)}**:`;
  if (part.kind !== "text" && part.kind !== "client") return `${label}${compactCall(part)}\n\n`;
  return `${label}${beginsPlainly(part.text) ? " " : "\n\n"}${escapeText(part.text)}\n\n`;
}

const sessionLine = (session: string) => `Session: ${labelText(session)}`;

function renderHeader(facts: HeaderFacts) {
  const { title, archivedAt, session, group, project, models, content, timeZone } = facts;
  if (content === "conversation")
    return `# ${labelText(title)}\n\nArchived: ${conversationTime(archivedAt, timeZone)}\n\n---\n\n`;
  const lines = [
    `Archived: ${longTime(archivedAt, timeZone)}`,
    sessionLine(session),
    `Group: ${labelText(group)}`,
    ...(project === undefined ? [] : [`Project: ${labelText(project)}`]),
    ...(models.length === 0 ? [] : [`Models: ${models.map(labelText).join(", ")}`]),
  ];
  // Two spaces end a line for every reader of Markdown.
  return `# ${labelText(title)}\n\n${lines.join("  \n")}\n\n---\n\n`;
}

const headerLines = (header: string) => header.split(/ *\n/);
const lineOf = (header: string, name: string) =>
  headerLines(header).find((line) => line.startsWith(`${name}: `));
const isConversation = (header: string) => lineOf(header, "Session") === undefined;

export const markdownFormat: ArchiveFormat = {
  extension: ".md",
  trailer: "",
  header: renderHeader,
  part(part, { assistantName, content, isFirst }) {
    const text = renderPart(part, assistantName);
    // One line end behind the last turn, an empty line between two.
    return content === "full" ? text : `${isFirst ? "" : "\n"}${text.slice(0, -1)}`;
  },
  headerEnd(beginning) {
    const at = beginning.indexOf(HEADER_END);
    return at < 0 ? undefined : at + HEADER_END.length;
  },
  isOf(header, session, known = "") {
    if (!isConversation(header)) return headerLines(header).includes(sessionLine(session));
    // A conversation alone names no session; the time of its first writing never changes.
    const archived = lineOf(header, "Archived");
    return archived !== undefined && archived === lineOf(known, "Archived");
  },
};

interface ReadPart {
  /** `User`, the assistant's name, `Tool call`, and so on; with the agent of a sidechain. */
  readonly label: string;
  readonly text: string;
}

interface ReadArchive {
  /** The header as it stands. */
  readonly header: string;
  readonly parts: readonly ReadPart[];
}

/** Reads a Markdown archive back: texts are those that were archived, to the character. */
export function readMarkdown(text: string): ReadArchive {
  const end = markdownFormat.headerEnd(Buffer.from(text)) ?? 0;
  const bytes = Buffer.from(text);
  const header = bytes.toString("utf8", 0, end);
  const body = bytes.toString("utf8", end) + (isConversation(header) ? "\n" : "");
  const starts = [...body.matchAll(/^\*\*([^*\n]+)\*\*:( |\n\n)/gmu)].filter(
    ({ index }) => index === 0 || body.slice(index - 2, index) === "\n\n",
  );
  const parts = starts.map((start, at) => {
    const from = start.index + start[0].length;
    const until = starts[at + 1]?.index ?? body.length;
    return { label: start[1] ?? "", text: unescapeText(body.slice(from, until).replace(/\n\n$/, "")) };
  });
  return { header, parts };
}

const NEWLINE = 0x0a;

export const jsonFormat: ArchiveFormat = {
  extension: ".json",
  trailer: "\n]}\n",
  header({ archivedAt, timeZone: _, content: _content, ...facts }) {
    const fields = JSON.stringify({ version: 1, archivedAt: new Date(archivedAt).toISOString(), ...facts });
    return `${fields.slice(0, -1)},"parts":[\n`;
  },
  part({ at, ...part }, { isFirst }) {
    const time = at === undefined ? {} : { at: new Date(at).toISOString() };
    return `${isFirst ? "" : ",\n"}${JSON.stringify({ ...part, ...time })}`;
  },
  headerEnd(beginning) {
    const at = beginning.indexOf(NEWLINE);
    return at < 0 ? undefined : at + 1;
  },
  isOf: (header, session) => header.includes(`"session":${JSON.stringify(session)},`),
};
