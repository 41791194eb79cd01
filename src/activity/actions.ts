// Turns each tool call into an action: its purpose, what it touched, how it ended, and a one-line description.
import { defined, isObject, isOwnTool } from "../lib/index.ts";
import { withoutReminders } from "../messages/index.ts";
import { type FailedCheck, failedCheck, looksFailed } from "./checks.ts";
import { type CheckClass, readCommand, type Undone } from "./shell.ts";
import { oneLine } from "./text.ts";
import { commandOf, type FileAction, fileOfCall, type Outcome, type ToolCall } from "./toolCall.ts";

export interface Action {
  readonly id: string;
  readonly tool: string;
  readonly kind:
    | "look"
    | "change"
    | "check"
    | "commit"
    | "run"
    | "research"
    | "decide"
    | "delegate"
    /** Keeps the agent's own books: task lists, skills, output of background commands, searches of the memory. */
    | "upkeep";
  readonly outcome: Outcome;
  /** Index of the message or event that made the call, and the rows that hold the call and its result. */
  readonly at: number;
  readonly row: string;
  readonly resultRow?: string;
  /** What was done, in one line. */
  readonly line: string;
  readonly failed: boolean;
  readonly output: string;
  /** The file that was read or changed, relative to the working folder. */
  readonly path?: string;
  readonly fileAction?: FileAction;
  /** The command line that was given to a shell. */
  readonly command?: string;
  readonly isNew?: boolean;
  /** It changed comments or sentences in quotation marks, and no code. */
  readonly isWording?: boolean;
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
  readonly undoes?: Undone;
}

const LINE = 200;

const text = (value: unknown) => (typeof value === "string" ? value : "");

/** The path relative to the working folder, if it lies below it. */
function pathInFolder(path: string, folder: string | undefined) {
  if (folder === undefined || folder === "" || folder === "/") return path;
  const base = folder.replace(/[\\/]+$/, "");
  return path.startsWith(base) && /^[\\/]/.test(path.slice(base.length)) ? path.slice(base.length + 1) : path;
}

const HALF = 10_000;
const LONG_GAP = 64;
/** More white space says nothing, and makes patterns slow. */
const emptiness = new RegExp(`\\s{${LONG_GAP},}`, "g");
const LAST_ASCII_SPACE = 32;
const space = /\s/;

function isSpaceAt(text: string, place: number) {
  const code = text.charCodeAt(place);
  return code <= LAST_ASCII_SPACE || (code > 127 && space.test(text.charAt(place)));
}

/** False where no run of white space can be that long: of such a run one of every so many characters is a part. */
function mayHaveGap(text: string) {
  for (let at = LONG_GAP - 1; at < text.length; at += LONG_GAP) {
    if (!isSpaceAt(text, at)) continue;
    let [from, to] = [at, at + 1];
    while (to - from < LONG_GAP && isSpaceAt(text, from - 1)) from--;
    while (to - from < LONG_GAP && isSpaceAt(text, to)) to++;
    if (to - from >= LONG_GAP) return true;
  }
  return false;
}

/** Outputs are as long as they like; beginning and end tell how a call ended. */
function boundedText(output: string) {
  const dense = mayHaveGap(output) ? output.replace(emptiness, "\n") : output;
  return dense.length <= 2 * HALF ? dense : `${dense.slice(0, HALF)}\n…\n${dense.slice(-HALF)}`;
}

/** By call: what was read of it once. */
const knownActions = new WeakMap<
  ToolCall,
  { readonly action: Action; readonly folder: string | undefined }
>();

export function actionOf(call: ToolCall, folder?: string): Action {
  const known = knownActions.get(call);
  if (known && known.folder === folder) return known.action;
  const action = readAction(call, folder);
  knownActions.set(call, { action, folder });
  return action;
}

function readAction(call: ToolCall, folder: string | undefined): Action {
  const { id, name: tool, outcome, at, row, resultRow } = call;
  const output = boundedText(call.output);
  const base = {
    id,
    tool,
    outcome,
    failed: outcome === "failed",
    output,
    at,
    row,
    ...defined({ resultRow, command: commandOf(call) }),
  };
  const action = completedAction(call, base, folder);
  return outcome === "refused"
    ? { ...action, kind: "look", failed: false, line: oneLine(`✗ ${action.line}`, LINE) }
    : action;
}

function completedAction(call: ToolCall, base: Base, folder: string | undefined): Action {
  const file = fileOfCall(call);
  if (file)
    return {
      ...fileAction(call, base, pathInFolder(file.path, folder), file.action),
      fileAction: file.action,
    };
  return base.command === undefined ? otherAction(call, base, folder) : shellAction(call, base, base.command);
}

