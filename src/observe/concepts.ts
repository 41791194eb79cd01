// The type of an observation and its concepts, by rules.
import { type Action, isProse, isTestFile, looksFailed } from "../activity/index.ts";
import type { ObservationType } from "../lib/index.ts";
import { MARK_START } from "../redact/marks.ts";
import { fixesOf, type Turn } from "./turn.ts";

const MOST = 8;

const plainFolders = new Set(
  "src source lib libs app apps cmd pkg packages internal test tests spec docs doc dist build home users work code main index mod init".split(
    " ",
  ),
);

/** `src/cli/session_state.test.ts` is about `cli` and `session_state`. */
function partsOf(path: string) {
  const parts = path.split(/[\\/]/).filter(Boolean);
  const stem = (parts.pop() ?? "")
    .replace(/\.(test|spec)\b/, "")
    .replace(/_test\b/, "")
    .replace(/\.[^.]+$/, "");
  const folder = parts.at(-1) ?? "";
  return [stem, folder].filter(
    (part) => part.length > 1 && !part.startsWith(".") && !plainFolders.has(part.toLowerCase()),
  );
}

/** Names in a text, by their form: `serviceDay`, `late_boats`. A mark of redaction names nothing. */
function namesIn(text: string) {
  const marks = new RegExp(`${MARK_START.replace("[", "\\[")}[^\\]]*\\]`, "g");
  return (
    text.replace(marks, " ").match(/\b[a-z][a-z0-9]+(?:[A-Z]\w*|_\w+)\b|\b[A-Z][a-z0-9]+[A-Z]\w*\b/g) ?? []
  );
}

export function conceptsOf(actions: readonly Action[], texts: string): string[] {
  const changes = actions.filter(({ kind }) => kind === "change");
  const relevant = changes.length > 0 ? changes : actions.filter(({ path }) => path !== undefined);
  const names = changes.flatMap(({ names }) => [...(names?.added ?? []), ...(names?.changed ?? [])]);
  const found = [
    ...relevant.flatMap(({ path = "" }) => partsOf(path)).slice(0, 4),
    ...names.filter((name) => /^[\w$]+$/.test(name)).slice(0, 4),
    ...actions.flatMap(({ check }) => check?.classes ?? []),
    ...namesIn(texts).slice(0, 4),
  ].filter((concept) => !concept.includes(MARK_START.trim()));
  const byName = new Map<string, string>();
  for (const concept of found) {
    const key = concept.toLowerCase();
    if (!byName.has(key)) byName.set(key, concept);
  }
  return [...byName.values()].slice(0, MOST);
}

/** What the author of a commit called it: `fix(auth): …`. */
const conventional = /^(fix|feat|refactor|perf|docs|chore|test|tests|ci|build|style)(?:\([^)]*\))?!?:/i;
const calledMoving = /^(?:refactor|rename|reorgani[sz]e|extract|inline)\b/i;
const conventionalTypes: Readonly<Record<string, ObservationType>> = {
  fix: "bugfix",
  feat: "feature",
  refactor: "refactor",
};

const isSource = (path: string) =>
  !/\.(md|mdx|txt|rst|json|jsonc|ya?ml|toml|lock|ini|cfg|env|gitignore|css|svg)$|(^|\/)(LICENSE|CHANGELOG|README)/i.test(
    path,
  );
/** A line of a program's output that says what went wrong: a request that holds one reports a failure. */
const errorInRequest = /^\s*(?:\w*(?:error|exception)|fatal|panic)\b[^\n:]{0,40}:\s/im;

/** What both sides call the work. */
const calledFix = /\bfix(?:e[sd]|ing)?\b|\bbugs?\b|修复|修好|修正/i;
/** What does not work as it should, as the person who asks says it. */
const complaint =
  /\b(?:(?:doesn't|don't|does not|do not|didn't|won't|isn't|aren't|cannot|can't) (?:seem|work|show|appear|update|match|find)\w*|no longer (?:works?|shows?)|(?:can|will|may) fail\b|deadlocks?|race condition|looks? (?:a bit |a little |kind of )?(?:strange|wrong|off|odd)|(?:is|are) (?:still )?(?:broken|wrong|missing|failing))|没有?(?:生效|反应|显示)|不(?:生效|对劲?|显示|工作)|报错|出错/i;
const calledRefactoring = /\brefactor(?:ed|ing)?\b|重构/i;

/** Names that left one file and came into another: the same code in another place. */
function movesNames(changes: readonly Action[]) {
  const removed = new Set(changes.flatMap(({ names }) => names?.removed ?? []));
  return changes.flatMap(({ names }) => names?.added ?? []).some((name) => removed.has(name));
}

/** By what was done; where that does not tell, by what both sides call it. Code that mostly gets new names can do something new. */
export function typeOf(actions: readonly Action[], turn: Turn): ObservationType {
  const { request, words } = turn;
  const changes = actions.filter(({ kind }) => kind === "change");
  if (changes.length === 0)
    return actions.some(({ alters, kind }) => alters === true || kind === "commit") ? "change" : "discovery";
  const subject = actions.find(({ commit }) => commit !== undefined)?.commit?.subject ?? "";
  const called = conventional.exec(subject)?.[1]?.toLowerCase();
  if (called !== undefined) return conventionalTypes[called] ?? "change";
  if (calledMoving.test(subject)) return "refactor";
  const made = changes.filter(({ isWording }) => isWording !== true);
  const sources = made.filter(({ path = "" }) => isSource(path));
  if (made.every(({ path = "" }) => isProse(path))) return "change";
  if (
    fixesOf(actions, turn).some(({ isOlder, files }) => isOlder && !files.every(isTestFile)) ||
    looksFailed(request) ||
    errorInRequest.test(request)
  )
    return "bugfix";
  const code = sources.filter(({ path = "" }) => !isTestFile(path));
  // While nothing says what came of it, it may be anything.
  if (code.length === 0 || (words === "" && subject === "")) return "change";
  if (movesNames(changes)) return "refactor";
  const count = (which: "added" | "changed") =>
    code.reduce((sum, { names }) => sum + (names?.[which].length ?? 0), 0);
  if (code.some(({ isNew }) => isNew === true) || count("added") > count("changed")) return "feature";
  // Conflicts are resolved: nothing is repaired by that.
  const said = `${/\bconflicts?\b|冲突/i.test(request) ? "" : request}\n${words}`;
  if (calledRefactoring.test(said)) return "refactor";
  return calledFix.test(said) || complaint.test(request) ? "bugfix" : "change";
}
