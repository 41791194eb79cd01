// What a compacted window gets back behind its kept messages: files, plan, skills and the state of the session.
import {
  callsIn,
  fileOfCall,
  type InvokedSkill,
  knownContents,
  type RunningTask,
  type SessionState,
  sessionState,
} from "../activity/index.ts";
import { defined, firstCharacters } from "../lib/index.ts";
import {
  blocksOf,
  type History,
  type HistoryItem,
  isText,
  isToolResult,
  type Message,
  textOf,
} from "../messages/index.ts";
import { estimateMessage, estimateText, type TokenizerFamily } from "../tokens/index.ts";
import { type CodeInput, recentCode } from "./recentCode.ts";

/** In the order in which they stand. */
export const attachmentKinds = [
  "file_reference",
  "plan_file_reference",
  "invoked_skills",
  "plan_mode",
  "task_status",
  "deferred_tools_delta",
  "agent_listing_delta",
  "mcp_instructions_delta",
  "session_start",
] as const;

/** The eight kinds of attachment, and what session-start hooks print, which comes last. */
export type AttachmentKind = (typeof attachmentKinds)[number];

interface Attachment {
  readonly kind: AttachmentKind;
  readonly message: Message;
  readonly tokens: number;
}

/** Budgets of the attachments of a compacted window. */
interface AttachmentLimits {
  readonly files: number;
  readonly fileTokens: number;
  readonly tokensPerFile: number;
  readonly skillTokens: number;
  readonly tokensPerSkill: number;
}

export const defaultAttachmentLimits: AttachmentLimits = {
  files: 5,
  fileTokens: 50_000,
  tokensPerFile: 5_000,
  skillTokens: 25_000,
  tokensPerSkill: 5_000,
};

/** What the agent offers its model beside the messages. */
export interface Offers {
  readonly tools?: readonly string[];
  readonly agents?: readonly string[];
  /** By name of the server. */
  readonly mcpInstructions?: Readonly<Record<string, string>>;
}

/** Whatever is not given is read from the history; what changed around the messages can only be given. */
export interface AttachmentInput {
  /** Every original message up to now. */
  readonly history: History;
  /** Those that stay in view: nothing in them is attached again. */
  readonly kept: History;
  readonly family: TokenizerFamily;
  readonly limits?: AttachmentLimits;
  /** Tokens that all attachments together may take. */
  readonly total?: number;
  /** The file as it is now, undefined when it is gone. Without it the history's last sight of a file is used. */
  readonly readFile?: (path: string) => string | undefined;
  readonly plan?: string;
  readonly planMode?: boolean;
  readonly skills?: readonly InvokedSkill[];
  readonly tasks?: readonly RunningTask[];
  /** At the last compaction or at the start, and now. */
  readonly offersBefore?: Offers;
  readonly offersNow?: Offers;
  /** What session-start hooks printed. */
  readonly sessionStart?: string;
}

/**
 * Messages for the place behind the kept ones, in the order of `attachmentKinds`; what has no reason to be there is not.
 * Under a total the state of the session comes first, then the plan, the skills, and the files with all that is left;
 * each leaves at least half of the rest to what comes after it.
 */
