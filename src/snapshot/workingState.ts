// Where the work stands when a conversation is compacted: from its messages, from git, from the disk, and from the method.
import { existsSync } from "node:fs";
import path from "node:path";
import { type Activity, extractActivity } from "../activity/index.ts";
import { firstCharacters } from "../lib/index.ts";
import type { History } from "../messages/index.ts";
import { type Invocation, invocationsOf } from "./conversation.ts";
import type { GitState } from "./git.ts";
import type { ProjectState } from "./projectState.ts";

interface RelatedFile {
  readonly path: string;
  readonly action: "written" | "edited" | "read" | "changed";
  /** It was there when somebody last looked, and is no more. */
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

const MOST_FILES = 40;
const MOST_SAYINGS = 12;
const LONGEST_LINE = 300;

/** One line of at most so many characters. */
export function oneLine(text: string, most = LONGEST_LINE): string {
  const line = text.replace(/\s+/g, " ").trim();
  return line.length <= most ? line : `${firstCharacters(line, most - 1)}…`;
}

function shown(project: string, file: string): string {
  const relative = path.relative(project, path.resolve(project, file));
  return relative === "" || relative.startsWith("..") || path.isAbsolute(relative)
    ? file
    : relative.split(path.sep).join("/");
}

function filesOf({ project, git, method }: WorkingStateParts, activity: Activity): RelatedFile[] {
  const files = new Map<string, RelatedFile["action"]>();
  for (const name of method?.files ?? []) files.set(name, "read");
  const touched = activity.files.toReversed();
  for (const { path: file, edits, writes } of touched)
    if (edits + writes > 0) files.set(shown(project, file), edits > 0 ? "edited" : "written");
  const add = (name: string, action: RelatedFile["action"]): void => {
    if (!files.has(name)) files.set(name, action);
  };
  for (const { path: file } of git?.changed ?? []) if (!isOurs(file)) add(file, "changed");
  for (const { path: file } of touched) add(shown(project, file), "read");
  return [...files].map(([name, action]) => ({
    path: name,
    action,
    gone: !existsSync(path.resolve(project, name)),
  }));
}

const isOurs = (file: string): boolean => /(^|\/)\.claude\/\.?compact-snapshot-/.test(file);

function nextOf(activity: Activity, method: ProjectState | undefined): string[] {
  const todos = activity.todos
    .filter(({ status }) => status !== "completed")
    .sort((a, b) => Number(b.status === "in_progress") - Number(a.status === "in_progress"))
    .map(({ text, status }) => (status === "in_progress" ? `${oneLine(text)} (in progress)` : oneLine(text)));
  return [...todos, ...(method?.next ?? [])];
}

function functionOf(invocations: readonly Invocation[]): string | undefined {
  const last = invocations.at(-1);
  return last && oneLine(`/${last.name} ${last.args}`);
}

const given = <Name extends string>(name: Name, value: string | undefined): { [name in Name]?: string } =>
  value === undefined || value === "" ? {} : ({ [name]: value } as { [name in Name]?: string });

export function workingState(parts: WorkingStateParts): WorkingState {
  const { history, git, method } = parts;
  const activity = extractActivity(history);
  const files = filesOf(parts, activity);
  const { openRequest } = activity;
  const sayings = (all: Activity["decisions"]): string[] =>
    all.slice(-MOST_SAYINGS).map(({ text }) => oneLine(text));
  return {
    ...given("method", method?.method),
    ...given("agent", method?.agent),
    ...given("function", method?.function ?? functionOf(invocationsOf(history))),
    ...given("core", openRequest && oneLine(openRequest.text)),
    ...given("story", method?.story),
    ...given("branch", git?.branch),
    files: files.slice(0, MOST_FILES),
    moreFiles: Math.max(0, files.length - MOST_FILES),
    next: nextOf(activity, method),
    decisions: sayings(activity.decisions),
    constraints: sayings(activity.constraints),
    failures: activity.failures
      .filter(({ fixedBy }) => fixedBy === undefined)
      .slice(-MOST_SAYINGS)
      .map(({ attempt, error }) => oneLine(`${attempt}: ${error}`)),
    ...(openRequest ? { request: { text: openRequest.text, answered: openRequest.answered } } : {}),
    notes: method?.notes ?? [],
  };
}
