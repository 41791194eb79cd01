// At the recorded compactions: how much of what the next calls needed does a compacted window still show?

import { isObject, stringsIn } from "../src/lib/index.ts";
import {
  blocksOf,
  type HistoryItem,
  isToolUse,
  type ToolUseBlock,
  userWords,
} from "../src/messages/index.ts";
import { memorySession, prepare, type Session } from "../src/pipeline/index.ts";
import { readableText } from "../src/replay/index.ts";
import { estimateText, estimateTokens, lookupModel } from "../src/tokens/index.ts";
import { readConversation } from "../src/transcript/index.ts";
import type { Bar, Bench } from "./bench.ts";
import { rounded } from "./measure.ts";
import { mapKinds, type NeedKind, type Needs, namedIn, neededOf, needKinds } from "./names.ts";
import { onlyCompaction } from "./onlyCompaction.ts";
import { transcriptsIn } from "./transcripts.ts";

const handle = /\btl:[0-9a-f]{6,64}\b/g;
const NEXT_CALLS = 60;
const IN_A_ROW = 5;
const MODEL = "claude-opus-4-6";
const model = lookupModel(MODEL);
const models = { [MODEL]: { window: 10_000_000 } };

/** The newest messages of this size are what a window of the second size has to beat in every column. */
const [SMALL, LARGE] = [20_000, 30_000];
/** Least percentages in view, of a window of the small size. */
const inView: Readonly<Record<NeedKind, number>> = {
  "long names": 93,
  "names of 8–13": 72,
  "lines of the next edits": 50,
  paths: 80,
  ids: 70,
};
const BY_HANDLE = 97;
const AFTER_ALL = 0.95;

interface Point {
  readonly before: readonly HistoryItem[];
  /** Known before, and used by the next calls. */
  readonly needed: Needs;
  /** What the recorded agent's own compaction showed. */
  readonly recorded: string;
}

function replacedBy({ input }: ToolUseBlock): string[] {
  if (!isObject(input)) return [];
  const edits = Array.isArray(input.edits) ? input.edits : [input];
  return edits.flatMap((edit) => (typeof edit?.old_string === "string" ? [edit.old_string] : []));
}

const textOfItems = (items: readonly HistoryItem[]): string =>
  items.map(({ message }) => readableText(message)).join("\n");

async function pointsOf(file: string): Promise<Point[]> {
  const { items, boundaries } = await readConversation(file);
  return boundaries
    .filter(({ kind }) => kind === "compact")
    .map(({ index }) => {
      const before = items.slice(0, index).filter(({ compactSummary }) => !compactSummary);
      const calls = items
        .slice(index)
        .flatMap(({ message }) => blocksOf(message).filter(isToolUse))
        .slice(0, NEXT_CALLS);
      const inputs = calls.flatMap(({ input }) => stringsIn(input));
      const summary = items.slice(index).find(({ compactSummary }) => compactSummary);
      return {
        before,
        needed: neededOf(inputs, calls.flatMap(replacedBy), namedIn(textOfItems(before))),
        recorded: summary ? readableText(summary.message) : "",
      };
    });
}

/** What a model would see, and what the handles in view give back. */
interface View {
  readonly text: string;
  readonly tokens: number;
  readonly recallable: string;
}

function compact(session: Session, items: readonly HistoryItem[], to: number): View {
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
  return { text, tokens: estimateTokens(messages, { model }), recallable };
}

/** The window at this point after so many compactions, the last one here, the others spread evenly over what was before. */
function compactedTimes({ before }: Point, times: number, to: number): View {
  const session = memorySession("bench", { settings: onlyCompaction, models });
  for (let time = 1; time < times; time++)
    compact(session, before.slice(0, Math.floor((before.length * time) / times)), to);
  return compact(session, before, to);
}

/** The newest messages that fit. */
function plainTail({ before }: Point, most: number): View {
  let [start, tokens] = [before.length, 0];
  for (; start > 0; start--) {
    const message = before[start - 1]?.message;
    const more = message ? estimateTokens([message], { model }) : 0;
    if (tokens + more > most) break;
    tokens += more;
  }
  return { text: textOfItems(before.slice(start)), tokens, recallable: "" };
}

function ownSummary({ recorded }: Point): View {
  return { text: recorded, tokens: estimateText(recorded, model.tokenizer), recallable: "" };
}

const sum = (values: readonly number[]): number => values.reduce((all, one) => all + one, 0);

/** The percentage of what all points need that stands in these texts, by kind. */
function shown(points: readonly Point[], texts: readonly string[]): Record<NeedKind, number> {
  const named = texts.map(namedIn);
  return mapKinds((kind) => {
    const found = points.map(({ needed }, at) => {
      const there = named[at]?.[kind];
      return [...needed[kind]].filter((one) => there?.has(one)).length;
    });
    return rounded((100 * sum(found)) / Math.max(1, sum(points.map(({ needed }) => needed[kind].size))), 1);
  });
}

/** The percentage of the user's messages that are in view or behind a listed handle. */
function userWordsKept(points: readonly Point[], views: readonly View[]): number {
  const kept = points.map(({ before }, at) => {
    const words = before.map(userWords).filter((one) => one !== "");
    const { text = "", recallable = "" } = views[at] ?? {};
    return [
      words.filter((one) => text.includes(one) || recallable.includes(one)).length,
      words.length,
    ] as const;
  });
  return rounded((100 * sum(kept.map(([count]) => count))) / Math.max(1, sum(kept.map(([, all]) => all))), 1);
}

