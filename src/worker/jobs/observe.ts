// The work that captured calls and ends of turns ask for: observations and summaries by rules, at once and exactly once.

import type { Language } from "../../home/index.ts";
import { defined, present } from "../../lib/index.ts";
import {
  isUndoneBy,
  markUndone,
  type ObservationDraft,
  type ObservedTurn,
  observeTurn,
  phrasesOf,
  turnOfEvents,
} from "../../observe/index.ts";
import type {
  EventOutline,
  EventStore,
  Job,
  KnowledgeStore,
  NewJob,
  NewSummary,
  Observation,
} from "../../store/index.ts";
import type { JobContext, JobHandler, JobResult } from "../jobQueue.ts";
import { Postponed } from "../jobRetry.ts";
import { decideSegments, eventsAround, type Segment } from "./turnSegments.ts";

export interface ObservingParts {
  readonly store: Pick<EventStore, "eventOutlines" | "eventsById"> & Pick<KnowledgeStore, "observations">;
  readonly redact: <T>(value: T) => T;
  /** Whether a model is to write the observations anew. */
  readonly hasModel: () => boolean;
  readonly language: () => Language;
  readonly now: () => number;
}

/** After so many attempts a job is done by itself: what is wrong with another is not to be its end. */
const ALONE_AFTER = 3;

export function observingHandlers(parts: ObservingParts): ReadonlyMap<string, JobHandler> {
  const handler: JobHandler = (job, context) => observeTurnJob(parts, job, context);
  return new Map([
    ["observe", handler],
    ["summarize", handler],
  ]);
}

async function observeTurnJob(parts: ObservingParts, job: Job, context: JobContext): Promise<JobResult> {
  const [event] = await parts.store.eventsById([job.key]);
  // Forgotten, or let go by retention, before it was its turn.
  if (!event) return {};
  // The work of an import is let go when everything is there.
  const arrived = event.lane === "import" ? 0 : job.createdAtEpoch;
  const around = await eventsAround(parts.store, event);
  const decision = decideSegments(event, around, { now: parts.now(), arrived });
  if ("wait" in decision) throw new Postponed("its turn is not over", decision.wait);
  const { segments, isLeft } = decision;
  const others = segments
    .flatMap(({ calls, stop }) => present([...calls, stop]))
    .map(({ id }) => id)
    .filter((id) => id !== event.id);
  const joined = job.attempts > ALONE_AFTER ? [] : await context.join(others);
  const pending = new Set([event.id, ...joined.map(({ key }) => key)]);
  const results: SegmentResult[] = [];
  // One after the other, so that no more than one is in memory.
  for (const segment of segments) results.push(await observeSegment(parts, segment, { pending, isLeft }));
  return {
    observations: results.flatMap(({ observations }) => observations),
    summaries: results.flatMap(({ summaries }) => summaries),
    jobs: results.flatMap(({ jobs }) => jobs),
    revisions: { observations: results.flatMap(({ undone }) => undone) },
  };
}

interface SegmentClaim {
  /** Those whose work this is; the rest was observed before. */
  readonly pending: ReadonlySet<string>;
  readonly isLeft: boolean;
  /** The user asked for a model's words for what was imported. */
  readonly isAsked?: boolean;
}

interface SegmentResult extends Required<Pick<JobResult, "observations" | "summaries" | "jobs">> {
  /** Rows of the turn before that this one took back, marked so. */
  readonly undone: readonly Observation[];
}

