// What the window held at every request of a recorded session, part by part, in tokens.

import { apply, type LedgerEntry } from "../ledger/index.ts";
import { sumOf } from "../lib/index.ts";
import {
  type Block,
  blocksOf,
  type HistoryItem,
  isToolResult,
  promptTokens,
  textOf,
  type Usage,
} from "../messages/index.ts";
import { CLEARED } from "../pipeline/index.ts";
import { type RecordedSession, recordSession } from "../replay/index.ts";
import { estimateMessage, estimateText, type ModelOverrides } from "../tokens/index.ts";
import { type Conversation, type TranscriptItem, windowItems } from "../transcript/index.ts";
import { type WindowPart, type WindowPoint, windowParts } from "./model.ts";

/** What became of a result: put aside before it was sent, or emptied later. `hidden` are the tokens that left with it. */
interface Treatment {
  readonly part: "spilled" | "cleared";
  readonly from: number;
  readonly hidden: number;
}

/** A session and all that was decided about its window. */
export interface Recording {
  readonly conversation: Conversation;
  readonly entries: readonly LedgerEntry[];
  readonly session: RecordedSession;
}

export function recordingOf(
  conversation: Conversation,
  entries: readonly LedgerEntry[],
  overrides: ModelOverrides,
): Recording {
  return { conversation, entries, session: recordSession("inspected", conversation, { overrides }) };
}

/** What a request was made of that was answered at `at` by the item at `index`. */
export function windowAt({ conversation, entries }: Recording, index: number, at: number) {
  const shown = windowItems({
    items: conversation.items.slice(0, index),
    boundaries: conversation.boundaries.filter((boundary) => boundary.index <= index),
  });
  const known = entries.filter((entry) => Date.parse(entry.at) <= at);
  return known.some(({ by }) => by === "here") ? [...apply(shown, known).items] : shown;
}

/** Whether a result's text is what stands there for something larger. */
const standsFor = (text: string) => text.trimStart().startsWith("<persisted-output>");

function treatments({ conversation, entries }: Recording): ReadonlyMap<string, Treatment> {
  const all = new Map<string, Treatment>();
  for (const { kind, at = 0, ...boundary } of conversation.boundaries) {
    if (kind !== "microcompact" || !("compactedToolIds" in boundary)) continue;
    for (const id of boundary.compactedToolIds) all.set(id, { part: "cleared", from: at, hidden: 0 });
  }
  for (const { edit, level, at, tokens, by } of entries) {
    if (edit.kind !== "replace-result") continue;
    const part = level === "budget" ? "spilled" : "cleared";
    // What the host stored instead is all that its transcript has; what we replace stands there in full.
    const hidden = by === "host" && tokens ? Math.max(0, tokens.before - tokens.after) : 0;
    all.set(edit.toolUseId, { part, from: Date.parse(at), hidden });
  }
  return all;
}

type Weights = Partial<Record<WindowPart, number>>;

export const totalOf = (weights: Weights) => sumOf(Object.values(weights), (tokens) => tokens);

interface Scales {
  readonly treated: ReadonlyMap<string, Treatment>;
  readonly known: ReadonlySet<string>;
  readonly session: RecordedSession;
}

function windowPart(item: HistoryItem, block: Block, at: number, { treated, known }: Scales): WindowPart {
  if (item.compactSummary || !known.has(item.id)) return "summary";
  if (isToolResult(block)) {
    const treatment = treated.get(block.tool_use_id);
    if (treatment && treatment.from <= at) return treatment.part;
    const text = textOf(block.content);
    return standsFor(text) ? "spilled" : text.startsWith(CLEARED) ? "cleared" : "results";
  }
  return item.message.role === "assistant" ? "assistant" : "user";
}

function weighItem(item: HistoryItem, at: number, scales: Scales) {
  const { tokenizer } = scales.session.model;
  const { role } = item.message;
  const blocks = blocksOf(item.message).map((block) => ({
    part: windowPart(item, block, at, scales),
    tokens: estimateMessage({ role, content: [block] }, tokenizer),
  }));
  const sum = sumOf(blocks, ({ tokens }) => tokens);
  const scale = sum === 0 ? 0 : scales.session.weigh(item) / sum;
  const placeholder = estimateText(CLEARED, tokenizer);
  const weights: Weights = {};
  for (const { part, tokens } of blocks) {
    const scaled = tokens * scale;
    weights[part] = (weights[part] ?? 0) + (part === "cleared" ? Math.min(placeholder, scaled) : scaled);
  }
  return weights;
}

const noTokens = Object.fromEntries(windowParts.map((part) => [part, 0])) as Record<WindowPart, number>;

/** Shares of the messages beyond this were not the tokenizer's doing: something else was in the prompt. */
const BELIEVABLE_SHARE = { from: 0.6, to: 1.7 };

