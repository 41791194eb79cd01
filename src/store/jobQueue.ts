// The job queue: jobs are leased, completed, retried after a failure, and dead after the last attempt; and the job that an event asks for.
import { isOwnTool, type JsonObject, MINUTE, SECOND } from "../lib/index.ts";
import type { RedactedEvent } from "./events.ts";
import type { NewObservation, NewSummary, ObservationText, SummaryText } from "./model.ts";

export interface NewJob {
  readonly kind: string;
  /** One job per kind and key: a second is not added while the first is there. */
  readonly key: string;
  readonly session?: string;
  readonly project?: string;
  readonly payload?: JsonObject;
  /** Milliseconds since the epoch; at once unless given. */
  readonly notBefore?: number;
}

/** `ready` includes jobs whose time has not come, and jobs whose worker died and whose lease must still run out. */
export type JobState = "ready" | "leased" | "dead";

export interface Job extends NewJob {
  readonly id: number;
  readonly state: JobState;
  readonly payload: JsonObject;
  /** Leases so far, this one among them. */
  readonly attempts: number;
  readonly notBefore: number;
  readonly leasedBy?: string;
  readonly leaseUntil?: number;
  readonly lastError?: string;
  readonly createdAtEpoch: number;
}

export interface LeaseRequest {
  readonly kinds: readonly string[];
  readonly worker: string;
  readonly now: number;
  readonly leaseMs: number;
  readonly limit: number;
  /** A job whose lease ran out after so many attempts is dead: it may be what ends its workers. */
  readonly maxAttempts: number;
  /** Leases only these, also before their time. Jobs that another worker holds stay with it. */
  readonly keys?: readonly string[];
}

export interface Completion {
  readonly ids: readonly number[];
  readonly worker: string;
  /** What the work gave, kept in the same transaction: a crash leaves both or neither. */
  readonly observations?: readonly NewObservation[];
  readonly summaries?: readonly NewSummary[];
  /** New texts of rows, by uid; unknown uids are skipped. */
  readonly revisions?: Revisions;
  /** Work that follows from this. */
  readonly jobs?: readonly NewJob[];
}

export interface Revisions {
  readonly observations?: readonly (ObservationText & { readonly uid: string })[];
  readonly summaries?: readonly (SummaryText & { readonly uid: string })[];
  /** Observations that are taken away. Each becomes an event of the kind `observation-dropped`, which holds it and the reason. */
  readonly dropped?: readonly { readonly uid: string; readonly reason: string }[];
  /** The model session that gave the texts: recorded with the agent's session and with the rows. */
  readonly by?: { readonly session: string; readonly modelSession: string };
}

export interface JobFailure {
  readonly id: number;
  readonly worker: string;
  readonly now: number;
  readonly error: string;
  /** The next attempt waits `baseMs` × 2^(attempts − 1), at most `maxMs`; after `maxAttempts` the job is dead. */
  readonly backoff: { readonly baseMs: number; readonly maxMs: number; readonly maxAttempts: number };
}

export interface Postponement extends Pick<JobFailure, "id" | "worker" | "error"> {
  /** Milliseconds since the epoch. */
  readonly until: number;
}

export interface JobCounts {
  readonly ready: number;
  readonly leased: number;
  readonly dead: number;
}

export interface QueueStats extends JobCounts {
  /** Ready, but not before a later time. */
  readonly delayed: number;
  readonly oldestReadyEpoch?: number;
  readonly byKind: Readonly<Record<string, JobCounts>>;
}

export interface JobQueue {
  /** Leases the jobs that have been due longest. A job whose lease ran out is leased again. */
  leaseJobs(request: LeaseRequest): Promise<Job[]>;
  /** Gives the ids that were completed; ids that `worker` no longer holds are skipped. */
  completeJobs(completion: Completion): Promise<number[]>;
  /** Makes ready what all other workers hold, for one that knows it is alone; gives how many. Jobs without attempts left are dead. */
  releaseOtherLeases(worker: string, maxAttempts: number): Promise<number>;
  /** Schedules the retry, or marks the job dead. Gives its new state; undefined when `worker` does not hold it any more. */
  failJob(failure: JobFailure): Promise<JobState | undefined>;
  /** Makes the job ready at a later time; its lease does not count as an attempt. Gives what `failJob` gives. */
  postponeJob(postponement: Postponement): Promise<JobState | undefined>;
  /** Jobs that failed in their last attempt, oldest first; 100 unless given. */
  deadJobs(limit?: number): Promise<Job[]>;
  /** Makes all dead jobs ready, with all their attempts; gives how many. */
  retryDeadJobs(): Promise<number>;
  queueStats(now: number): Promise<QueueStats>;
  /** How many jobs of these kinds are being done, or could be now. */
  workDue(kinds: readonly string[], now: number): Promise<number>;
}

const jobKinds: Readonly<Record<string, string>> = {
  tool: "observe",
  "tool-failure": "observe",
  stop: "summarize",
  "subagent-stop": "summarize",
};

/**
 * A tool call is observed together with its turn, by the job of the turn's end: what followed shows what the call meant. In a
 * turn that never ends it waits this long. The job of the end waits for late hooks.
 */
const waits: Readonly<Record<string, number>> = { observe: MINUTE, summarize: 3 * SECOND };

/** A tool call is to be observed, the end of a turn to be summarised; the job's key is the event's id. */
export function workFor(event: RedactedEvent): NewJob | undefined {
  const kind = jobKinds[event.kind];
  // Searches of the memory are not observed.
  if (kind === undefined || isOwnTool(event.payload.tool_name)) return undefined;
  const at = Date.parse(event.at);
  const notBefore = Number.isNaN(at) ? 0 : at + (waits[kind] ?? 0);
  return { kind, key: event.id, session: event.session, project: event.project, notBefore };
}
