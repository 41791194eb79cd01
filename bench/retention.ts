// At the recorded compactions: how much of what the next calls needed does a compacted window still show?
// usage: npm run bench:retention -- FILE|DIR…
import path from "node:path";
import { blocksOf, type HistoryItem, isToolUse, userWords } from "../src/messages/index.ts";
import { memorySession, prepare, type Session, thriftySettings } from "../src/pipeline/index.ts";
import { readableText } from "../src/replay/index.ts";
import { estimateTokens, lookupModel } from "../src/tokens/index.ts";
import { readConversation } from "../src/transcript/index.ts";
import { transcriptsAsked } from "./transcripts.ts";

const identifier = /[A-Za-z_][\w-]{12,}\w/g;
const handle = /\btl:[0-9a-f]{6,64}\b/g;
const NEXT_CALLS = 60;
const IN_A_ROW = 5;
const MODEL = "claude-opus-4-6";
const model = lookupModel(MODEL);

/** What has to hold: tokens, and the share of needed identifiers in view. */
const bars = [
  { target: 10_000, inView: 0.7 },
  { target: 20_000, inView: 0.82 },
] as const;
const BY_HANDLE = 0.97;
const AFTER_ALL = 0.95;

/** Only compaction acts: the whole history comes to it as it was. */
const settings = {
  ...thriftySettings,
  budget: { ...thriftySettings.budget, resultLimit: 1e9, toolLimits: {}, messageLimit: 1e9, rereads: false },
  microcompact: { ...thriftySettings.microcompact, idle: 1e12 },
};
const models = { [MODEL]: { window: 10_000_000 } };

interface Point {
  readonly name: string;
  readonly before: readonly HistoryItem[];
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

interface Compacted {
  readonly text: string;
  readonly tokens: number;
  /** What the handles in view give back. */
  readonly recallable: string;
  /** Compactions of the session so far. */
  readonly made: number;
}

function compact(session: Session, items: readonly HistoryItem[], to: number): Compacted {
  const { messages } = prepare({
    session,
    messages: items.map(({ message }) => message),
    ids: items.map(({ id }) => id),
    provenance: items,
    model: MODEL,
    compact: { to },
    now: 0,
  });
  const text = messages.map(readableText).join("\n");
  const recallable = [...new Set(text.match(handle) ?? [])]
    .map((one) => new TextDecoder().decode(session.vault.read(one)))
    .join("\n");
  const made = session.ledger.entries().filter(({ edit }) => edit.kind === "replace-prefix").length;
  return { text, tokens: estimateTokens(messages, { model }), recallable, made };
}

/** The window at this point after so many compactions, the last one here, the others spread evenly over what was before. */
function compactedTimes({ before }: Point, times: number, to: number): Compacted {
  const session = memorySession("bench", { settings, models });
  for (let time = 1; time < times; time++)
    compact(session, before.slice(0, Math.floor((before.length * time) / times)), to);
  return compact(session, before, to);
}

function shown({ needed }: Point, text: string): number {
  const names = namesIn(text);
  return [...needed].filter((name) => names.has(name)).length;
}

/** The user's sentences that are in view or behind a listed handle, and all of them. */
function userWordsKept(point: Point, { text, recallable }: Compacted): readonly [number, number] {
  const words = point.before.map(userWords).filter((one) => one !== "");
  return [words.filter((one) => text.includes(one) || recallable.includes(one)).length, words.length];
}

const files = transcriptsAsked("bench:retention");
const points = (await Promise.all(files.map(pointsOf))).flat();
const needed = points.reduce((sum, point) => sum + point.needed.size, 0);
const shareOf = (count: (point: Point, at: number) => number): number =>
  points.reduce((sum, point, at) => sum + count(point, at), 0) / Math.max(1, needed);
const percent = (share: number): string => `${(share * 100).toFixed(1)} %`;
let allHold = true;
function line(what: string, share: number, bar: number): void {
  allHold &&= share >= bar;
  console.log(
    `  ${what.padEnd(52)} ${percent(share).padStart(8)}  at least ${percent(bar)}  ${share >= bar ? "pass" : "FAIL"}`,
  );
}

console.log(
  `${points.length} recorded compactions, ${needed} identifiers needed by the next ${NEXT_CALLS} calls`,
);
console.log(`the recorded agent's own summary: ${percent(shareOf((point) => shown(point, point.recorded)))}`);
for (const { target, inView } of bars) {
  const once = points.map((point) => compactedTimes(point, 1, target));
  const often = points.map((point) => compactedTimes(point, IN_A_ROW, target));
  const view = (made: readonly Compacted[]): number =>
    shareOf((point, at) => shown(point, made[at]?.text ?? ""));
  const reach = (made: readonly Compacted[]): number =>
    shareOf((point, at) => shown(point, `${made[at]?.text}\n${made[at]?.recallable}`));
  const words = (made: readonly Compacted[]): number => {
    const counts = points.map((point, at) =>
      userWordsKept(point, made[at] ?? { text: "", tokens: 0, recallable: "", made: 0 }),
    );
    return counts.reduce((sum, [kept]) => sum + kept, 0) / counts.reduce((sum, [, all]) => sum + all, 0);
  };
  const largest = Math.max(...[...once, ...often].map(({ tokens }) => tokens));
  const made = often.reduce((sum, one) => sum + one.made, 0);
  // An early part may be so small that there is nothing to compact yet.
  console.log(
    `in at most ${target} tokens (the largest window has ${largest}; ${made} compactions where ${IN_A_ROW} were tried at each point)`,
  );
  line("in view", view(once), inView);
  line("in view or by a listed handle", reach(once), BY_HANDLE);
  line("user sentences in view or by a listed handle", words(once), 1);
  line(`in view after ${IN_A_ROW} compactions, of that after one`, view(often) / view(once), AFTER_ALL);
  line(`by a listed handle after ${IN_A_ROW} compactions`, reach(often), BY_HANDLE);
  line(`user sentences after ${IN_A_ROW} compactions`, words(often), 1);
  line("windows within the tokens", target / Math.max(target, largest), 1);
}
process.exitCode = allHold ? 0 : 1;
