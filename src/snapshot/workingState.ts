// Where the work stands when a conversation is compacted: from its messages, from git, from the disk, and from the method.

import { existsSync } from "node:fs";
import path from "node:path";
import {
  type Activity,
  conversationText,
  oneLine,
  readActivity,
  type Statement,
  statementsOf,
} from "../activity/index.ts";
import { defined, withoutOwnContext } from "../lib/index.ts";
import {
  blocksOf,
  type History,
  type HistoryItem,
  isText,
  isToolResult,
  isToolUse,
  textOf,
  userWords,
} from "../messages/index.ts";
import type { GitState } from "./git.ts";
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

const commandOpening = /^\s*<command-message>[\s\S]*?<command-name>\/?([^<]+)<\/command-name>/;
const commandArgs = /<command-args>([\s\S]*?)<\/command-args>/;

/** A command that became a prompt; those that the client carries out itself begin with their name instead. */
function typedCommand(item: HistoryItem): Invocation | undefined {
  if (item.message.role !== "user" || item.meta || item.compactSummary) return undefined;
  const text = textOf(item.message.content);
  const name = commandOpening.exec(text)?.[1]?.trim();
  return name ? { name, args: commandArgs.exec(text)?.[1]?.trim() ?? "" } : undefined;
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

/** Commands and skills in the order in which they were called. */
export function invocationsOf(history: History): Invocation[] {
  return history.flatMap((item) => {
    const typed = typedCommand(item);
    if (typed) return [typed];
    return blocksOf(item.message).flatMap((block) => {
      if (!isToolUse(block) || block.name !== "Skill") return [];
      const { skill, command, args } = block.input as Readonly<Record<string, unknown>>;
      const name = typeof skill === "string" ? skill : command;
      return typeof name === "string" ? [{ name, args: typeof args === "string" ? args : "" }] : [];
    });
  });
}

/** Everything of a stretch of history as text, to be kept before it leaves the window; long texts are pieces of their own. */
export function wholePieces(history: History): string[] {
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
  readonly core?: string;
  readonly story?: string;
  readonly branch?: string;
  readonly files: readonly RelatedFile[];
  readonly moreFiles: number;
  readonly next: readonly Statement[];
  readonly decisions: readonly Statement[];
  /** Checks whose last run failed. */
  readonly failures: readonly Statement[];
  /** The latest request as it was said, and whether the assistant has ended a turn since. */
  readonly request?: { readonly text: string; readonly answered: boolean };
  readonly notes: readonly string[];
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

const MOST_RELATED_FILES = 40;
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

/** Files in play first, then all others that were changed or read. Folders and our own snapshots are none. */
function relatedFiles(
  { project, git, method }: WorkingStateParts,
  activity: Activity,
  inPlay: readonly string[],
): RelatedFile[] {
  const files = new Map<string, RelatedFile["action"]>();
  const add = (name: string, action: RelatedFile["action"]) => {
    if (!files.has(name) && !isSnapshotFile(name)) files.set(name, action);
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
  for (const { path: file } of git?.changed ?? []) if (!file.endsWith("/")) add(file, "changed");
  for (const { path: file } of touched) add(relativeTo(project, file), "read");
  return [...files].map(([name, action]) => ({
    path: name,
    action,
    gone: !existsSync(path.resolve(project, name)),
  }));
}

const isSnapshotFile = (file: string) => /(^|\/)\.claude\/\.?compact-snapshot-/.test(file);

function functionOf(invocations: readonly Invocation[]) {
  const last = invocations.at(-1);
  return last && oneLine(`/${last.name} ${last.args}`, LONGEST_FUNCTION);
}

const fromMethod = (text: string): Statement => ({ text, rows: [], at: 0 });

export function workingState(parts: WorkingStateParts): WorkingState {
  const { history, git, method } = parts;
  const activity = readActivity(history);
  const { core, decisions, next, failing, files: inPlay } = statementsOf(activity);
  const files = relatedFiles(parts, activity, inPlay);
  const { lastRequest } = activity;
  return {
    ...defined({
      method: method?.method || undefined,
      agent: method?.agent || undefined,
      function: (method?.function ?? functionOf(invocationsOf(history))) || undefined,
      core: core?.text || undefined,
      story: method?.story || undefined,
      branch: git?.branch || undefined,
      request: lastRequest && { text: lastRequest.text, answered: lastRequest.answered },
    }),
    files: files.slice(0, MOST_RELATED_FILES),
    moreFiles: Math.max(0, files.length - MOST_RELATED_FILES),
    next: [...next, ...(method?.next ?? []).map(fromMethod)],
    decisions: decisions.slice(-MOST_DECISIONS),
    failures: failing,
    notes: method?.notes ?? [],
    conversation: conversationText(activity, CONVERSATION),
  };
}
