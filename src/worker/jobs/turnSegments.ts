// Which calls of a turn are observed together, and whether it is time: at the turn's end, after a pause, or when they are many.
import { MINUTE, SECOND } from "../../lib/index.ts";
import type { EventOutline } from "../../store/index.ts";

/** Nothing happened for so long: what was done can be told, even if the turn goes on. */
const QUIET_MS = MINUTE;
/** What was spooled while no worker ran comes in quickly, one batch after the other. */
const ARRIVAL_MS = 3 * SECOND;
/** So many calls are told together at most: a model reads them at once, and a person waits for them. */
const SEGMENT_CALLS = 40;
/** Fewer of them when they hold so much: they are all in memory at once, and outputs are as large as they like. */
const SEGMENT_BYTES = 4 * 1024 * 1024;
/** Calls before a segment that explain it. */
const CONTEXT_CALLS = 30;
const CONTEXT_BYTES = 1024 * 1024;

export interface Segment {
  /** The prompt and the calls before, which were observed already or will be by others. */
  readonly context: readonly EventOutline[];
  readonly calls: readonly EventOutline[];
  /** The end of the turn, when the segment reaches it. */
  readonly stop?: EventOutline;
}

export type SegmentDecision =
  /** How long until it is worth looking again. */
  | { readonly wait: number }
  | {
      readonly segments: readonly Segment[];
      /** The turn was left without an end of its own: another prompt came, or the session ended. */
      readonly isLeft: boolean;
    };

type EventInTurn = Pick<EventOutline, "id" | "kind" | "at" | "agent">;

const isCall = ({ kind }: EventInTurn) => kind === "tool" || kind === "tool-failure";
const isStop = ({ kind }: EventInTurn) => kind === "stop" || kind === "subagent-stop";

/**
 * The events of the turn that an event is in: of the same agent, between the same two prompts by their times. Numbers
 * of prompts tell in which order things became known, which is not always the order in which they happened.
 */
function turnAround(event: EventInTurn, events: readonly EventOutline[]) {
  const own = events.findIndex(({ id }) => id === event.id);
  const from = events.findLastIndex(({ kind }, at) => at < own && kind === "prompt");
  const to = events.findIndex(({ kind }, at) => at > own && kind === "prompt");
  return events
    .slice(Math.max(0, from), to < 0 ? undefined : to)
    .filter(({ kind, agent }) => kind === "prompt" || (agent ?? "") === (event.agent ?? ""));
}

interface Moment {
  readonly now: number;
  /** When the event became known here, which may be long after it happened: others may be on their way in. */
  readonly arrived: number;
}

/** `events`: what is known of the session around `event`, in the order of time, `event` among them. */
export function decideSegments(
  event: EventInTurn,
  events: readonly EventOutline[],
  { now, arrived }: Moment,
): SegmentDecision {
  const turn = turnAround(event, events);
  const own = turn.findIndex(({ id }) => id === event.id);
  const from = turn.findLastIndex((other, at) => at < own && isStop(other)) + 1;
  const stopAt = turn.findIndex((other, at) => at >= own && isStop(other));
  const stop = stopAt < 0 ? undefined : turn[stopAt];
  const part = turn.slice(from, stopAt < 0 ? undefined : stopAt);
  // Who works on a call takes along what came after it; who works on the end, everything before it.
  const since = isStop(event)
    ? 0
    : Math.max(
        0,
        part.findIndex(({ id }) => id === event.id),
      );
  const calls = part.slice(since).filter(isCall);
  const isLeft =
    stop === undefined &&
    events.some(
      ({ kind, at }) => (kind === "prompt" && at > event.at) || (kind === "session-end" && at >= event.at),
    );
  const newest = Math.max(...part.map(({ at }) => Date.parse(at)));
  const settledIn = arrived + ARRIVAL_MS - now;
  const isOver = stop !== undefined || isLeft || calls.length >= SEGMENT_CALLS;
  const wait = Math.max(settledIn, isOver ? 0 : newest + QUIET_MS - now);
  if (wait > 0) return { wait };
  const before = [...turn.slice(0, from), ...part.slice(0, since)];
  return { segments: inParts(calls, before, stop), isLeft };
}

function inParts(
  calls: readonly EventOutline[],
  context: readonly EventOutline[],
  stop: EventOutline | undefined,
) {
  const segments: Segment[] = [];
  for (let at = 0; at === 0 || at < calls.length; ) {
    // A single one is taken whatever it holds.
    const end = at + Math.max(1, howManyFit(calls.slice(at, at + SEGMENT_CALLS), SEGMENT_BYTES));
    const nearest = [...context, ...calls.slice(0, at)].slice(-CONTEXT_CALLS);
    const fitting = howManyFit([...nearest].reverse(), CONTEXT_BYTES);
    segments.push({
      context: nearest.slice(nearest.length - fitting),
      calls: calls.slice(at, end),
      ...(end >= calls.length && stop && { stop }),
    });
    at = end;
  }
  return segments;
}

/** Of the first so many, all together hold no more than this. */
function howManyFit(events: readonly EventOutline[], most: number) {
  let held = 0;
  const tooMuch = events.findIndex(({ bytes }) => {
    held += bytes;
    return held > most;
  });
  return tooMuch < 0 ? events.length : tooMuch;
}
