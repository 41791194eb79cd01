// Where a compaction cuts: which messages of the window leave, and which stay word for word.
import { keepFrom, type SessionNotes, tailStart, withWholePairs } from "../../compact/index.ts";
import { broughtInId } from "../../ledger/index.ts";
import { blocksOf, type History, isToolUse } from "../../messages/index.ts";
import type { PlanContext } from "../planContext.ts";

/** Indices into the window: the first message that leaves, and the first behind them that stays. */
export interface WindowCut {
  readonly first: number;
  readonly start: number;
}

/** A chosen part: `partial` leaves what is before the pivot, `partial-up-to` what begins with it. */
export interface ChosenPart {
  readonly mode: "partial" | "partial-up-to";
  readonly pivot: string;
}

/** At most this share of what is allowed is kept word for word: in a small window the summary tells more. */
const TAIL_SHARE = 0.25;
/** What no summary needs goes to the newest messages, whatever their share. */
const MOST_FOR_SUMMARY = 40_000;

/** The newest messages stay, as many as their share allows; a call that waits for its result always does. */
export function tailCut({ settings, weigh }: PlanContext, view: History, allowed: number): WindowCut {
  const { tail } = settings.autocompact;
  const share = Math.max(allowed * TAIL_SHARE, allowed - MOST_FOR_SUMMARY);
  const start = tailStart(view, Math.min(tail, share), weigh);
  return { first: 0, start: Math.min(start, endOfClosed(view)) };
}

/** Undefined when the pivot is not in the window. No call is parted from its result. */
export function partCut(view: History, { mode, pivot }: ChosenPart): WindowCut | undefined {
  const at = view.findIndex(({ id }) => id === pivot);
  if (at < 0) return undefined;
  const whole = withWholePairs(view, at);
  if (mode === "partial-up-to") return { first: 0, start: whole };
  return { first: whole, start: endOfClosed(view) };
}

/**
 * What the notes do not know yet stays, and with it so much of what is before that the work can go on; or why the
 * notes cannot be used.
 */
export function notesCut(
  context: PlanContext,
  view: History,
  { lastSummarizedId }: SessionNotes,
): WindowCut | string {
  const { active, weigh } = context;
  const floor = behindLastSummary(view, active);
  const known = lastSummarizedId === undefined ? -1 : (context.positionOf(lastSummarizedId) ?? -1);
  if (lastSummarizedId !== undefined && known < 0) return "the notes are of another conversation";
  if (floor > 0 && known < originalsBefore(context, view, floor) - 1)
    return "the notes end before the last compaction";
  const lastSummarized = known < 0 ? undefined : lastTakenIn(context, view, known, floor);
  return { first: 0, start: keepFrom({ items: view, lastSummarized, floor, weigh }).start };
}

/** How many original messages there are before the first that the window shows from an index on. */
export function originalsBefore({ history, positionOf }: Positions, view: History, index: number) {
  let first = history.length;
  for (let at = index; at < view.length; at++) {
    const position = positionOf(view[at]?.id ?? "");
    if (position !== undefined && position < first) first = position;
  }
  return first;
}

/** The original messages among those of a window, in their order. */
export function originalsIn({ history, positionOf }: Positions, items: History): History {
  const places = items.flatMap(({ id }) => positionOf(id) ?? []).sort((a, b) => a - b);
  return places.flatMap((at) => history[at] ?? []);
}

type Positions = Pick<PlanContext, "history" | "positionOf">;

/** The last message of the window that the notes know; the summary at its front when they end before it. */
function lastTakenIn({ positionOf }: Positions, view: History, known: number, floor: number) {
  const behind = view.findIndex(({ id }, at) => at >= floor && (positionOf(id) ?? -1) > known);
  return view[(behind < 0 ? view.length : behind) - 1]?.id;
}

/** Where the messages begin that no earlier compaction has replaced. */
export function behindLastSummary(view: History, active: PlanContext["active"]) {
  const last = active.findLast(({ edit, by }) => edit.kind === "replace-prefix" && by === "here");
  if (last?.edit.kind !== "replace-prefix") return 0;
  const ids = new Set(last.edit.messages.map((_, index) => broughtInId(last.id, index)));
  return view.findLastIndex(({ id }) => ids.has(id)) + 1;
}

/** A call at the end waits for its result: nothing may come behind it. */
export function endsOpen(view: History) {
  const last = view.at(-1);
  return last?.message.role === "assistant" && blocksOf(last.message).some(isToolUse);
}

/** Where the window ends without a call that waits for its result: that one always stays. */
export function endOfClosed(view: History) {
  return endsOpen(view) ? view.findLastIndex(({ message }) => message.role !== "assistant") + 1 : view.length;
}