/** The parts brought to the total that was reported; what cannot be told from the messages is the system's. */
function broughtTo(weights: Weights, total: number, fixed: number): Record<WindowPart, number> {
  const sum = totalOf(weights);
  const share = sum === 0 ? 1 : (total - fixed) / sum;
  const scale = share >= BELIEVABLE_SHARE.from && share <= BELIEVABLE_SHARE.to ? share : 1;
  const parts: Record<WindowPart, number> = { ...noTokens };
  for (const [part, tokens] of Object.entries(weights))
    parts[part as WindowPart] = Math.round(tokens * scale);
  return { ...parts, system: Math.max(0, Math.round(total - totalOf(parts))) };
}

/** Rows that a compaction put back were said before it: they are in sight a second time, and no news. */
const isNews = ({ compactSummary, isApiError, isCopy }: TranscriptItem) =>
  !compactSummary && !isApiError && !isCopy;

/** For every index of the items, the tokens of all that was said before it. */
function tokensBefore({ conversation, session }: Recording) {
  const sums = [0];
  for (const item of conversation.items)
    sums.push((sums.at(-1) ?? 0) + (isNews(item) ? session.weigh(item) : 0));
  return sums;
}

const hiddenAt = (treated: Scales["treated"], at: number) =>
  sumOf([...treated.values()], ({ from, hidden }) => (from <= at ? hidden : 0));

/** How many of some sorted times are not after `at`. */
function countUntil(times: readonly number[], at: number) {
  let [low, high] = [0, times.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((times[middle] ?? 0) <= at) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Weights of items, each computed once for every state of its results. */
function makeWeigher(scales: Scales) {
  const known = new WeakMap<HistoryItem, { readonly state: number; readonly weights: Weights }>();
  const stateOf = ({ message }: HistoryItem, at: number) =>
    blocksOf(message).filter(
      (block) =>
        isToolResult(block) &&
        (scales.treated.get(block.tool_use_id)?.from ?? Number.POSITIVE_INFINITY) <= at,
    ).length;
  return (item: HistoryItem, at: number) => {
    const state = scales.treated.size === 0 ? 0 : stateOf(item, at);
    const before = known.get(item);
    if (before?.state === state) return before.weights;
    const weights = weighItem(item, at, scales);
    known.set(item, { state, weights });
    return weights;
  };
}

interface Tally {
  /** What decides the window beside its newest items: boundaries, entries and treatments so far. */
  readonly version: string;
  /** How many items have been taken in. */
  readonly taken: number;
  readonly weights: Weights;
  readonly inSight: number;
  readonly hidden: number;
}

/** Tallies windows request by request: while nothing is decided, a window is the one before it and what was said since. */
function makeTallier(recording: Recording, scales: Scales) {
  const { conversation, entries } = recording;
  const weigh = makeWeigher(scales);
  const ascending = (times: readonly number[]) => times.toSorted((a, b) => a - b);
  const places = ascending(conversation.boundaries.map(({ index }) => index));
  const decided = ascending(entries.map(({ at }) => Date.parse(at)));
  const treatedFrom = ascending([...scales.treated.values()].map(({ from }) => from));
  let last: Tally | undefined;
  return (index: number, at: number): Tally => {
    const version = [countUntil(places, index), countUntil(decided, at), countUntil(treatedFrom, at)].join();
    const continues = last?.version === version && last.taken <= index ? last : undefined;
    const items = continues
      ? windowItems({ items: conversation.items.slice(continues.taken, index), boundaries: [] })
      : windowAt(recording, index, at);
    const weights: Weights = { ...continues?.weights };
    let inSight = continues?.inSight ?? 0;
    for (const item of items) {
      for (const [part, tokens] of Object.entries(weigh(item, at))) {
        weights[part as WindowPart] = (weights[part as WindowPart] ?? 0) + tokens;
        if (part !== "summary") inSight += tokens;
      }
    }
    const hidden = continues?.hidden ?? hiddenAt(scales.treated, at);
    last = { version, taken: index, weights, inSight, hidden };
    return last;
  };
}

const shownUsage = ({ input, cacheRead, cacheWrite5m, cacheWrite1h, output }: Usage) => ({
  input,
  cacheRead,
  cacheWrite: cacheWrite5m + cacheWrite1h,
  output,
});

/** One point a request, in the order in which they were made. */
export function windowPoints(recording: Recording): WindowPoint[] {
  const { conversation, session } = recording;
  const treated = treatments(recording);
  const known = new Set(conversation.items.map(({ id }) => id));
  const scales: Scales = { treated, known, session };
  const said = tokensBefore(recording);
  const answered = conversation.requests.filter(({ usage }) => promptTokens(usage) > 0);
  const tally = makeTallier(recording, scales);
  return answered.map(({ itemIndex, usage, model, at: answeredAt }) => {
    // What was decided for a request was decided before its answer came.
    const at = answeredAt ?? conversation.items[itemIndex - 1]?.at ?? 0;
    const { weights, inSight, hidden } = tally(itemIndex, at);
    return {
      at: new Date(at).toISOString(),
      model: model ?? session.model.id,
      tokens: broughtTo(weights, promptTokens(usage), session.fixed),
      outOfSight: Math.max(0, Math.round((said[itemIndex] ?? 0) - inSight + hidden)),
      usage: shownUsage(usage),
    };
  });
}