interface Measured {
  readonly row: Readonly<Record<string, string | number>>;
  readonly view: Record<NeedKind, number>;
  readonly reach: Record<NeedKind, number>;
  readonly words: number;
  readonly largest: number;
}

function measured(shownAs: string, points: readonly Point[], views: readonly View[]): Measured {
  const view = shown(
    points,
    views.map(({ text }) => text),
  );
  const reach = shown(
    points,
    views.map(({ text, recallable }) => `${text}\n${recallable}`),
  );
  const words = userWordsKept(points, views);
  const tokens = views.map((one) => one.tokens);
  const percentages = Object.fromEntries(needKinds.map((kind) => [`${kind} %`, view[kind]]));
  const row = {
    shown: shownAs,
    tokens: Math.round(sum(tokens) / Math.max(1, tokens.length)),
    ...percentages,
  };
  return { row, view, reach, words, largest: Math.max(0, ...tokens) };
}

const inTokens = (tokens: number): string => `${tokens.toLocaleString("en-US")} tokens`;

/** Windows of one size, after one compaction and after several, and what has to hold of any size. */
function windowsOf(points: readonly Point[], target: number) {
  const name = `window of ${inTokens(target)}`;
  const windows = (times: number) => points.map((point) => compactedTimes(point, times, target));
  const views = windows(1);
  const once = measured(`${name}`, points, views);
  const often = measured(`${name}, ${IN_A_ROW} compactions`, points, windows(IN_A_ROW));
  const bars: Bar[] = [
    ...[once, often].flatMap(({ reach, words }, at): Bar[] => {
      const when = at === 0 ? name : `${name}, ${IN_A_ROW} compactions`;
      return [
        { what: `long names by a listed handle %, ${when}`, value: reach["long names"], atLeast: BY_HANDLE },
        { what: `user sentences %, ${when}`, value: words, atLeast: 100 },
      ];
    }),
    {
      what: `long names in view after ${IN_A_ROW}, of that after one, ${name}`,
      value: rounded(often.view["long names"] / Math.max(1, once.view["long names"]), 3),
      atLeast: AFTER_ALL,
    },
    {
      what: `tokens of the largest ${name}`,
      value: Math.max(once.largest, often.largest),
      atMost: target,
    },
  ];
  return { once, often, bars, views };
}

/** What holds only for sessions that it was tuned on shows here. */
function halvesOf(sessions: readonly (readonly Point[])[], views: readonly View[]) {
  const numbered = sessions
    .filter(({ length }) => length > 0)
    .flatMap((points, session) => points.map((point) => ({ point, session })))
    .map((one, at) => ({ ...one, view: views[at] }));
  return [0, 1].map((half) => {
    const chosen = numbered.filter(({ session }) => session % 2 === half);
    return measured(
      half === 0 ? "the first, third, … session" : "the second, fourth, … session",
      chosen.map(({ point }) => point),
      chosen.flatMap(({ view }) => view ?? []),
    ).row;
  });
}

function reachRow({ row, reach, words }: Measured) {
  const percentages = Object.fromEntries(needKinds.map((kind) => [`${kind} %`, reach[kind]]));
  return { shown: String(row.shown), ...percentages, "user sentences %": words };
}

export const bench: Bench = {
  name: "retention",
  measures: ["src/compact", "src/pipeline", "src/activity", "src/preview"],
  about: `At recorded compactions: how much of what was known and what the next ${NEXT_CALLS} calls use does the window still show?`,
  usage: "FILE|DIR…",
  async run(args) {
    const sessions = await Promise.all(transcriptsIn(args).map(pointsOf));
    const points = sessions.flat();
    const count = Object.fromEntries(
      needKinds.map((kind) => [kind, sum(points.map(({ needed }) => needed[kind].size))]),
    );
    const tail = measured(
      `newest messages of ${inTokens(SMALL)}`,
      points,
      points.map((point) => plainTail(point, SMALL)),
    );
    const own = measured("the recorded agent's own summary", points, points.map(ownSummary));
    const [small, large] = [windowsOf(points, SMALL), windowsOf(points, LARGE)];
    return {
      findings: [
        { title: "Needed by the next calls", rows: [{ "recorded compactions": points.length, ...count }] },
        {
          title: "In view",
          rows: [small.once.row, small.often.row, large.once.row, large.often.row, tail.row, own.row],
        },
        {
          title: `In view, window of ${inTokens(SMALL)}, every other session with a compaction`,
          rows: halvesOf(sessions, small.views),
        },
        {
          title: "In view or by a listed handle",
          rows: [small.once, small.often, large.once, large.often].map(reachRow),
        },
      ],
      bars: [
        ...needKinds.map((kind) => ({
          what: `${kind} %, ${inTokens(SMALL)}`,
          value: small.once.view[kind],
          atLeast: inView[kind],
        })),
        ...needKinds.map((kind) => ({
          what: `${kind} %, ${inTokens(LARGE)}, against the newest messages of ${inTokens(SMALL)}`,
          value: large.once.view[kind],
          atLeast: tail.view[kind],
        })),
        ...small.bars,
        ...large.bars,
      ],
    };
  },
};