type Base = Pick<
  Action,
  "id" | "tool" | "failed" | "output" | "outcome" | "at" | "row" | "resultRow" | "command"
>;

function fileAction({ name, input }: ToolCall, base: Base, path: string, action: FileAction): Action {
  if (action === "read" || base.failed) {
    const ending = base.failed ? ` → ${oneLine(base.output, 80)}` : "";
    return { ...base, kind: "look", path, line: oneLine(`${name} ${path}${ending}`, LINE) };
  }
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
    isWording: isProse(path) ? false : before !== "" && codeIn(before) === codeIn(after),
    line: oneLine(`${name} ${path}: ${what}`, LINE),
  };
}

export const isProse = (path: string) => /\.(md|mdx|markdown|rst|txt)$/i.test(path);
const commentOrLiteral =
  /\/\*[\s\S]*?\*\/|(?:\/\/|#\s|<!--).*$|"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|`(?:[^`\\]|\\.)*`/gm;
/** Code without comments, and without sentences in quotation marks: a literal without a space is a value. */
const codeIn = (text: string) =>
  text
    .replace(commentOrLiteral, (found) => (/^["'`]/.test(found) && !/\s/.test(found) ? found : ""))
    .replace(/\s+/g, "");

/** `+added, changed, −removed`. */
function nameList({ added, changed, removed }: TouchedNames) {
  return [...added.map((name) => `+${name}`), ...changed, ...removed.map((name) => `−${name}`)]
    .slice(0, 8)
    .join(", ");
}

/** The first line that is new. */
function firstDifference(before: string, after: string) {
  const old = new Set(before.split("\n").map((line) => line.trim()));
  const line = after
    .split("\n")
    .map((one) => one.trim())
    .find((one) => one.length > 2 && !old.has(one));
  return line ?? (after.trim() === "" ? "−" : "…");
}

const commitHash = /\[[^\]\n]*?\b([0-9a-f]{7,40})\]|^([0-9a-f]{7,40})\s+\S/m;

function shellAction({ input }: ToolCall, known: Base, command: string): Action {
  const { kind, name, checks, subject, alters, undoes } = readCommand(command);
  const base = known.failed ? known : { ...known, ...defined({ undoes }) };
  const description = text(input.description);
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
    return { ...base, kind, failed, purpose, isDescribed, check, line: line(ending) };
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
  /^(?:TodoWrite|TodoRead|TaskCreate|TaskUpdate|TaskList|TaskGet|ToolSearch|Skill|SlashCommand|EnterPlanMode|BashOutput|TaskOutput|KillShell|KillBash|TaskStop)$/;

function otherAction({ name, input }: ToolCall, base: Base, folder: string | undefined): Action {
  const search = text(input.pattern) || text(input.query);
  if (name === "WebSearch" || name === "WebFetch") {
    const query = text(input.query) || text(input.url);
    return { ...base, kind: "research", query, line: oneLine(`${name} ${query}`, LINE) };
  }
  if (name === "Task" || name === "Agent") {
    const query = text(input.description) || text(input.prompt);
    return {
      ...base,
      kind: "delegate",
      query: oneLine(query, 100),
      line: oneLine(`${name}: ${query}`, LINE),
    };
  }
  if (name === "AskUserQuestion" || (name === "ExitPlanMode" && text(input.plan) !== ""))
    return { ...base, kind: "decide", line: oneLine(`${name} → ${base.output}`, LINE) };
  if (/^(?:Grep|Glob|LS|grep|find|ls|glob)$/.test(name)) {
    const where = pathInFolder(text(input.path), folder);
    const found = base.failed ? errorLine(base.output) : lastLine(base.output);
    const line = oneLine(`${name} ${search}${where === "" ? "" : ` in ${where}`} → ${found}`, LINE);
    return { ...base, kind: "look", failed: false, line, ...(search !== "" && { query: search }) };
  }
  const about =
    text(input.description) || search || text(input.url) || text(input.skill) || text(input.command);
  const tool = name.replace(/^mcp__(?:plugin_)?/, "").replace(/__/g, " ");
  const line = oneLine(
    `${tool} ${about} → ${base.failed ? errorLine(base.output) : lastLine(base.output)}`,
    LINE,
  );
  if (upkeep.test(name) || isOwnTool(name)) return { ...base, kind: "upkeep", failed: false, line };
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

function namesIn(code: string, path: string) {
  const patterns = isProse(path) ? [heading] : [declared, constant, testName];
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
