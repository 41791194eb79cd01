// Where a collapse may cut: whole rounds and turns before the newest messages, scored by what hiding them gives and costs.

import { namesKnownFrom, namesUsedIn, tailStart } from "../../compact/index.ts";
import type { StagedSpan } from "../../ledger/index.ts";
import { broughtBackItems } from "../../legality/index.ts";
import { sumOf } from "../../lib/index.ts";
import { blocksOf, type History, type HistoryItem, isThinking, isUserInput } from "../../messages/index.ts";
import { lastAssistantIn, type PlanContext } from "../planContext.ts";
import type { CollapseSettings } from "../settings.ts";

/** Part of a view that may become one placeholder. */
interface CollapsibleSpan {
  readonly start: number;
  /** Index behind its last item. */
  readonly end: number;
  readonly tokens: number;
  /** Tokens it frees, if its placeholder takes all it may. */
  readonly freed: number;
  /** Larger for what is large, old and not used again. */
  readonly score: number;
}

/** At most this share of the room is kept from spans as the newest messages, however small the window. */
const UNTOUCHED_SHARE = 0.4;
/** With this many names that were used again behind it, a span counts half. */
const HALF_USED = 10;

/** What a span must not contain, and where it must end. */
export interface CollapseGround {
  readonly view: History;
  /** Index of the first of the newest messages, which stay. */
  readonly end: number;
  mayGo(item: HistoryItem): boolean;
  /** The two stand side by side in the client's own conversation too: nothing that may come back is between them. */
  follows(before: HistoryItem, after: HistoryItem): boolean;
}

export function groundFor(context: PlanContext, view: History, room: number): CollapseGround {
  const { history, pinned, broughtBack, legality, settings, weigh, entries, active } = context;
  const places = new Map(history.map(({ id }, at) => [id, at]));
  const returned = broughtBackItems(entries, active, history);
  const request = context.view[legality.turnStart]?.id;
  const isBack = ({ message }: HistoryItem) =>
    broughtBack.size > 0 &&
    blocksOf(message).some(({ id, tool_use_id }) => broughtBack.has(String(tool_use_id ?? id)));
  const tail = tailStart(view, Math.min(settings.collapse.tail, room * UNTOUCHED_SHARE), weigh);
  return {
    view,
    end: Math.min(tail, Math.max(0, lastAssistantIn(view))),
    mayGo: (item) =>
      places.has(item.id) &&
      item.id !== request &&
      !pinned.has(item.id) &&
      !returned.has(item.id) &&
      !isBack(item),
    follows: (before, after) => {
      const between = history.slice((places.get(before.id) ?? 0) + 1, places.get(after.id) ?? 0);
      return between.every(({ message }) => blocksOf(message).every(isThinking));
    },
  };
}

/** The spans of a view that could go, in their order. */
export function findSpans(
  ground: CollapseGround,
  settings: CollapseSettings,
  weigh: (item: HistoryItem) => number,
) {
  const { view } = ground;
  const cuts = cutsOf(view).filter((at) => at <= ground.end);
  const found: Omit<CollapsibleSpan, "score">[] = [];
  let open: { start: number; end: number; tokens: number } | undefined;
  const close = () => {
    if (open && open.tokens >= settings.smallest)
      found.push({ ...open, freed: freedOf(open.tokens, settings) });
    open = undefined;
  };
  for (const [index, start] of cuts.slice(0, -1).entries()) {
    const end = cuts[index + 1] ?? start;
    const mayGo = isWholeSpan(ground, start, end);
    const tokens = mayGo ? sumOf(view.slice(start, end), weigh) : 0;
    if (!mayGo || (open && !joins(ground, open, start, tokens, settings))) close();
    if (mayGo) open = { start: open?.start ?? start, end, tokens: (open?.tokens ?? 0) + tokens };
  }
  close();
  return scored(found, view, weigh);
}

