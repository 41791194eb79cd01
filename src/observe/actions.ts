// Turns each tool call of a turn into an action: its purpose, what it touched, and a one-line description.
import { fileOfCall, isShell, outcomeOf } from "../activity/index.ts";
import { defined, isObject } from "../lib/index.ts";
import { type ToolPair, textOf, withoutReminders } from "../messages/index.ts";
import { type FailedCheck, failedCheck, looksFailed } from "./checks.ts";
import { type CheckClass, readCommand } from "./shell.ts";
import { oneLine } from "./words.ts";

export interface Action {
  readonly id: string;
  readonly tool: string;
  readonly kind: "look" | "change" | "check" | "commit" | "run" | "research" | "decide" | "delegate";
  /** What was done, in one line. */
  readonly line: string;
  readonly failed: boolean;
  readonly output: string;
  /** The file that was read or changed, relative to the working folder. */
  readonly path?: string;
  readonly isNew?: boolean;
  readonly names?: TouchedNames;
  /** What was searched for, asked or fetched. */
  readonly query?: string;
  /** What the caller said it was for, or the command itself. */
  readonly purpose?: string;
  readonly isDescribed?: boolean;
  /** Known to have changed something. */
  readonly alters?: boolean;
  readonly check?: {
    readonly name: string;
    readonly classes: readonly CheckClass[];
    readonly why?: FailedCheck;
  };
  readonly commit?: { readonly subject: string; readonly hash?: string };
}

const LINE = 200;

type Input = Readonly<Record<string, unknown>>;
const inputOf = (pair: ToolPair): Input => (isObject(pair.use.input) ? pair.use.input : {});
const text = (value: unknown) => (typeof value === "string" ? value : "");

/** The path relative to the working folder, if it lies below it. */
function pathInFolder(path: string, folder: string | undefined): string {
  if (folder === undefined || folder === "" || folder === "/") return path;
  const base = folder.replace(/[\\/]+$/, "");
  return path.startsWith(base) && /^[\\/]/.test(path.slice(base.length)) ? path.slice(base.length + 1) : path;
}

const refused =
  /^(?:The user doesn't want to proceed|The user rejected|Request interrupted|\[Request interrupted)/;

export function actionOf(pair: ToolPair, folder: string | undefined): Action {
  const output = textOf(pair.result?.content);
  const base = { id: pair.id, tool: pair.name, failed: outcomeOf(pair) === "failed", output };
  const action = doneAction(pair, base, folder);
  // A call that the user refused was not carried out, and did not fail either.
  return refused.test(output)
    ? { ...action, kind: "look", failed: false, line: oneLine(`✗ ${action.line}`, LINE) }
    : action;
}

function doneAction(pair: ToolPair, base: Base, folder: string | undefined): Action {
  const file = fileOfCall(pair);
  if (file !== undefined) return fileAction(pair, base, pathInFolder(file.path, folder), file.action);
  const command = isShell(pair) ? text(inputOf(pair).command) : "";
  return command === "" ? otherAction(pair, base, folder) : shellAction(pair, base, command);
}

type Base = Pick<Action, "id" | "tool" | "failed" | "output">;

function fileAction(pair: ToolPair, base: Base, path: string, action: "read" | "edited" | "written"): Action {
  if (action === "read" || base.failed) {
    const ending = base.failed ? ` → ${oneLine(base.output, 80)}` : "";
    return { ...base, kind: "look", path, line: oneLine(`${pair.name} ${path}${ending}`, LINE) };
  }
  const input = inputOf(pair);
  const edits = Array.isArray(input.edits) ? input.edits.filter(isObject) : [input];
  const before = edits.map((edit) => text(edit.old_string)).join("\n");
  const after =
    action === "written" ? text(input.content) : edits.map((edit) => text(edit.new_string)).join("\n");
  const names = touchedNames(before, after, path);
  const isNew = action === "written" && !/updated|overwritten/i.test(base.output);
  const listed = nameList(names);
  const what = listed === "" ? firstDifference(before, after) : listed;
  return {
    ...base,
    kind: "change",
    path,
    names,
    isNew,
    line: oneLine(`${pair.name} ${path}: ${what}`, LINE),
  };
}

/** `+added, changed, −removed`. */
function nameList({ added, changed, removed }: TouchedNames): string {
  return [...added.map((name) => `+${name}`), ...changed, ...removed.map((name) => `−${name}`)]
    .slice(0, 8)
    .join(", ");
}

/** The first line that is new. */
function firstDifference(before: string, after: string): string {
  const old = new Set(before.split("\n").map((line) => line.trim()));
  const line = after
    .split("\n")
    .map((one) => one.trim())
    .find((one) => one.length > 2 && !old.has(one));
  return line ?? (after.trim() === "" ? "−" : "…");
}

const commitHash = /\[[^\]\n]*?\b([0-9a-f]{7,40})\]|^([0-9a-f]{7,40})\s+\S/m;

