// The work that captured calls and ends of turns ask for: observations and summaries by rules, at once and exactly once.

import type { Language } from "../../home/index.ts";
import { defined } from "../../lib/index.ts";
import {
  type ObservationDraft,
  type ObservedTurn,
  observeTurn,
  type TurnToObserve,
  turnOfEvents,
} from "../../observe/index.ts";
import type { EventOutline, EventStore, Job, NewSummary, StoredEvent } from "../../store/index.ts";
import type { JobContext, JobHandler, JobResult } from "../jobQueue.ts";
import { Postponed } from "../jobRetry.ts";
import { decideSegments, type Segment } from "./turnSegments.ts";

interface ObservingParts {
  readonly store: Pick<EventStore, "eventOutlines" | "eventsById">;
  readonly redact: <T>(value: T) => T;
  /** Whether a model is to write the observations anew. */
  readonly hasModel: () => boolean;
  readonly language: () => Language;
  readonly now: () => number;
}

/** Events of the session on each side that are looked at, and only a segment's are read: a turn has no size. */
const REACH = 200;
/** After so many attempts a job is done by itself: what is wrong with another is not to be its end. */
const ALONE_AFTER = 3;

export function observingHandlers(parts: ObservingParts): ReadonlyMap<string, JobHandler> {
  const handler: JobHandler = (job, context) => observe(parts, job, context);
  return new Map([
    ["observe", handler],
    ["summarize", handler],
  ]);
}

async function observe(parts: ObservingParts, job: Job, context: JobContext) {
  const [event] = await parts.store.eventsById([job.key]);
  // Forgotten, or let go by retention, before it was its turn.
  if (event === undefined) return {};
  const around = await eventsAround(parts.store, event);
  // The work of an import is let go when everything is there.
  const arrived = event.lane === "import" ? 0 : job.createdAtEpoch;
  const decision = decideSegments(event, around, { now: parts.now(), arrived });
  if ("wait" in decision) throw new Postponed("its turn is not over", decision.wait);
  const { segments, isLeft } = decision;
  const others = segments
    .flatMap(({ calls, stop }) => [...calls, ...(stop === undefined ? [] : [stop])])
    .map(({ id }) => id)
    .filter((id) => id !== event.id);
  const joined = job.attempts > ALONE_AFTER ? [] : await context.join(others);
  const pending = new Set([event.id, ...joined.map(({ key }) => key)]);
  const results: SegmentResult[] = [];
  // One after the other, so that no more than one is in memory.
  for (const segment of segments)
    results.push(await observeSegment(parts, { segment, pending, around, isLeft }));
  return {
    observations: results.flatMap(({ observations }) => observations),
    summaries: results.flatMap(({ summaries }) => summaries),
    jobs: results.flatMap(({ jobs }) => jobs),
  };
}

/** In the order of time, the event and its prompt among them. */
async function eventsAround(store: ObservingParts["store"], event: StoredEvent) {
  const { session, at } = event;
  const behind = new Date(Date.parse(at) + 1).toISOString();
  const [prompts, before, after] = await Promise.all([
    store.eventOutlines({ session, kind: "prompt", to: behind, order: "newest", limit: 1 }),
    store.eventOutlines({ session, to: behind, order: "newest", limit: REACH }),
    store.eventOutlines({ session, from: behind, order: "oldest", limit: REACH }),
  ]);
  const known = new Set(before.items.map(({ id }) => id));
  return [
    ...prompts.items.filter(({ id }) => !known.has(id)),
    ...[...before.items].reverse(),
    ...after.items,
  ];
}

interface SegmentToObserve {
  readonly segment: Segment;
  /** Those whose work this is; the rest was observed before. */
  readonly pending: ReadonlySet<string>;
  readonly around: readonly EventOutline[];
  readonly isLeft: boolean;
}

type SegmentResult = Required<Pick<JobResult, "observations" | "summaries" | "jobs">>;

const nothing: SegmentResult = { observations: [], summaries: [], jobs: [] };

async function observeSegment(parts: ObservingParts, given: SegmentToObserve) {
  const { segment, pending, around, isLeft } = given;
  const fresh = segment.calls.filter(({ id }) => pending.has(id));
  const stop = segment.stop !== undefined && pending.has(segment.stop.id) ? segment.stop : undefined;
  const first = fresh[0] ?? stop;
  if (first === undefined) return nothing;
  // A late call does not report the end of the turn again.
  const reported = { context: segment.context, calls: segment.calls, ...(stop && { stop }) };
  const context = segmentContext(first, reported, around);
  const material = await materialOf(parts.store, context, fresh);
  const observed = parts.redact(observeTurn(turnOf(material, parts.language())));
  const { promptNumber } = context;
  const place = { ...first, promptNumber };
  const calls = new Map([...segment.calls, first].map((call) => [call.id, call] as const));
  const observations = observed.observations.map((draft) => observationRow(draft, place, calls));
  // A subagent's end is not where the session stands; what it found is in its observations.
  const end = stop ?? (isLeft && first.agent === undefined ? fresh.at(-1) : undefined);
  const summaries =
    end === undefined || end.agent !== undefined ? [] : summaryRows(observed, { ...end, promptNumber });
  // Years of sessions would be a bill that was not asked for: what was imported stays in the words of the rules.
  const isWorthAsking = first.lane !== "import" && parts.hasModel() && isWorthWords(observed, stop);
  return { observations, summaries, jobs: isWorthAsking ? [refineJob(first, material, summaries)] : [] };
}

