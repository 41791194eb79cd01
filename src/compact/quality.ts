// The gate before a swap: a compacted window must say what the next step needs, and nothing false about what is done.
import { type Activity, readActivity, tasksInForce } from "../activity/index.ts";
import { firstCharacters, lastCharacters, singleLine, stringsIn } from "../lib/index.ts";
import { blocksOf, type History, isText, isToolResult, isToolUse, textOf } from "../messages/index.ts";
import { estimateText, type TokenizerFamily } from "../tokens/index.ts";

/**
 * `request`: the latest request is not there. `identifier`: a name that the next steps need is not. `undone`: an open task is not mentioned. `false-done`: something open is called done. `redo`:
 * something done is called open.
 */
type GapKind = "request" | "identifier" | "undone" | "false-done" | "redo";

/** Something that a summary lacks. */
export interface Gap {
  readonly kind: GapKind;
  /** The words that are missing or wrong. */
  readonly text: string;
}

interface QualityInput {
  /** Every original message up to now. */
  readonly history: History;
  /** Those that stay in view word for word. */
  readonly kept: History;
  /** Notes, a model's summary, or the one made without a model. */
  readonly summary: string;
  readonly family: TokenizerFamily;
  /** Tokens that a patch may add. */
  readonly patchTokens?: number;
}

/** Either way `summary` is the given one with all that could be put right. */
export type Quality =
  | { readonly ok: true; readonly summary: string; readonly patched: readonly Gap[] }
  /** Not to be put right within the tokens: the summary made without a model is better. */
  | {
      readonly ok: false;
      readonly summary: string;
      readonly patched: readonly Gap[];
      readonly reasons: readonly Gap[];
    };

export const PATCH_TOKENS = 2_000;
const PATCH_HEADING = "From the record of the session, which counts where anything above differs:";

/** Names may be too many to repeat; with less than this share of them in view the summary is of something else. */
const LEAST_KEPT_SHARE = 0.5;

export function checkQuality(input: QualityInput): Quality {
  const { history, kept, summary, family, patchTokens = PATCH_TOKENS } = input;
  const activity = readActivity(history);
  const corrected = correctClaims(summary, activity);
  const view = textInView(corrected.text, kept);
  const missing = summaryNeeds(activity, view, patchTokens).filter((need) => !need.isMet);
  let left = patchTokens - (estimateText(corrected.text, family) - estimateText(summary, family));
  const lines: string[] = [];
  const patched: Gap[] = left < 0 ? [] : corrected.wrong.map(({ kind, text }) => ({ kind, text }));
  const unmet: Gap[] = left < 0 ? corrected.wrong.map(({ kind, text }) => ({ kind, text })) : [];
  if (missing.length > 0) left -= estimateText(PATCH_HEADING, family) + 2;
  for (const { kind, text, line } of missing) {
    const cost = estimateText(line, family) + 1;
    if (cost > left) unmet.push({ kind, text });
    else {
      left -= cost;
      lines.push(line);
      patched.push({ kind, text });
    }
  }
  const base = unmet.some(({ kind }) => kind === "false-done" || kind === "redo") ? summary : corrected.text;
  const better = lines.length === 0 ? base : `${base.trimEnd()}\n\n${PATCH_HEADING}\n${lines.join("\n")}`;
  const reasons = unmet.filter(({ kind }) => isSerious(kind, unmet, activity));
  return reasons.length === 0
    ? { ok: true, summary: better, patched }
    : { ok: false, summary: better, patched, reasons };
}

/** A few names out of many may be missing; everything else must be there. */
function isSerious(kind: GapKind, unmet: readonly Gap[], activity: Activity) {
  if (kind !== "identifier") return true;
  return (
    unmet.filter((gap) => gap.kind === kind).length > neededNames(activity).length * (1 - LEAST_KEPT_SHARE)
  );
}

/** Something that has to be in view, and the line that says it. */
interface SummaryNeed extends Gap {
  readonly isMet: boolean;
  readonly line: string;
}