async function observeSegment(
  parts: ObservingParts,
  { events, calls, promptNumber, reported, ...segment }: Segment,
  { pending, isLeft, isAsked = false }: SegmentClaim,
): Promise<SegmentResult> {
  const own = calls.filter(({ id }) => pending.has(id));
  const stop = segment.stop && pending.has(segment.stop.id) ? segment.stop : undefined;
  const first = own[0] ?? stop;
  if (!first) return { observations: [], summaries: [], jobs: [], undone: [] };
  // A late call does not report the end of the turn again.
  const read = events.filter(({ id }) => id !== segment.stop?.id || stop !== undefined).map(({ id }) => id);
  const setting = { fresh: own.map(({ id }) => id), reported, ...defined({ folder: first.cwd }) };
  const turn = turnOfEvents(await parts.store.eventsById(read), {
    ...setting,
    goesOn: segment.stop === undefined && !isLeft,
    language: parts.language(),
  });
  const observed = parts.redact(observeTurn(turn));
  const times = new Map(calls.map(({ id, at }) => [id, at] as const));
  const observations = observed.observations.map((draft) => ({
    ...rowText(draft),
    ...turnPlace(first, promptNumber),
    at: times.get(draft.sources.at(-1) ?? "") ?? first.at,
  }));
  // A subagent's end is not where the session stands; what it found is in its observations.
  const end = first.agent === undefined ? (stop ?? (isLeft ? own.at(-1) : undefined)) : undefined;
  const summaries = end ? summaryRows(observed, end, promptNumber) : [];
  // Years of sessions would be a bill that was not asked for: what was imported stays in the words of the rules, until it is.
  const isWorthAsking =
    (isAsked || first.lane !== "import") && parts.hasModel() && isWorthWords(observed, stop);
  return {
    observations,
    summaries,
    jobs: isWorthAsking ? [refineJob(first, { events: read, ...setting }, summaries)] : [],
    undone: await undoneRows(parts, observed, first),
  };
}

/** What a model would be asked about a turn that was observed before, by its end; nothing where it is not worth it. */
export async function refineJobsOf(parts: ObservingParts, stop: EventOutline): Promise<NewJob[]> {
  const around = await eventsAround(parts.store, stop);
  const decision = decideSegments(stop, around, { now: parts.now(), arrived: 0 });
  if ("wait" in decision) return [];
  const jobs: NewJob[] = [];
  for (const segment of decision.segments) {
    const pending = new Set([...segment.calls, stop].map(({ id }) => id));
    const claim = { pending, isLeft: decision.isLeft, isAsked: true };
    jobs.push(...(await observeSegment(parts, segment, claim)).jobs);
  }
  return jobs;
}

/** Of the turn before only: what was restored later need not be what it changed. */
const ROWS_BEFORE = 10;

async function undoneRows(
  { store, language }: ObservingParts,
  { undoes }: ObservedTurn,
  first: EventOutline,
) {
  if (!undoes) return [];
  const { items } = await store.observations({ session: first.session, to: first.at, limit: ROWS_BEFORE });
  const [newest] = items;
  return items
    .filter((row) => row.promptNumber === newest?.promptNumber && isUndoneBy(row, undoes))
    .map((row) => markUndone(row, phrasesOf(language())));
}

/** A row is named by the first event it tells of, which is in no other. */
export function rowText({ sources, name, ...text }: ObservationDraft) {
  const [first = ""] = sources;
  return { ...text, uid: `ob_${(name ?? first).replace(/^ev_/, "")}`, correlationId: first };
}

const turnPlace = ({ session, project }: EventOutline, promptNumber: number) => ({
  session,
  project,
  promptNumber,
});

function summaryRows({ summary }: ObservedTurn, end: EventOutline, promptNumber: number) {
  const uid = `su_${end.id.replace(/^ev_/, "")}`;
  return summary ? [{ ...summary, ...turnPlace(end, promptNumber), uid, at: end.at }] : [];
}

/** A few files that were looked at, with nothing said of them, are told well enough. */
function isWorthWords({ observations }: ObservedTurn, stop: EventOutline | undefined) {
  const [only] = observations;
  if (!only) return false;
  return observations.length > 1 || stop !== undefined || only.type !== "discovery";
}

/** With the ids of the events the same drafts are made again. */
interface RefinedSegment {
  readonly events: string[];
  readonly fresh: string[];
  readonly folder?: string;
  readonly reported: boolean;
}

function refineJob(first: EventOutline, segment: RefinedSegment, [summary]: readonly NewSummary[]) {
  const { id: key, session, project } = first;
  const payload = { ...segment, ...(summary?.uid !== undefined && { summary: summary.uid }) };
  return { kind: "refine", key, session, project, payload };
}
