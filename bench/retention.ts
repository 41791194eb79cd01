// At the recorded compactions: how much of what the next calls needed does a compacted window still show?
// usage: npm run bench:retention -- FILE|DIR…
import path from "node:path";
import { summariseDeterministically, tailStart } from "../src/compact/index.ts";
import { blocksOf, type History, isToolUse, userWords } from "../src/messages/index.ts";
import { readableText } from "../src/replay/index.ts";
import { estimateMessage, estimateText } from "../src/tokens/index.ts";
import { readConversation } from "../src/transcript/index.ts";
import { transcriptsAsked } from "./transcripts.ts";

const identifier = /[A-Za-z_][\w-]{12,}\w/g;
const NEXT_CALLS = 60;
const TAIL_SHARE = 0.3;

interface Point {
  readonly name: string;
  readonly before: History;
  /** Identifiers known before that the next calls use. */
  readonly needed: ReadonlySet<string>;
  /** What the recorded agent's own compaction showed. */
  readonly recorded: string;
}

const namesIn = (text: string): Set<string> => new Set(text.match(identifier) ?? []);

function stringsIn(value: unknown, into: string[] = []): string[] {
  if (typeof value === "string") into.push(value);
  else if (typeof value === "object" && value !== null)
    for (const part of Object.values(value)) stringsIn(part, into);
  return into;
}

async function pointsOf(file: string): Promise<Point[]> {
  const { items, boundaries } = await readConversation(file);
  return boundaries
    .filter(({ kind }) => kind === "compact")
    .map(({ index }) => {
      const before = items.slice(0, index).filter(({ compactSummary }) => !compactSummary);
      const known = namesIn(before.map(({ message }) => readableText(message)).join("\n"));
      const calls = items
        .slice(index)
        .flatMap(({ message }) => blocksOf(message).filter(isToolUse))
        .slice(0, NEXT_CALLS);
      const used = namesIn(calls.flatMap(({ input }) => stringsIn(input)).join("\n"));
      const summary = items.slice(index).find(({ compactSummary }) => compactSummary);
      return {
        name: path.basename(file),
        before,
        needed: new Set([...used].filter((name) => known.has(name))),
        recorded: summary ? readableText(summary.message) : "",
      };
    });
}

function shown({ needed }: Point, text: string): number {
  const names = namesIn(text);
  return [...needed].filter((name) => names.has(name)).length;
}

interface Compacted {
  readonly text: string;
  readonly tokens: number;
  readonly recallable: string;
}

/** The window after a compaction to `target` tokens: a summary of everything before the kept tail, and the tail. */
function compact(history: History, target: number): Compacted {
  const weigh = ({ message }: History[number]): number => estimateMessage(message, "old");
  const start = tailStart(history, target * TAIL_SHARE, weigh);
  const tail = history.slice(start);
  const tailTokens = tail.reduce((sum, item) => sum + weigh(item), 0);
  const { text, referred } = summariseDeterministically({
    history: history.slice(0, start),
    budget: target - tailTokens,
    family: "old",
  });
  return {
    text: [text, ...tail.map(({ message }) => readableText(message))].join("\n"),
    tokens: tailTokens + estimateText(text, "old"),
    recallable: referred.map(({ content }) => content).join("\n"),
  };
}

/** Share of the user's sentences that are in view or behind a listed handle. */
function userWordsKept(point: Point, { text, recallable }: Compacted): number {
  const words = point.before.map(userWords).filter((one) => one !== "");
  return (
    words.filter((one) => text.includes(one) || recallable.includes(one)).length / Math.max(1, words.length)
  );
}

const files = transcriptsAsked("bench:retention");
const points = (await Promise.all(files.map(pointsOf))).flat();
const needed = points.reduce((sum, point) => sum + point.needed.size, 0);
const percent = (count: number): string => `${((count / Math.max(1, needed)) * 100).toFixed(1)} %`;
const total = (count: (point: Point) => number): string =>
  percent(points.reduce((sum, point) => sum + count(point), 0));
console.log(
  `${points.length} recorded compactions, ${needed} identifiers needed by the next ${NEXT_CALLS} calls`,
);
console.log(`the recorded agent's own summary: ${total((point) => shown(point, point.recorded))}`);
for (const target of [10_000, 20_000]) {
  const made = new Map(points.map((point) => [point, compact(point.before, target)]));
  const get = (point: Point): Compacted => made.get(point) ?? { text: "", tokens: 0, recallable: "" };
  const largest = Math.max(...points.map((point) => get(point).tokens));
  const words =
    points.reduce((sum, point) => sum + userWordsKept(point, get(point)), 0) / Math.max(1, points.length);
  console.log(
    `at most ${target} tokens (largest ${largest}): in view ${total((point) => shown(point, get(point).text))}`,
    `in view or by handle ${total((point) => shown(point, `${get(point).text}\n${get(point).recallable}`))}`,
    `user sentences ${(words * 100).toFixed(1)} %`,
  );
}