/** In the order in which a patch takes them: what must not be missing first, then the newest. */
function summaryNeeds(activity: Activity, view: string, patchTokens: number) {
  const needs: SummaryNeed[] = [];
  const { lastRequest } = activity;
  if (lastRequest) {
    const { text, ended } = lastRequest;
    // About three characters a token, and half of the patch for everything else.
    const shown = ends(text, Math.max(2 * (REQUEST_OPENING + REQUEST_ENDING), Math.floor(patchTokens * 1.5)));
    const line = `- The user's latest message${ended ? `, which was ${ended}` : ""}: ${shown}`;
    needs.push({ kind: "request", text, isMet: holdsRequest(view, text), line });
  }
  for (const { text, status } of tasksInForce(activity)) {
    if (status === "completed") continue;
    needs.push({ kind: "undone", text, isMet: view.includes(flat(text)), line: `- [${status}] ${text}` });
  }
  for (const { name, line } of neededNames(activity))
    needs.push({ kind: "identifier", text: name, isMet: view.includes(flat(shortPath(name))), line });
  return needs;
}

const REQUEST_OPENING = 200;
const REQUEST_ENDING = 100;

/** A short request word for word; a long one by how it begins and how it ends. */
function holdsRequest(view: string, request: string) {
  const asked = flat(request);
  if (view.includes(asked)) return true;
  return (
    asked.length > 2 * (REQUEST_OPENING + REQUEST_ENDING) &&
    view.includes(asked.slice(0, REQUEST_OPENING)) &&
    view.includes(asked.slice(-REQUEST_ENDING))
  );
}

/** The text, or its beginning and end when it has more characters. */
function ends(text: string, characters: number) {
  if (text.length <= characters) return text;
  const tail = Math.floor(characters / 3);
  return `${firstCharacters(text, characters - tail)} … ${lastCharacters(text, tail)}`;
}

const LAST_FILES = 5;
const LAST_FAILURES = 3;

interface NeededName {
  readonly name: string;
  /** Says what it is. */
  readonly line: string;
}

/** Files that were changed last, commands that fail, and what the request itself names. */
function neededNames({ files, commands, lastRequest }: Activity): NeededName[] {
  const changed = files.filter(({ edits, writes }) => edits + writes > 0).slice(-LAST_FILES);
  const since = lastRequest?.at ?? 0;
  const failing = failingCommands(commands)
    .filter(({ at }) => at >= since)
    .slice(-LAST_FAILURES);
  return [
    ...changed.toReversed().map(({ path }) => ({ name: path, line: `- Changed lately: ${path}` })),
    ...failing.toReversed().map(({ command, tells }) => {
      const name = firstCharacters(singleLine(command), LONGEST_COMMAND);
      return { name, line: `- Failing when it was last run: \`${name}\`${tells === "" ? "" : `: ${tells}`}` };
    }),
    ...namesInRequest(lastRequest?.text ?? "").map((name) => ({
      name,
      line: `- The request speaks of ${name}`,
    })),
  ];
}

const LONGEST_COMMAND = 120;
const MOST_NAMES = 30;

/** Paths, quoted code and long names. */
function namesInRequest(text: string) {
  const found = text.match(/`[^`\n]{3,80}`|[\w.~-]*\/[\w./-]{3,}|[A-Za-z_][\w-]{12,}\w/g) ?? [];
  return [...new Set(found.map((name) => name.replaceAll("`", "")))].slice(0, MOST_NAMES);
}

/** Summaries tell paths from the project on: the last two parts are enough to find the file again. */
function shortPath(name: string) {
  if (/\s/.test(name)) return name;
  return name.split("/").slice(-2).join("/");
}

/** All that the compacted window says, on one line. */
function textInView(summary: string, kept: History) {
  const parts = [summary];
  for (const { message } of kept) {
    for (const block of blocksOf(message)) {
      if (isText(block)) parts.push(block.text);
      else if (isToolResult(block)) parts.push(textOf(block.content));
      else if (isToolUse(block)) parts.push(...stringsIn(block.input));
    }
  }
  return flat(parts.join("\n"));
}

interface WrongClaim {
  /** `false-done`: something open is called done. `redo`: something done is called open. */
  readonly kind: "false-done" | "redo";
  /** What the claim is about. */
  readonly text: string;
}

const doneWords =
  /\[x\]|\[done\]|\[completed\]|[✅✔☑✓]|\b(?:done|completed?|finished|implemented|resolved|fixed|passe[sd]|passing|succeed(?:s|ed)|works now)\b|已完成|完成了|做完|已实现|已解决|已修复|已通过/i;
