// Where the work stands when a conversation is compacted: from its messages, from git, from the disk, and from the method.

import { existsSync } from "node:fs";
import path from "node:path";
import { type Activity, extractActivity } from "../activity/index.ts";
import { defined, firstCharacters, withoutOwnContext } from "../lib/index.ts";
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
  readonly next: readonly string[];
  readonly decisions: readonly string[];
  readonly constraints: readonly string[];
  /** Attempts that failed and were not seen to succeed later. */
  readonly failures: readonly string[];
  /** The latest request as it was said, and whether it was answered. */
  readonly request?: { readonly text: string; readonly answered: boolean };
  readonly notes: readonly string[];
}

interface WorkingStateParts {
  readonly project: string;
  /** Everything up to the compaction. */
  readonly history: History;
  readonly git: GitState | undefined;
  readonly method: ProjectState | undefined;
}

const MOST_RELATED_FILES = 40;
const MOST_SAYINGS = 12;
const LONGEST_STATE_LINE = 300;

/** One line of at most so many characters. */
export function oneLine(text: string, most = LONGEST_STATE_LINE): string {
  const line = text.replace(/\s+/g, " ").trim();
  return line.length <= most ? line : `${firstCharacters(line, most - 1)}…`;
}

function relativeTo(project: string, file: string) {
  const relative = path.relative(project, path.resolve(project, file));
  return relative === "" || relative.startsWith("..") || path.isAbsolute(relative)
    ? file
    : relative.split(path.sep).join("/");
}

function relatedFiles({ project, git, method }: WorkingStateParts, activity: Activity): RelatedFile[] {
  const files = new Map<string, RelatedFile["action"]>();
  for (const name of method?.files ?? []) files.set(name, "read");
  const touched = activity.files.toReversed();
  for (const { path: file, edits, writes } of touched)
    if (edits + writes > 0) files.set(relativeTo(project, file), edits > 0 ? "edited" : "written");
  const add = (name: string, action: RelatedFile["action"]) => {
    if (!files.has(name)) files.set(name, action);
  };
  for (const { path: file } of git?.changed ?? []) if (!isSnapshotFile(file)) add(file, "changed");
  for (const { path: file } of touched) add(relativeTo(project, file), "read");
  return [...files].map(([name, action]) => ({
    path: name,
    action,
    gone: !existsSync(path.resolve(project, name)),
  }));
}

const isSnapshotFile = (file: string) => /(^|\/)\.claude\/\.?compact-snapshot-/.test(file);

function nextOf(activity: Activity, method: ProjectState | undefined) {
  const todos = activity.todos
    .filter(({ status }) => status !== "completed")
    .sort((a, b) => Number(b.status === "in_progress") - Number(a.status === "in_progress"))
    .map(({ text, status }) => (status === "in_progress" ? `${oneLine(text)} (in progress)` : oneLine(text)));
  return [...todos, ...(method?.next ?? [])];
}

function functionOf(invocations: readonly Invocation[]) {
  const last = invocations.at(-1);
  return last && oneLine(`/${last.name} ${last.args}`);
}

export function workingState(parts: WorkingStateParts): WorkingState {
  const { history, git, method } = parts;
  const activity = extractActivity(history);
  const files = relatedFiles(parts, activity);
  const { openRequest } = activity;
  const sayings = (all: Activity["decisions"]) => all.slice(-MOST_SAYINGS).map(({ text }) => oneLine(text));
  return {
    ...defined({
      method: method?.method || undefined,
      agent: method?.agent || undefined,
      function: (method?.function ?? functionOf(invocationsOf(history))) || undefined,
      core: (openRequest && oneLine(openRequest.text)) || undefined,
      story: method?.story || undefined,
      branch: git?.branch || undefined,
      request: openRequest && { text: openRequest.text, answered: openRequest.answered },
    }),
    files: files.slice(0, MOST_RELATED_FILES),
    moreFiles: Math.max(0, files.length - MOST_RELATED_FILES),
    next: nextOf(activity, method),
    decisions: sayings(activity.decisions),
    constraints: sayings(activity.constraints),
    failures: activity.failures
      .filter(({ fixedBy }) => fixedBy === undefined)
      .slice(-MOST_SAYINGS)
      .map(({ attempt, error }) => oneLine(`${attempt}: ${error}`)),
    notes: method?.notes ?? [],
  };
}
