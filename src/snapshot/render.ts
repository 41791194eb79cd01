// A snapshot as the text of a file: state, files, next actions, decisions, the last messages word for word, and how to use it.

import type { Statement } from "../activity/index.ts";
import type { Language } from "../home/index.ts";
import { fenced } from "../lib/index.ts";
import { evidenceLine } from "./evidence.ts";
import { labelLine, localStamp } from "./folder.ts";
import { type SectionWords, sectionWords } from "./sections.ts";
import type { SpokenMessage, WorkingState } from "./workingState.ts";

export interface SnapshotContent {
  readonly session: string;
  readonly at: number;
  readonly hours: number;
  readonly language: Language;
  readonly state: WorkingState;
  /** The last messages, oldest first. */
  readonly said: readonly SpokenMessage[];
  readonly handles: readonly string[];
  /** Hides what is private and secret in a text. */
  readonly redact: (text: string) => string;
}

/** Lines that would be read as ours, or as the end of the message, if they stood in the open. */
const needsFence = /^[ \t]*(?:#|`{3}|~{3}|-{3}|<)/m;

/** A message as it was said. Where it could be mistaken for something else it stands in a fence longer than any in it. */
const verbatim = (text: string) => (needsFence.test(text) ? fenced(text, "text") : text);

function listLines(lines: readonly string[], words: SectionWords, numbered = false) {
  if (lines.length === 0) return [numbered ? `1. ${words.unknown}` : `- ${words.unknown}`];
  return lines.map((line, index) => (numbered ? `${index + 1}. ${line}` : `- ${line}`));
}

const statementTexts = (statements: readonly Statement[], { byAgent }: SectionWords) =>
  statements.map(({ text, by }) => `${text}${by === "agent" ? byAgent : ""}`);

function stateSection({ state, language, redact: hide }: SnapshotContent) {
  const words = sectionWords[language];
  // A name of a file, or a story's title, may have several lines; here each is one.
  const redact = (text: string) => hide(text).replace(/\s*[\n\r\u0085\u2028\u2029]+\s*/g, " ");
  const field = (name: string, value: string | undefined) =>
    `**${name}**: ${value === undefined ? words.unknown : redact(value)}`;
  const stated = (statements: readonly Statement[]) => statementTexts(statements, words).map(redact);
  const files = state.files.map(
    ({ path, action, gone }) => `${redact(path)} (${words.actions[action]}${gone ? `, ${words.gone}` : ""})`,
  );
  const more = state.moreFiles > 0 ? [words.moreFiles(state.moreFiles)] : [];
  const optional = (name: string, lines: readonly string[]) =>
    lines.length === 0 ? [] : ["", `**${name}**:`, ...listLines(lines, words)];
  return [
    `## 🤖 ${state.method === undefined ? words.state : words.methodState(state.method)}`,
    "",
    field("Active Agent", state.agent),
    field(words.function, state.function),
    field(words.core, state.core?.text),
    ...(state.current === undefined ? [] : [field(words.current, state.current)]),
    field(words.story, state.story),
    field(words.branch, state.branch),
    "",
    `**${words.files}**:`,
    ...listLines([...files, ...more], words),
    "",
    `**${words.next}**:`,
    ...listLines(stated(state.next), words, true),
    "",
    `**${words.decisions}**:`,
    ...listLines(stated(state.decisions), words),
    ...optional(words.failures, stated(state.failures)),
    ...optional(words.notes, state.notes.map(redact)),
  ];
}

/** The file but for the line that seals it. Every text in it has been through `redact`. */
export function renderSnapshot(content: SnapshotContent) {
  const { session, at, hours, language, said, handles, redact } = content;
  const words = sectionWords[language];
  const turns = said.flatMap(({ by, text }, index) => [
    `### Turn ${index + 1}: ${by}`,
    "",
    verbatim(redact(text)),
    "",
  ]);
  const lines = [
    labelLine({ session, at, handles }),
    `# ${words.title}`,
    "",
    `**${words.generated}**: ${localStamp(at)}`,
    `**${words.validity}**: ${words.hours(hours)}`,
    "",
    "---",
    "",
    ...stateSection(content),
    "",
    "---",
    "",
    `## 💬 ${words.exchanges}`,
    "",
    fenced(redact(content.state.conversation), "text"),
    "",
    "---",
    "",
    `## 📝 ${words.conversation(said.length)}`,
    "",
    ...(turns.length > 0 ? turns : [words.nothingSaid, ""]),
    "---",
    "",
    `## ⚠️ ${words.usage}`,
    "",
    ...words.usageNotes(hours, handles.join(", ") || words.unknown),
    "",
    evidenceLine(content.state.evidence, redact),
    "",
  ];
  return lines.join("\n");
}
