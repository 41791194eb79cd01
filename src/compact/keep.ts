// Where the kept messages begin: by the notes' last message, by size, and never through a tool pair.

import { sumOf } from "../lib/index.ts";
import { blocksOf, type History, type HistoryItem, isText } from "../messages/index.ts";

interface KeepLimits {
  readonly minTokens: number;
  readonly minTextMessages: number;
  readonly maxTokens: number;
}

export const defaultKeepLimits: KeepLimits = { minTokens: 10_000, minTextMessages: 5, maxTokens: 40_000 };

/** Why the kept range begins where it does. */
type KeepReason = "enough" | "reached-minimum" | "reached-maximum" | "reached-floor";

interface KeepFrom {
  /** Index of the first kept message. */
  readonly start: number;
  readonly reason: KeepReason;
  /** The start was moved back so that no tool result loses its call. */
  readonly adjusted: boolean;
}

interface KeepInput {
  readonly items: History;
  /** Id of the last message that the summary has taken in; undefined when that is not known. */
  readonly lastSummarized: string | undefined;
  /** Index that the kept range must not cross: the last boundary. */
  readonly floor: number;
  readonly limits?: KeepLimits;
  weigh(item: HistoryItem): number;
}

/**
 * Everything behind the last summarized message is kept. If that is less than the minimum, earlier messages join it
 * one by one until both minima are met, the maximum is reached, or the floor stops it.
 */
export function keepFrom({
  items,
  lastSummarized,
  floor,
  limits = defaultKeepLimits,
  weigh,
}: KeepInput): KeepFrom {
  const last = items.findIndex(({ id }) => id === lastSummarized);
  let start = lastSummarized === undefined || last < 0 ? items.length : Math.max(last + 1, floor);
  let tokens = sumOf(items.slice(start), weigh);
  let texts = items.slice(start).filter(hasText).length;
  const isEnough = () => tokens >= limits.minTokens && texts >= limits.minTextMessages;
  let reason: KeepReason = isEnough() ? "enough" : "reached-floor";
  for (let at = start - 1; reason === "reached-floor" && at >= floor; at--) {
    const item = items[at];
    if (!item) break;
    tokens += weigh(item);
    if (hasText(item)) texts++;
    start = at;
    if (tokens >= limits.maxTokens) reason = "reached-maximum";
    else if (isEnough()) reason = "reached-minimum";
  }
  const whole = withWholePairs(items, start);
  return { start: whole, reason, adjusted: whole !== start };
}

function hasText({ message }: HistoryItem) {
  return blocksOf(message).some((block) => isText(block) && block.text.trim() !== "");
}

/** The nearest start at or before `start` from which on every tool result has its call. */
export function withWholePairs(items: History, start: number) {
  let from = start;
  for (;;) {
    const missing = missingCalls(items, from);
    if (missing.size === 0) return from;
    const call = items.findLastIndex(
      ({ message }, at) => at < from && blocksOf(message).some(({ id }) => missing.has(id)),
    );
    if (call < 0) return from;
    from = call;
  }
}

function missingCalls(items: History, from: number) {
  const called = new Set<unknown>();
  const missing = new Set<unknown>();
  for (const { message } of items.slice(from)) {
    for (const block of blocksOf(message)) {
      if (block.type === "tool_use") called.add(block.id);
      else if (block.type === "tool_result" && !called.has(block.tool_use_id)) missing.add(block.tool_use_id);
    }
  }
  return missing;
}

/**
 * The earliest start whose messages weigh at most `budget`, at a place where a conversation can begin behind a
 * summary. `items.length` when not even the last round fits.
 */
export function tailStart(items: History, budget: number, weigh: (item: HistoryItem) => number) {
  const awaited = new Set<unknown>();
  let tokens = 0;
  let best = items.length;
  for (let at = items.length - 1; at >= 0; at--) {
    const item = items[at];
    if (!item) break;
    tokens += weigh(item);
    if (tokens > budget) break;
    for (const block of blocksOf(item.message)) {
      if (block.type === "tool_result") awaited.add(block.tool_use_id);
      else if (block.type === "tool_use") awaited.delete(block.id);
    }
    if (item.message.role !== "system" && awaited.size === 0) best = at;
  }
  return best;
}
