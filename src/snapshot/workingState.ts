// Where the work stands when a conversation is compacted: from its messages, from git, from the disk, and from the method.

import { existsSync, statSync } from "node:fs";
import path from "node:path";
import {
  type Activity,
  conversationText,
  isPureAcceptance,
  oneLine,
  readActivity,
  type Statement,
  statementsOf,
  type TurnEnd,
} from "../activity/index.ts";
import { defined, optionalString, withoutOwnContext } from "../lib/index.ts";
import {
  blocksOf,
  type History,
  type HistoryItem,
  isText,
  isToolResult,
  isToolUse,
  textOf,
  typedCommand,
  userWords,
} from "../messages/index.ts";
import { findOrders } from "../redact/index.ts";
import { type EvidencedStatement, evidenceOf } from "./evidence.ts";
import type { GitState } from "./git.ts";
import { pages, referenceIn } from "./page.ts";
import type { ProjectState } from "./projectState.ts";

export interface SpokenMessage {
  readonly by: "User" | "Assistant";
  readonly text: string;
}

/** A command that a person typed or a skill that was called, with what was given to it. */
export interface Invocation {
  readonly name: string;
  readonly args: string;
}

function userText(item: HistoryItem) {
  const command = typedCommand(item);
  if (command) return `/${command.name} ${command.args}`.trim();
  return withoutOwnContext(userWords(item)).trim();
}

function assistantText({ message }: HistoryItem) {
  return blocksOf(message)
    .filter(isText)
    .map(({ text }) => text.trim())
    .filter((text) => text !== "")
    .join("\n\n");
}

/** All of it, oldest first. What the assistant says between two messages of the user is one answer. */
export function conversationOf(history: History): SpokenMessage[] {
  const said: { by: SpokenMessage["by"]; text: string }[] = [];
  for (const item of history) {
    const by = item.message.role === "assistant" ? "Assistant" : "User";
    const text = by === "Assistant" ? assistantText(item) : userText(item);
    if (text === "") continue;
    const last = said.at(-1);
    if (by === "Assistant" && last?.by === by) last.text += `\n\n${text}`;
    else said.push({ by, text });
  }
  return said;
}

function invocationsIn(item: HistoryItem): Invocation[] {
  const typed = typedCommand(item);
  if (typed) return [typed];
  return blocksOf(item.message).flatMap((block) => {
    if (!isToolUse(block) || block.name !== "Skill") return [];
    const { skill, command, args } = block.input as Readonly<Record<string, unknown>>;
    const name = typeof skill === "string" ? skill : command;
    return typeof name === "string" ? [{ name, args: optionalString(args) ?? "" }] : [];
  });
}

/** Commands and skills in the order in which they were called. */
export const invocationsOf = (history: History): Invocation[] => history.flatMap(invocationsIn);

/** Everything of a stretch of history as text, to be kept before it leaves the window; long texts are pieces of their own. */
export function wholePieces(history: History) {
  const out: string[] = [];
  for (const { message } of history) {
    out.push(`${out.length === 0 ? "" : "\n\n"}## ${message.role}`);
    const blocks = blocksOf(message);
    if (blocks.length === 0) out.push("\n\n");
    for (const block of blocks) {
      if (isText(block)) out.push("\n\n", block.text);
      else if (isToolUse(block)) out.push("\n\n", `→ ${block.name} ${JSON.stringify(block.input)}`);
      else if (isToolResult(block)) out.push("\n\n← ", textOf(block.content));
      else out.push("\n\n", `(${block.type})`);
    }
  }
  return [...out, "\n"];
}

interface RelatedFile {
  readonly path: string;
  readonly action: "written" | "edited" | "read" | "changed";
  /** It does not exist any more. */
  readonly gone: boolean;
}

/** Absent is unknown: nothing here is guessed. */
export interface WorkingState {
  readonly method?: string;
  readonly agent?: string;
  readonly function?: string;
  readonly core?: Statement;
  /** What the agent said it was doing, in its own summary of an earlier compaction. */
  readonly current?: string;
  readonly story?: string;
  readonly branch?: string;
  readonly files: readonly RelatedFile[];
  readonly moreFiles: number;
  readonly next: readonly Statement[];
  readonly decisions: readonly Statement[];
  /** Checks whose last run failed. */
  readonly failures: readonly Statement[];
  /** The latest request as it was said, and how its turn ended. */
  readonly request?: { readonly text: string; readonly ended?: TurnEnd };
  readonly notes: readonly string[];
  /** What core, next, decisions and failures rest on. */
  readonly evidence: readonly EvidencedStatement[];
  /** What was asked and answered, as much of it as a digest can hold. */
  readonly conversation: string;
}

interface WorkingStateParts {
  readonly project: string;
  /** Everything up to the compaction. */
  readonly history: History;
  readonly git: GitState | undefined;
  readonly method: ProjectState | undefined;
}

/** Files that the session did not touch and git sees changed. */
const MOST_CHANGED_FILES = 40;
const MOST_DECISIONS = 12;
const LONGEST_FUNCTION = 300;
/** Characters of the conversation that a snapshot keeps for its digest. */
const CONVERSATION = 8_300;

