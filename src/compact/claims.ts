// What a text says about things being done or open, held against the record: lines that are wrong get the truth behind them.
import type { Activity } from "../activity/index.ts";

interface WrongClaim {
  /** `false-done`: something open is called done. `redo`: something done is called open. */
  readonly kind: "false-done" | "redo";
  /** What the claim is about. */
  readonly text: string;
}

interface Corrected {
  readonly text: string;
  readonly wrong: readonly WrongClaim[];
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
export const flat = (text: string): string => text.toLowerCase().replace(/\s+/g, " ").trim();
const SHORTEST = 6;

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
function withoutSubject(line: string, { flat: about, words }: Subject) {
  if (about.length < SHORTEST) return undefined;
  if (line.includes(about)) return line.replaceAll(about, " ");
  const told = words.filter((word) => line.includes(word));
  if (words.length < 3 || told.length < words.length * 0.8) return undefined;
  return told.reduce((rest, word) => rest.replaceAll(word, " "), line);
}

/** Puts the record's word behind every line that contradicts the list of tasks or the last run of a command. */
export function correctClaims(text: string, { todos, commands }: Activity): Corrected {
  const lines = text.split("\n").map((line) => ({ line, said: flat(line) }));
  const listed = todos.map(({ text: task, status }) => ({ status, subject: subjectOf(task) }));
  // A task that is on the list twice, once done and once open, makes no line wrong.
  const tasks = listed.filter(({ status, subject }) =>
    listed.every((other) => other.subject.flat !== subject.flat || other.status === status),
  );
  const failing = failingCommands(commands)
    .map(({ command, tells }) => ({ tells, subject: subjectOf(command) }))
    .filter(({ subject }) => !lines.some(({ said }) => failWords.test(withoutSubject(said, subject) ?? "")));
  const wrong: WrongClaim[] = [];
  let section: Section = "other";
  const corrected = lines.map(({ line, said }) => {
    section = sectionAt(line, section);
    for (const { subject, status } of tasks) {
      const rest = withoutSubject(said, subject);
      const kind = rest === undefined ? undefined : contradiction(rest, section, status === "completed");
      if (!kind) continue;
      wrong.push({ kind, text: subject.text });
      return `${line} (the task list has this as ${status})`;
    }
    for (const { subject, tells } of failing) {
      const rest = withoutSubject(said, subject);
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
export function failingCommands(commands: Commands): Commands {
  const last = new Map(commands.map((run) => [run.command, run]));
  return [...last.values()].filter(({ outcome }) => outcome === "failed");
}
