// What notes say of each turn: what was done in it, and the answer it ended with.
import type { Activity } from "../../activity/index.ts";
import { blocksOf, type History, isText, isToolUse, userTurns, userWords } from "../../messages/index.ts";
import type { Fact } from "./entries.ts";
import { clip, firstLines } from "./words.ts";

interface Span {
  /** What was asked, in a few words; the same words a second time are numbered. */
  readonly request: string;
  readonly start: number;
  /** Index behind the last message. */
  readonly end: number;
}

const EARLIER = "(asked earlier)";

/** Turns, and in front of them what is left of one whose beginning is not at hand. */
function spansOf(history: History): Span[] {
  const turns = userTurns(history);
  const first = turns[0]?.start ?? history.length;
  const spans = first > 0 ? [{ request: EARLIER, start: 0, end: first }] : [];
  const seen = new Map<string, number>();
  for (const { start, end } of turns) {
    const item = history[start];
    const words = clip(item ? userWords(item) : "", 90) || "(an image)";
    const times = (seen.get(words) ?? 0) + 1;
    seen.set(words, times);
    spans.push({ request: times > 1 ? `${words} (${times})` : words, start, end });
  }
  return spans;
}

const FILES = 6;

export function workFacts(history: History, activity: Activity): Fact[] {
  return spansOf(history).flatMap((span) => {
    const { request, start, end } = span;
    const isHere = ({ at }: { readonly at: number }) => at >= start && at < end;
    const done = [
      changedFiles(activity, span),
      counted(activity.commands.filter(isHere)),
      ...activity.delegations.filter(isHere).map(({ task }) => `delegated ${clip(task, 80)}`),
    ].filter((part) => part !== "");
    if (done.length === 0 && request === EARLIER) return [];
    const key = `- ${request}: `;
    return [{ at: end - 1, key, text: clip(`${key}${done.join("; ") || "talked"}`, 500) }];
  });
}

function changedFiles({ files }: Activity, { start, end }: Span) {
  const changed = files.filter(
    ({ lastAt, lastDeed }) => lastDeed !== "read" && lastAt >= start && lastAt < end,
  );
  if (changed.length === 0) return "";
  const names = changed.slice(-FILES).map(({ path }) => clip(path.replace(/^.*[\\/]/, ""), 60));
  return `changed ${names.join(", ")}${changed.length > FILES ? ` and ${changed.length - FILES} more` : ""}`;
}

function counted(commands: Activity["commands"]) {
  if (commands.length === 0) return "";
  const failed = commands.filter(({ outcome }) => outcome === "failed").length;
  return `ran ${commands.length} command${commands.length === 1 ? "" : "s"}${failed > 0 ? `, ${failed} failed` : ""}`;
}

const ANSWER = 1_500;

/** The words with which each finished turn was closed. */
export function resultFacts(history: History): Fact[] {
  return spansOf(history).flatMap(({ request, start, end }) => {
    const last = history.slice(start, end).findLast(({ message }) => message.role === "assistant");
    if (!last || blocksOf(last.message).some(isToolUse)) return [];
    const words = blocksOf(last.message)
      .filter(isText)
      .map(({ text }) => text);
    const lines = firstLines(words.join("\n"), ANSWER);
    if (lines.join("").trim() === "") return [];
    const key = `- On “${request}”:`;
    return [{ at: end - 1, key, text: [key, ...lines.map((line) => `  ${line}`)].join("\n") }];
  });
}