function shellAction(pair: ToolPair, base: Base, command: string): Action {
  const { kind, name, checks, subject, alters } = readCommand(command);
  const description = text(inputOf(pair).description);
  const isDescribed = description !== "";
  const purpose = oneLine(isDescribed ? description : command, 90);
  const shown = oneLine(command.replace(/^cd \S+ && /, ""), 110);
  const line = (ending: string) => oneLine(`$ ${shown}${ending === "" ? "" : ` → ${ending}`}`, LINE);
  if (kind === "commit" && !base.failed && subject !== undefined) {
    const hash = commitHash.exec(base.output)?.slice(1).find(Boolean)?.slice(0, 7);
    const commit = hash === undefined ? { subject } : { subject, hash };
    return { ...base, kind, purpose, commit, line: line(hash ?? "") };
  }
  if (kind === "check") {
    const failed = base.failed || looksFailed(base.output);
    const why = failed ? failedCheck(base.output) : undefined;
    const ending = failed
      ? [why?.subject, why?.message].filter(Boolean).join(": ") || "failed"
      : lastLine(base.output);
    const check = { name, classes: checks, ...defined({ why }) };
    return { ...base, kind, failed, purpose, check, line: line(ending) };
  }
  // What only looks may fail without meaning anything: nothing was found.
  if (kind === "look") return { ...base, kind, failed: false, purpose, line: line(lastLine(base.output)) };
  return {
    ...base,
    kind: "run",
    purpose,
    isDescribed,
    alters: alters && !base.failed,
    line: line(base.failed ? errorLine(base.output) : lastLine(base.output)),
  };
}

const linesOf = (output: string) =>
  withoutReminders(output)
    .split("\n")
    .map((line) => line.trim())
    .filter(Boolean);
const lastLine = (output: string) => oneLine(linesOf(output).at(-1) ?? "", 80);

export function errorLine(output: string): string {
  const lines = linesOf(output).filter((line) => !/^Exit code \d+$/.test(line));
  return oneLine(
    lines.find((line) => /error|fail|fatal|denied|not found|cannot|panic/i.test(line)) ?? lines.at(-1) ?? "",
    120,
  );
}

const upkeep =
  /^(?:TodoWrite|TaskCreate|TaskUpdate|TaskList|TaskGet|ToolSearch|Skill|SlashCommand|EnterPlanMode|BashOutput|TaskOutput|KillShell|TaskStop)$/;

function otherAction(pair: ToolPair, base: Base, folder: string | undefined): Action {
  const input = inputOf(pair);
  const search = text(input.pattern) || text(input.query);
  if (pair.name === "WebSearch" || pair.name === "WebFetch") {
    const query = text(input.query) || text(input.url);
    return { ...base, kind: "research", query, line: oneLine(`${pair.name} ${query}`, LINE) };
  }
  if (pair.name === "Task" || pair.name === "Agent") {
    const query = text(input.description) || text(input.prompt);
    return {
      ...base,
      kind: "delegate",
      query: oneLine(query, 100),
      line: oneLine(`${pair.name}: ${query}`, LINE),
    };
  }
  if (pair.name === "AskUserQuestion" || (pair.name === "ExitPlanMode" && text(input.plan) !== ""))
    return { ...base, kind: "decide", line: oneLine(`${pair.name} → ${base.output}`, LINE) };
  if (/^(?:Grep|Glob|LS|grep|find|ls|glob)$/.test(pair.name)) {
    const where = pathInFolder(text(input.path), folder);
    const found = base.failed ? errorLine(base.output) : lastLine(base.output);
    const line = oneLine(`${pair.name} ${search}${where === "" ? "" : ` in ${where}`} → ${found}`, LINE);
    return { ...base, kind: "look", failed: false, line, ...(search === "" ? {} : { query: search }) };
  }
  const about =
    text(input.description) || search || text(input.url) || text(input.skill) || text(input.command);
  const tool = pair.name.replace(/^mcp__(?:plugin_)?/, "").replace(/__/g, " ");
  const line = oneLine(
    `${tool} ${about} → ${base.failed ? errorLine(base.output) : lastLine(base.output)}`,
    LINE,
  );
  if (upkeep.test(pair.name)) return { ...base, kind: "look", failed: false, line };
  return { ...base, kind: "run", purpose: oneLine(`${tool} ${about}`, 90), line };
}

interface TouchedNames {
  readonly added: readonly string[];
  readonly changed: readonly string[];
  readonly removed: readonly string[];
}

const declared =
  /^[ \t]*(?:(?:export|default|public|private|protected|internal|static|abstract|final|async|pub(?:\([^)]*\))?|unsafe)\s+)*(?:function\*?|class|interface|type|enum|struct|trait|def|fn|module|record|protocol|func(?:\s*\([^)]*\))?)\s+(?<name>[A-Za-z_$][\w$]*)/gm;
const constant = /^(?:export\s+)?(?:const|let|var|static)\s+(?<name>[A-Za-z_$][\w$]*)/gm;
const testName = /^\s*(?:it|test|describe)(?:\.\w+)?\(\s*(?<quote>["'`])(?<name>.{3,80}?)\k<quote>/gm;
const heading = /^#{1,4}\s+(?<name>\S.*)$/gm;

function namesIn(code: string, path: string): string[] {
  const patterns = /\.(md|mdx|markdown|rst|txt)$/i.test(path) ? [heading] : [declared, constant, testName];
  const names = patterns.flatMap((pattern) =>
    [...code.matchAll(pattern)].map(({ groups }) => groups?.name?.trim() ?? ""),
  );
  return [...new Set(names)].filter((name) => name.length > 1);
}

function touchedNames(before: string, after: string, path: string): TouchedNames {
  const [old, now] = [namesIn(before, path), namesIn(after, path)];
  return {
    added: now.filter((name) => !old.includes(name)),
    removed: old.filter((name) => !now.includes(name)),
    changed: before === "" ? [] : now.filter((name) => old.includes(name)),
  };
}
