// Which calls of a turn are observed together, and whether it is time: at the turn's end, after a pause, or when they are many.
import { MINUTE } from "../lib/index.ts";
import type { StoredEvent } from "../store/index.ts";

/** Nothing happened for so long: what was done can be told, even if the turn goes on. */
export const QUIET_MS = MINUTE;
/** So many calls are told together at most: a model reads them at once, and a person waits for them. */
export const SEGMENT_CALLS = 40;
/** Calls before a segment that explain it. */
const CONTEXT_CALLS = 30;

export interface Segment {
  /** The prompt and the calls before, which were observed already or will be by others. */
  readonly context: readonly StoredEvent[];
  readonly calls: readonly StoredEvent[];
  /** The end of the turn, when the segment reaches it. */
  readonly stop?: StoredEvent;
}

export type SegmentDecision =
  /** How long until it is worth looking again. */
  | { readonly wait: number }
  | {
      readonly segments: readonly Segment[];
      /** The turn was left without an end of its own: somebody spoke, or the session ended. */
      readonly isLeft: boolean;
    };

const isCall = ({ kind }: StoredEvent): boolean => kind === "tool" || kind === "tool-failure";
const isStop = ({ kind }: StoredEvent): boolean => kind === "stop" || kind === "subagent-stop";

const sameTurn = (a: StoredEvent, b: StoredEvent): boolean =>
  a.promptNumber === b.promptNumber && (a.agent ?? "") === (b.agent ?? "");

/** `events`: what is known of the session around `event`, in the order of time, `event` among them. */
export function decideSegments(
  event: StoredEvent,
  events: readonly StoredEvent[],
  now: number,
): SegmentDecision {
  const turn = events.filter((other) => sameTurn(other, event));
  const own = turn.findIndex(({ id }) => id === event.id);
  const from = turn.findLastIndex((other, at) => at < own && isStop(other)) + 1;
  const stopAt = turn.findIndex((other, at) => at >= own && isStop(other));
  const stop = stopAt < 0 ? undefined : turn[stopAt];
  const part = turn.slice(from, stopAt < 0 ? undefined : stopAt);
  const calls = part.filter(isCall);
  const isLeft =
    stop === undefined &&
    events.some(
      ({ kind, promptNumber, at }) =>
        promptNumber > event.promptNumber || (kind === "session-end" && at >= event.at),
    );
  const newest = Math.max(...part.map(({ at }) => Date.parse(at)));
  const quietIn = newest + QUIET_MS - now;
  const isTime = stop !== undefined || isLeft || quietIn <= 0 || calls.length >= SEGMENT_CALLS;
  if (!isTime) return { wait: quietIn };
  const before = turn.slice(0, from);
  return { segments: inParts(calls, [...before, ...part.filter((other) => !isCall(other))], stop), isLeft };
}

function inParts(
  calls: readonly StoredEvent[],
  context: readonly StoredEvent[],
  stop: StoredEvent | undefined,
): Segment[] {
  const segments: Segment[] = [];
  for (let at = 0; at === 0 || at < calls.length; at += SEGMENT_CALLS) {
    const isLast = at + SEGMENT_CALLS >= calls.length;
    segments.push({
      context: [...context, ...calls.slice(0, at)].slice(-CONTEXT_CALLS),
      calls: calls.slice(at, at + SEGMENT_CALLS),
      ...(isLast && stop !== undefined ? { stop } : {}),
    });
  }
  return segments;
}