export function attachmentsFor(input: AttachmentInput): readonly Attachment[] {
  const { history, kept, family, limits = defaultAttachmentLimits, total, sessionStart } = input;
  const { plan, planMode, skills: invoked, tasks } = input;
  const given = defined({ plan, planMode, skills: invoked, tasks });
  const state: SessionState = { ...sessionState(history), ...given };
  const made: Attachment[] = [];
  let left = total ?? Number.POSITIVE_INFINITY;
  const add = (kind: AttachmentKind, content: Message["content"] | undefined) => {
    if (content === undefined || content.length === 0) return;
    const message: Message = { role: "user", content };
    const tokens = estimateMessage(message, family);
    if (tokens > left) return;
    left -= tokens;
    made.push({ kind, message, tokens });
  };
  const addText = (kind: AttachmentKind, text: string | undefined) =>
    add(kind, text && cutToTokens(text, left / 2, family, "(cut here)"));
  const blocks = (texts: readonly string[]) => texts.map((text) => ({ type: "text", text }));

  for (const [kind, text] of stateTexts(input, state)) addText(kind, text);
  addText("session_start", sessionStart?.trim());
  if (state.plan !== undefined) addText("plan_file_reference", planText(state.plan));
  const skills = skillParts(state.skills, kept, {
    all: Math.min(limits.skillTokens, left / 2),
    each: limits.tokensPerSkill,
    family,
  });
  add("invoked_skills", skills.length === 1 ? skills[0] : blocks(skills));
  const room = {
    count: limits.files,
    all: Math.min(limits.fileTokens, left),
    each: limits.tokensPerFile,
    family,
  };
  const readFile = defined({ readFile: input.readFile });
  const files =
    total === undefined
      ? fileParts(history, kept, { ...room, ...readFile })
      : recentCode({ history, kept, ...room, ...readFile });
  add("file_reference", blocks(files));
  return made.sort((a, b) => attachmentKinds.indexOf(a.kind) - attachmentKinds.indexOf(b.kind));
}

function stateTexts(
  { offersBefore: before, offersNow: now }: AttachmentInput,
  { planMode, tasks }: SessionState,
): readonly (readonly [AttachmentKind, string | undefined])[] {
  return [
    ["plan_mode", planMode ? planModeText() : undefined],
    ["task_status", taskText(tasks)],
    ["deferred_tools_delta", namesDeltaText("deferred tools delta", before?.tools, now?.tools)],
    ["agent_listing_delta", namesDeltaText("agent listing delta", before?.agents, now?.agents)],
    ["mcp_instructions_delta", mcpDeltaText(before?.mcpInstructions, now?.mcpInstructions)],
  ];
}

const attachmentTags =
  /^<(?:attachment|plan|invoked skills|plan mode|task status|deferred tools delta|agent listing delta|mcp instructions delta): /;

/** True for a message that a compaction attached. Its contents were in the conversation before, or can be had again. */
export function isAttachment({ message, meta }: HistoryItem) {
  if (meta !== true || blocksOf(message).some(isToolResult)) return false;
  return attachmentTags.test(textOf(message.content));
}

