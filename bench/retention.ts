// At the recorded compactions: how much of what the next calls needed does a compacted window still show?

import { stringsIn } from "../src/lib/index.ts";
import { blocksOf, type HistoryItem, isToolUse, userWords } from "../src/messages/index.ts";
import { memorySession, prepare, type Session } from "../src/pipeline/index.ts";
import { identifiersIn, readableText } from "../src/replay/index.ts";
import { estimateTokens, lookupModel } from "../src/tokens/index.ts";
import { readConversation } from "../src/transcript/index.ts";
import type { Bar, Bench, Finding } from "./bench.ts";
import { rounded } from "./measure.ts";
import { onlyCompaction } from "./onlyCompaction.ts";
import { transcriptsIn } from "./transcripts.ts";

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

const models = { [MODEL]: { window: 10_000_000 } };

interface Point {
  readonly before: readonly HistoryItem[];
  /** Identifiers known before that the next calls use. */
  readonly needed: ReadonlySet<string>;
  /** What the recorded agent's own compaction showed. */
  readonly recorded: string;
}

const namesIn = (text: string): Set<string> => new Set(identifiersIn(text));

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
  const session = memorySession("bench", { settings: onlyCompaction, models });
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

const percent = (share: number): number => rounded(share * 100, 1);

/** What a window of so many tokens keeps of what the points need, after one compaction and after several. */
function keptIn(
  points: readonly Point[],
  { target, inView }: (typeof bars)[number],
): { finding: Finding; bars: Bar[] } {
  const needed = points.reduce((sum, point) => sum + point.needed.size, 0);
  const share = (made: readonly Compacted[], textOf: (one: Compacted) => string): number => {
    const found = points.map((point, at) => (made[at] ? shown(point, textOf(made[at])) : 0));
    return found.reduce((sum, count) => sum + count, 0) / Math.max(1, needed);
  };
  const measured = (times: number) => {
    const made = points.map((point) => compactedTimes(point, times, target));
    const words = points.map((point, at) => (made[at] ? userWordsKept(point, made[at]) : ([0, 0] as const)));
    return {
      made,
      view: share(made, ({ text }) => text),
      reach: share(made, ({ text, recallable }) => `${text}\n${recallable}`),
      words: words.reduce((sum, [kept]) => sum + kept, 0) / words.reduce((sum, [, all]) => sum + all, 0),
    };
  };
  const [once, often] = [measured(1), measured(IN_A_ROW)];
  const largest = Math.max(...[...once.made, ...often.made].map(({ tokens }) => tokens));
  const row = (compactions: number, { view, reach, words }: typeof once) => ({
    compactions,
    "in view %": percent(view),
    "in view or by a listed handle %": percent(reach),
    "user sentences %": percent(words),
  });
  const within = `in ${target.toLocaleString("en-US")} tokens`;
  return {
    finding: {
      title: `Needed names ${within}`,
      rows: [row(1, once), row(IN_A_ROW, often)],
      notes: [`The largest window has ${largest.toLocaleString("en-US")} tokens.`],
    },
    bars: [
      { what: `in view ${within}`, value: once.view, atLeast: inView },
      { what: `by a listed handle ${within}`, value: once.reach, atLeast: BY_HANDLE },
      { what: `user sentences ${within}`, value: once.words, atLeast: 1 },
      {
        what: `in view after ${IN_A_ROW}, of that after one, ${within}`,
        value: often.view / once.view,
        atLeast: AFTER_ALL,
      },
      { what: `by a listed handle after ${IN_A_ROW} ${within}`, value: often.reach, atLeast: BY_HANDLE },
      { what: `user sentences after ${IN_A_ROW} ${within}`, value: often.words, atLeast: 1 },
      { what: `tokens of the largest window`, value: largest, atMost: target },
    ],
  };
}

export const bench: Bench = {
  name: "retention",
  about: `At recorded compactions: how many of the long names that were known and that the next ${NEXT_CALLS} calls use does the window still show?`,
  usage: "FILE|DIR…",
  async run(args) {
    const points = (await Promise.all(transcriptsIn(args).map(pointsOf))).flat();
    const needed = points.reduce((sum, point) => sum + point.needed.size, 0);
    const recorded = points.reduce((sum, point) => sum + shown(point, point.recorded), 0);
    const kept = bars.map((one) => keptIn(points, one));
    const own = {
      "recorded compactions": points.length,
      "names needed": needed,
      "in view %": percent(recorded / Math.max(1, needed)),
    };
    return {
      findings: [
        { title: "The recorded agent's own summaries", rows: [own] },
        ...kept.map(({ finding }) => finding),
      ],
      bars: kept.flatMap((one) => one.bars),
    };
  },
};
