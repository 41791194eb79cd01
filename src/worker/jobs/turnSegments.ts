// Which calls of a turn are observed together, and whether it is time: at the turn's end, after a pause, or when they are many.
import { MINUTE, SECOND } from "../../lib/index.ts";
import type { EventOutline, EventStore } from "../../store/index.ts";

/** Events of the session on each side that are looked at, and only a segment's are read: a turn has no size. */
const NEIGHBOUR_EVENTS = 200;

/** Nothing happened for so long: what was done can be told, even if the turn goes on. */
const TURN_QUIET_MS = MINUTE;
/** What was spooled while no worker ran comes in quickly, one batch after the other. */
const ARRIVAL_MS = 3 * SECOND;
/** An event of a call that is later than the end of its turn is so by the time that a process takes to start on a busy machine. */
const LATE_MS = 2 * SECOND;
/** So many calls are told together at most: a model reads them at once, and a person waits for them. */
const SEGMENT_CALLS = 40;
/** Fewer of them when they hold so much: they are all in memory at once, and outputs are as large as they like. */
const SEGMENT_BYTES = 4 * 1024 * 1024;
/** Calls before a segment that explain it. */
const CONTEXT_CALLS = 30;
const CONTEXT_BYTES = 1024 * 1024;

export interface Segment {
  /**
   * What is read of it, in the order of time: the end of the turn before, which the prompt answers, the prompt, calls before that
   * explain these, the calls, the agent's own summary where the conversation was compacted, and the end.
   */
  readonly events: readonly EventOutline[];
  readonly calls: readonly EventOutline[];
  /** The end of the turn, when the segment reaches it. */
  readonly stop?: EventOutline;
  readonly promptNumber: number;
  /** Subagents worked in this turn, which are observed by themselves. */
  readonly reported: boolean;
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

const isToolEvent = ({ kind }: EventInTurn) => kind === "tool" || kind === "tool-failure";
const isStop = ({ kind }: EventInTurn) => kind === "stop" || kind === "subagent-stop";

/** In the order of time, the event and its prompt among them. */
export async function eventsAround(
  store: Pick<EventStore, "eventOutlines">,
  { session, at }: Pick<EventOutline, "session" | "at">,
) {
  const behind = new Date(Date.parse(at) + 1).toISOString();
  const [prompts, before, after] = await Promise.all([
    store.eventOutlines({ session, kind: "prompt", to: behind, order: "newest", limit: 1 }),
    store.eventOutlines({ session, to: behind, order: "newest", limit: NEIGHBOUR_EVENTS }),
    store.eventOutlines({ session, from: behind, order: "oldest", limit: NEIGHBOUR_EVENTS }),
  ]);
  const known = new Set(before.items.map(({ id }) => id));
  return [
    ...prompts.items.filter(({ id }) => !known.has(id)),
    ...[...before.items].reverse(),
    ...after.items,
  ];
}

/**
 * The events of the turn that an event is in, between the same two prompts by their times, and the end of the turn before. Numbers
 * of prompts tell in which order things became known, which is not always the order in which they happened.
 */
function turnAround(event: EventInTurn, events: readonly EventOutline[]) {
  const own = events.findIndex(({ id }) => id === event.id);
  const from = Math.max(
    0,
    events.findLastIndex(({ kind }, at) => at < own && kind === "prompt"),
  );
  const to = events.findIndex(({ kind }, at) => at > own && kind === "prompt");
  return {
    during: events.slice(from, to < 0 ? undefined : to),
    before: events.slice(0, from).findLast(({ kind, agent }) => kind === "stop" && agent === undefined),
  };
}

/**
 * The hook of a call runs beside the agent, so that the event of the last call may carry a later time than the end of its turn.
 * Without another end behind it, it belongs to the turn that ended.
 */
function callsBeforeEnd(turn: readonly EventOutline[]) {
  const at = turn.findLastIndex(isStop);
  const stop = turn[at];
  if (!stop) return turn;
  const latest = Date.parse(stop.at) + LATE_MS;
  const isLate = (one: EventOutline) => isToolEvent(one) && Date.parse(one.at) <= latest;
  const behind = turn.slice(at + 1);
  return [...turn.slice(0, at), ...behind.filter(isLate), stop, ...behind.filter((one) => !isLate(one))];
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
  const { during, before } = turnAround(event, events);
  const turn = callsBeforeEnd(
    during.filter(({ kind, agent }) => kind === "prompt" || (agent ?? "") === (event.agent ?? "")),
  );
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
  const calls = part.slice(since).filter(isToolEvent);
  const isLeft =
    stop === undefined &&
    events.some(
      ({ kind, at }) => (kind === "prompt" && at > event.at) || (kind === "session-end" && at >= event.at),
    );
  const newest = Math.max(...part.map(({ at }) => Date.parse(at)));
  const settledIn = arrived + ARRIVAL_MS - now;
  const isOver = stop !== undefined || isLeft || calls.length >= SEGMENT_CALLS;
  const wait = Math.max(settledIn, isOver ? 0 : newest + TURN_QUIET_MS - now);
  if (wait > 0) return { wait };
  const context = [...turn.slice(0, from), ...part.slice(0, since)];
  const reported = during.some(({ agent }) => agent !== undefined);
  // A subagent was not asked by the person.
  const asked = event.agent === undefined ? during.find(({ kind }) => kind === "prompt") : undefined;
  const compacted = event.agent === undefined ? during.findLast(isSummary) : undefined;
  const around = { asked, before: asked && before, compacted };
  const segments = inParts(calls, context, stop).map((one) => {
    const [first] = [...one.calls, ...(one.stop ? [one.stop] : [])];
    const { promptNumber = 0 } = during.find(({ kind }) => kind === "prompt") ?? first ?? {};
    return { ...one, events: eventsOf(one, around), promptNumber, reported };
  });
  return { segments, isLeft };
}

const isSummary = ({ kind }: EventInTurn) => kind === "post-compact";

interface Around {
  readonly asked: EventOutline | undefined;
  readonly before: EventOutline | undefined;
  readonly compacted: EventOutline | undefined;
}

function eventsOf({ context, calls, stop }: Part, { asked, before, compacted }: Around) {
  const explaining = context.filter((one) => one.kind !== "prompt" && !isSummary(one));
  const told = [asked, ...explaining, ...calls, stop].filter((one) => one !== undefined);
  const later = compacted ? told.findIndex(({ at }) => at > compacted.at) : -1;
  if (compacted) told.splice(later < 0 ? told.length : later, 0, compacted);
  return before ? [before, ...told] : told;
}

type Part = Pick<Segment, "calls" | "stop"> & { readonly context: readonly EventOutline[] };

/** As many calls together as may be, with those before that explain them. */
function inParts(
  calls: readonly EventOutline[],
  context: readonly EventOutline[],
  stop: EventOutline | undefined,
) {
  const segments: Part[] = [];
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