function relativeTo(project: string, file: string) {
  const relative = path.relative(project, path.resolve(project, file));
  return relative === "" || relative.startsWith("..") || path.isAbsolute(relative)
    ? file
    : relative.split(path.sep).join("/");
}

/** Files in play first, then all others that were changed or read. Folders and what we write ourselves are none. */
function relatedFiles(
  { project, git, method }: WorkingStateParts,
  activity: Activity,
  inPlay: readonly string[],
): Pick<WorkingState, "files" | "moreFiles"> {
  const files = new Map<string, RelatedFile>();
  const add = (name: string, action: RelatedFile["action"]) => {
    if (files.has(name) || isSnapshotFile(name)) return;
    const file = path.resolve(project, name);
    const gone = !existsSync(file);
    if (gone || !statSync(file, { throwIfNoEntry: false })?.isDirectory())
      files.set(name, { path: name, action, gone });
  };
  const touched = activity.files.toReversed();
  const actionOn = ({ edits, writes }: Activity["files"][number]) =>
    edits > 0 ? "edited" : writes > 0 ? "written" : "read";
  for (const path of inPlay) {
    const file = touched.find((one) => one.path === path);
    if (file) add(relativeTo(project, path), actionOn(file));
  }
  for (const name of method?.files ?? []) add(name, "read");
  for (const file of touched)
    if (file.edits + file.writes > 0) add(relativeTo(project, file.path), actionOn(file));
  // A page that holds our block is changed by it; what else changed in it git does not tell.
  const isOwn = (name: string) => pages.some((page) => page === name && referenceIn(project, page));
  const read = new Set(touched.map(({ path: file }) => relativeTo(project, file)));
  const changed = (git?.changed ?? []).filter(
    ({ path: name }) => !name.endsWith("/") && !files.has(name) && !isOwn(name),
  );
  const untouched = changed.filter(({ path: name }) => !read.has(name));
  const left = new Set(untouched.slice(MOST_CHANGED_FILES));
  for (const one of changed) if (!left.has(one)) add(one.path, "changed");
  for (const name of read) add(name, "read");
  return { files: [...files.values()], moreFiles: left.size };
}

const isSnapshotFile = (file: string) => /(^|\/)\.claude\/\.?compact-snapshot-/.test(file);

/** The last command or skill, until the user answers what was said of it with a request of their own. */
function functionOf(history: History, { exchanges }: Activity) {
  const at = history.findLastIndex((item) => invocationsIn(item).length > 0);
  const last = history[at] && invocationsIn(history[at]).at(-1);
  const isOver = exchanges.some(
    ({ proposal, chosen, reply }) =>
      proposal?.kind === "words" && proposal.at > at && chosen.length === 0 && !isPureAcceptance(reply),
  );
  return last && !isOver ? oneLine(`/${last.name} ${last.args}`, LONGEST_FUNCTION) : undefined;
}

const ENOUGH_TO_COMPARE = 6;

/** The letters and digits of a task, without the criteria that it names. */
const taskLetters = (text: string) =>
  text
    .toLowerCase()
    .replace(/\(ac:?[^)]*\)/g, "")
    .replace(/[^\p{L}\p{N}]+/gu, "");

function isSameTask(a: string, b: string) {
  const [short = "", long = ""] = [taskLetters(a), taskLetters(b)].toSorted((x, y) => x.length - y.length);
  return short === long || (short.length >= ENOUGH_TO_COMPARE && long.includes(short));
}

/** What the method says comes next, but for tasks that the session's own list has, open or done. */
function nextOfMethod(method: ProjectState | undefined, { todos }: Activity): Statement[] {
  return (method?.next ?? [])
    .filter((text) => !todos.some((todo) => isSameTask(todo.text, text)))
    .map((text) => ({ text, rows: [], at: 0 }));
}

/** An agent's summary repeats what it read: a line in it may give a model instructions. */
const isSafeToShow = ({ by, text }: Statement) => by !== "agent" || findOrders(text).length === 0;

export function workingState(parts: WorkingStateParts): WorkingState {
  const { history, git, method } = parts;
  const activity = readActivity(history);
  const { core, current, decisions, next, failing, files: inPlay } = statementsOf(activity);
  const { lastRequest } = activity;
  const stated = {
    ...defined({ core }),
    next: [...next.filter(isSafeToShow), ...nextOfMethod(method, activity)],
    decisions: decisions.filter(isSafeToShow).slice(-MOST_DECISIONS),
    failures: failing,
  };
  return {
    ...defined({
      method: method?.method || undefined,
      agent: method?.agent || undefined,
      function: (method?.function ?? functionOf(history, activity)) || undefined,
      current: current && isSafeToShow(current) ? current.text : undefined,
      story: method?.story || undefined,
      branch: git?.branch || undefined,
      request: lastRequest && { text: lastRequest.text, ...defined({ ended: lastRequest.ended }) },
    }),
    ...stated,
    ...relatedFiles(parts, activity, inPlay),
    notes: method?.notes ?? [],
    evidence: evidenceOf(stated, history),
    conversation: conversationText(activity, CONVERSATION),
  };
}