/** Where a segment stands, by the ids of its events. */
interface SegmentContext {
  readonly events: readonly string[];
  /** The end of the turn before: what the assistant asked there is answered here. */
  readonly before: string | undefined;
  readonly folder: string | undefined;
  readonly reported: boolean;
  readonly promptNumber: number;
}

function segmentContext(
  first: EventOutline,
  { context, calls, stop }: Segment,
  around: readonly EventOutline[],
) {
  const at = around.findIndex(({ id }) => id === first.id);
  const promptAt = around.findLastIndex(({ kind }, index) => index < at && kind === "prompt");
  const prompt = around[promptAt];
  const isOfPerson = first.agent === undefined;
  // A subagent was not asked by the person.
  const asked = prompt === undefined || !isOfPerson ? [] : [prompt];
  const earlier = isOfPerson ? around.slice(0, Math.max(0, promptAt)) : [];
  const next = around.findIndex(({ kind }, index) => index > at && kind === "prompt");
  const during = around.slice(Math.max(0, promptAt), next < 0 ? undefined : next);
  // The agent's own summary, where the conversation was compacted in this turn.
  const compacted = isOfPerson ? during.findLast(({ kind }) => kind === "post-compact") : undefined;
  const told = [
    ...asked,
    ...context.filter(({ kind }) => kind !== "prompt" && kind !== "post-compact"),
    ...calls,
    ...(stop === undefined ? [] : [stop]),
  ];
  const later = compacted === undefined ? -1 : told.findIndex(({ at }) => at > compacted.at);
  if (compacted !== undefined) told.splice(later < 0 ? told.length : later, 0, compacted);
  return {
    events: told.map(({ id }) => id),
    before: earlier.findLast(({ kind, agent }) => kind === "stop" && agent === undefined)?.id,
    folder: first.cwd,
    reported: during.some(({ agent }) => agent !== undefined),
    promptNumber: prompt?.promptNumber ?? first.promptNumber,
  };
}

/** A longer answer says at its end what the user replies to. */
const LONGEST_BEFORE = 4_000;

/** What a segment is made from; with the ids of its events alone the same drafts can be made again. */
interface SegmentMaterial {
  readonly events: readonly StoredEvent[];
  readonly fresh: readonly string[];
  readonly folder: string | undefined;
  /** What the assistant said at the end of the turn before. */
  readonly before: string | undefined;
  readonly reported: boolean;
}

async function materialOf(
  store: ObservingParts["store"],
  { events, before, folder, reported }: SegmentContext,
  fresh: readonly EventOutline[],
) {
  const [end] = before === undefined ? [] : await store.eventsById([before]);
  const words = end?.payload.last_assistant_message;
  return {
    events: await store.eventsById(events),
    fresh: fresh.map(({ id }) => id),
    folder,
    before: typeof words === "string" ? words.slice(-LONGEST_BEFORE) : undefined,
    reported,
  };
}

export function turnOf(material: SegmentMaterial, language: Language): TurnToObserve {
  const { events, fresh, folder, before, reported } = material;
  return {
    ...turnOfEvents(events),
    fresh: new Set(fresh),
    ...defined({ folder, before }),
    reported,
    language,
  };
}

/** The name of a row comes from the first event it tells of, which is in no other. */
export const observationUid = ({ sources }: ObservationDraft): string =>
  `ob_${(sources[0] ?? "").replace(/^ev_/, "")}`;
const summaryUid = (id: string) => `su_${id.replace(/^ev_/, "")}`;

const placeOf = ({ session, project, promptNumber }: EventOutline) => ({ session, project, promptNumber });

function observationRow(
  draft: ObservationDraft,
  first: EventOutline,
  events: ReadonlyMap<string, EventOutline>,
) {
  const { sources, evidence: _, ...text } = draft;
  const [source = first.id] = sources;
  const last = events.get(sources.at(-1) ?? "") ?? first;
  return { ...text, ...placeOf(first), uid: observationUid(draft), correlationId: source, at: last.at };
}

function summaryRows({ summary }: ObservedTurn, end: EventOutline) {
  return summary === undefined ? [] : [{ ...summary, ...placeOf(end), uid: summaryUid(end.id), at: end.at }];
}

/** A few files that were looked at, with nothing said of them, are told well enough. */
function isWorthWords({ observations }: ObservedTurn, stop: EventOutline | undefined) {
  const [only] = observations;
  if (only === undefined) return false;
  return observations.length > 1 || stop !== undefined || only.type !== "discovery";
}

function refineJob(first: EventOutline, material: SegmentMaterial, summaries: readonly NewSummary[]) {
  const { events, fresh, folder, before, reported } = material;
  const [summary] = summaries;
  return {
    kind: "refine",
    key: first.id,
    session: first.session,
    project: first.project,
    payload: {
      events: events.map(({ id }) => id),
      fresh: [...fresh],
      reported,
      ...defined({ folder, before }),
      ...(summary?.uid !== undefined && { summary: summary.uid }),
    },
  };
}