/** A plan of one line stands in the mark; a longer one below its title. */
function planText(plan: string) {
  const text = plan.trim();
  const title = (text.split("\n", 1)[0] ?? "").replace(/^#+\s*/, "").trim();
  return text.includes("\n") ? `<plan: ${title}>\n${text}` : `<plan: ${title}>`;
}

function planModeText() {
  return "<plan mode: on>\nPlan mode is still on: look and plan, and change nothing before the user has approved the plan.";
}

function taskText(tasks: readonly RunningTask[]) {
  if (tasks.length === 0) return undefined;
  const lines = tasks.map(({ id, about }) => `- ${id}: ${firstCharacters(about.replace(/\s+/g, " "), 200)}`);
  return `<task status: ${tasks.length} running>\nThese work on in the background; do not start them again.\n${lines.join("\n")}`;
}

/** What was added and what is gone; undefined without a change, or when one of the lists is not known. */
function namesDeltaText(
  mark: string,
  before: readonly string[] | undefined,
  now: readonly string[] | undefined,
) {
  if (!before || !now) return undefined;
  const changes = [
    ...now.filter((name) => !before.includes(name)).map((name) => `+${name}`),
    ...before.filter((name) => !now.includes(name)).map((name) => `-${name}`),
  ];
  return changes.length === 0 ? undefined : `<${mark}: ${changes.join(", ")}>`;
}

type Instructions = Readonly<Record<string, string>>;

function mcpDeltaText(before: Instructions | undefined, now: Instructions | undefined) {
  if (!before || !now) return undefined;
  const fresh = Object.keys(now).filter((server) => now[server] !== before[server]);
  const gone = Object.keys(before).filter((server) => now[server] === undefined);
  if (fresh.length === 0 && gone.length === 0) return undefined;
  const changes = [
    ...fresh.map((server) => `${before[server] === undefined ? "+" : "~"}${server}`),
    ...gone.map((server) => `-${server}`),
  ];
  const texts = fresh.map((server) => `[${server}]\n${now[server] ?? ""}`);
  return [`<mcp instructions delta: ${changes.join(", ")}>`, ...texts].join("\n");
}

/** The names of all skills, and the instructions of as many as there is room for, unless they are still in view. */
function skillParts(
  skills: readonly InvokedSkill[],
  kept: History,
  room: Pick<CodeInput, "all" | "each" | "family">,
) {
  if (skills.length === 0) return [];
  const { all, each, family } = room;
  const parts = [`<invoked skills: ${skills.map(({ name }) => name).join(", ")}>`];
  let left = all - estimateText(parts.join(), family);
  for (const { name, content } of skills) {
    if (content === undefined || isInView(content, kept)) continue;
    const text = cutToTokens(
      `<skill: ${name}>\n${content}`,
      Math.min(each, left),
      family,
      "(the skill goes on)",
    );
    if (text === undefined) continue;
    left -= estimateText(text, family);
    parts.push(text);
  }
  return parts;
}

function isInView(text: string, kept: History) {
  return kept.some(({ message }) =>
    blocksOf(message).some((block) => isText(block) && block.text.includes(text)),
  );
}

const CUT = "(cut here; read the file for the rest)";
/** A beginning shorter than this tells nothing. */
const LEAST = 60;

/** One text a file, the last used first. */
function fileParts(history: History, kept: History, room: Omit<CodeInput, "history" | "kept">) {
  const { count, all, each, family, readFile } = room;
  const inView = pathsInView(history, kept);
  const parts: string[] = [];
  let left = all;
  for (const file of knownContents(history).reverse()) {
    const { path } = file;
    const allowed = Math.min(each, left);
    if (parts.length >= count || allowed < LEAST) break;
    const known = inView.has(path) ? undefined : file.known();
    if (!known) continue;
    const part = known.firstLine === undefined ? "" : `(from line ${known.firstLine})\n`;
    const content = readFile ? readFile(path) : part + known.text;
    if (content === undefined || content.trim() === "") continue;
    const text = cutToTokens(`<attachment: ${path}>\n${content}`, allowed, family, CUT);
    if (text === undefined) continue;
    left -= estimateText(text, family);
    parts.push(text);
  }
  return parts;
}

/** Files whose content stands in the kept messages: read or written there, not emptied since, and not edited after that. */
function pathsInView(history: History, kept: History) {
  const results = new Map(callsIn(history).map(({ id, output }) => [id, output]));
  const paths = new Set<string>();
  for (const call of callsIn(kept)) {
    const file = fileOfCall(call);
    if (!file || call.outcome !== "ok") continue;
    if (file.action === "edited") paths.delete(file.path);
    else if (file.action === "written" || call.output === results.get(call.id)) paths.add(file.path);
  }
  return paths;
}

/** The beginning of a text that fits with `note` behind it; the text itself when it fits; undefined when nothing does. */
function cutToTokens(text: string, tokens: number, family: TokenizerFamily, note: string) {
  const whole = estimateText(text, family);
  if (whole <= tokens) return text;
  let length = Math.floor((text.length * tokens) / whole);
  while (length > 0) {
    const end = text.lastIndexOf("\n", length);
    // A text without a line end near enough is cut inside its line.
    const head = firstCharacters(text, end > length / 2 ? end : length);
    const cut = `${head}\n${note}`;
    if (estimateText(cut, family) <= tokens) return cut;
    length = Math.floor(length * 0.9);
  }
  return undefined;
}