const openWords =
  /\[ \]|\[pending\]|\[in_progress\]|\b(?:not|isn'?t|aren'?t|wasn'?t|never|yet|pending|remain(?:s|ing)?|to ?do|to be|in[ _-]progress|incomplete|unfinished|still|must|needs?|should|will|when|once|until|before|next|partial(?:ly)?|half|fail(?:s|ed|ing|ure)?|broken)\b|未|尚|还没|还要|待|进行中|没有|失败|需要/i;
const failWords = /\b(?:fail(?:s|ed|ing|ure)?|error|broken|red|not)\b|失败|出错|未通过/i;
const doneHeading = /^\W*(?:\d+\W+)?(?:completed|done|finished|已完成)[^.。]{0,24}$/i;
const openHeading = /^\W*(?:\d+\W+)?(?:pending|remaining|open|to-?do|unfinished|待办|未完成)[^.。]{0,24}$/i;
const anyHeading = /^(?:#|\*\*|\d+[.)] )|:\s*$/;

type Section = "done" | "open" | "other";

function sectionAt(line: string, before: Section) {
  if (/^\s*[-*] /.test(line) || line.trim() === "") return before;
  if (doneHeading.test(line)) return "done";
  if (openHeading.test(line)) return "open";
  return anyHeading.test(line) ? "other" : before;
}

/** As two texts are compared: case and white space say nothing. */
const flat = (text: string) => singleLine(text.toLowerCase());
const SHORTEST_SUBJECT = 6;

interface Subject {
  readonly text: string;
  readonly flat: string;
  readonly words: readonly string[];
}

function subjectOf(text: string): Subject {
  const whole = flat(text);
  return { text, flat: whole, words: [...new Set(whole.match(/[\p{L}\p{N}_]{4,}/gu) ?? [])] };
}

/** The line without what it is about, when it is about that: a task's own words must not be taken for a claim. */
function lineWithoutSubject(line: string, { flat: about, words }: Subject) {
  if (about.length < SHORTEST_SUBJECT) return undefined;
  if (line.includes(about)) return line.replaceAll(about, " ");
  const found = words.filter((word) => line.includes(word));
  if (words.length < 3 || found.length < words.length * 0.8) return undefined;
  return found.reduce((rest, word) => rest.replaceAll(word, " "), line);
}

/** Puts the record's word behind every line that contradicts the list of tasks or the last run of a command. */
function correctClaims(text: string, activity: Activity) {
  const { commands } = activity;
  const lines = text.split("\n").map((line) => ({ line, said: flat(line) }));
  const listed = tasksInForce(activity).map(({ text: task, status }) => ({
    status,
    subject: subjectOf(task),
  }));
  // A task that is on the list twice, once done and once open, makes no line wrong.
  const tasks = listed.filter(({ status, subject }) =>
    listed.every((other) => other.subject.flat !== subject.flat || other.status === status),
  );
  const failing = failingCommands(commands)
    .map(({ command, tells }) => ({ tells, subject: subjectOf(command) }))
    .filter(
      ({ subject }) => !lines.some(({ said }) => failWords.test(lineWithoutSubject(said, subject) ?? "")),
    );
  const wrong: WrongClaim[] = [];
  let section: Section = "other";
  const corrected = lines.map(({ line, said }) => {
    section = sectionAt(line, section);
    for (const { subject, status } of tasks) {
      const rest = lineWithoutSubject(said, subject);
      const kind = rest === undefined ? undefined : contradiction(rest, section, status === "completed");
      if (!kind) continue;
      wrong.push({ kind, text: subject.text });
      return `${line} (the task list has this as ${status})`;
    }
    for (const { subject, tells } of failing) {
      const rest = lineWithoutSubject(said, subject);
      if (rest === undefined || contradiction(rest, "other", false) === undefined) continue;
      wrong.push({ kind: "false-done", text: subject.text });
      return `${line} (its last run failed${tells === "" ? "" : `: ${tells}`})`;
    }
    return line;
  });
  return { text: corrected.join("\n"), wrong };
}

function contradiction(rest: string, section: Section, isDone: boolean) {
  const saysDone = doneWords.test(rest) || section === "done";
  const saysOpen = openWords.test(rest);
  if (!isDone) return saysDone && !saysOpen ? "false-done" : undefined;
  const calledOpen = /\[ \]|\[pending\]|\[in_progress\]/.test(rest) || section === "open";
  return calledOpen && !doneWords.test(rest) ? "redo" : undefined;
}

type Commands = Activity["commands"];

/** Commands whose last run failed, in order. */
function failingCommands(commands: Commands): Commands {
  const last = new Map(commands.map((run) => [run.command, run]));
  return [...last.values()].filter(({ outcome }) => outcome === "failed");
}