/** Places at which no call waits for its result and a placeholder may stand on either side. */
function cutsOf(view: History) {
  const waiting = new Set<unknown>();
  const cuts: number[] = [];
  view.forEach((item, at) => {
    const { role } = item.message;
    const before = view[at - 1]?.message.role;
    const opens = at === 0 || isUserInput(item) || (role === "assistant" && before !== "assistant");
    if (opens && waiting.size === 0 && role !== "system" && before !== "system") cuts.push(at);
    for (const block of blocksOf(item.message)) {
      if (block.type === "tool_use") waiting.add(block.id);
      else if (block.type === "tool_result") waiting.delete(block.tool_use_id);
    }
  });
  return cuts;
}

/** Nothing from `start` to before `end` has to stay, and nothing that could come back is missing in it. */
function isWholeSpan({ view, mayGo, follows }: CollapseGround, start: number, end: number) {
  for (let at = start; at < end; at++) {
    const [item, next] = [view[at], view[at + 1]];
    if (!item || !mayGo(item)) return false;
    if (at + 1 < end && next && mayGo(next) && !follows(item, next)) return false;
  }
  return true;
}

/** Rounds are gathered up to the largest size; a span that is half as large ends where a user turn does. */
function joins(
  { view, follows }: CollapseGround,
  open: { readonly end: number; readonly tokens: number },
  start: number,
  tokens: number,
  { largest }: CollapseSettings,
) {
  const [last, next] = [view[open.end - 1], view[start]];
  if (!last || !next || !follows(last, next) || open.tokens + tokens > largest) return false;
  return !(isUserInput(next) && open.tokens >= largest / 2);
}

/** From the newest to the oldest, so that what is used behind a span is known when it is judged. */
function scored(
  spans: readonly Omit<CollapsibleSpan, "score">[],
  view: History,
  weigh: (item: HistoryItem) => number,
) {
  const total = Math.max(1, sumOf(view, weigh));
  const used = new Set<string>();
  let behind = 0;
  let at = view.length;
  return spans
    .toReversed()
    .map((span): CollapsibleSpan => {
      for (; at > span.end; at--) {
        const item = view[at - 1];
        if (!item) continue;
        behind += weigh(item);
        for (const name of namesUsedIn(item)) used.add(name);
      }
      const known = new Set(view.slice(span.start, span.end).flatMap((item) => [...namesKnownFrom(item)]));
      const usedAgain = [...known].filter((name) => used.has(name)).length;
      const score = (span.freed * (behind / total)) / (1 + usedAgain / HALF_USED);
      return { ...span, score: Math.round(score) };
    })
    .toReversed();
}

/** The best spans until `need` tokens are freed, in the order of the view. */
export function pickSpans(spans: readonly CollapsibleSpan[], need: number) {
  let left = need;
  return [...spans]
    .sort((a, b) => b.score - a.score || a.start - b.start)
    .filter(({ freed }) => {
      const wanted = left > 0 && freed > 0;
      if (wanted) left -= freed;
      return wanted;
    })
    .sort((a, b) => a.start - b.start);
}

/** Tokens the placeholder of a span of that size may take. */
export function placeholderBudget(tokens: number, { summary, summaryShare }: CollapseSettings) {
  return Math.min(summary, Math.round(tokens * summaryShare));
}

/** Tokens that a span of that size frees, if its placeholder takes all it may. */
export function freedOf(tokens: number, settings: CollapseSettings) {
  return tokens - placeholderBudget(tokens, settings);
}

/** A span by the names of its first and last message, as a snapshot holds it. */
export function asStaged(span: CollapsibleSpan, view: History): StagedSpan {
  return {
    firstArchivedUuid: view[span.start]?.id ?? "",
    lastArchivedUuid: view[span.end - 1]?.id ?? "",
    tokens: Math.round(span.tokens),
    score: span.score,
  };
}

/** Where staged spans stand now; those that may not go any more are left out. */
export function locateStagedSpans(
  staged: readonly StagedSpan[],
  ground: CollapseGround,
): { readonly span: StagedSpan; readonly start: number; readonly end: number }[] {
  return staged.flatMap((span) => {
    const start = ground.view.findIndex(({ id }) => id === span.firstArchivedUuid);
    const end = ground.view.findIndex(({ id }) => id === span.lastArchivedUuid) + 1;
    const stands = start >= 0 && end > start && end <= ground.end && isWholeSpan(ground, start, end);
    return stands ? [{ span, start, end }] : [];
  });
}
