// Retries jobs: with backoff after a failure, at a given time when a handler postpones them, and dead ones on request.
import { type Clock, errorText, MINUTE, SECOND } from "../lib/index.ts";
import type { Logger } from "../log/index.ts";
import { isStoreTrouble, type Job, type JobQueue } from "../store/index.ts";

/** A job is dead after this many attempts, whether they failed or ended their worker. */
export const MAX_ATTEMPTS = 8;
const backoff = { baseMs: 5 * SECOND, maxMs: 30 * MINUTE, maxAttempts: MAX_ATTEMPTS };
/** The wait before a retry when the disk is full or the store is locked: nothing tells when that ends. */
const STORE_TROUBLE_MS = 30 * SECOND;

/** Thrown by a handler whose job cannot be done yet. The job waits, and the lease does not count as an attempt. */
export class Postponed extends Error {
  readonly waitMs: number;

  constructor(reason: string, waitMs: number) {
    super(reason);
    this.waitMs = waitMs;
  }
}

export interface RetryParts {
  readonly store: Pick<JobQueue, "failJob" | "postponeJob">;
  /** Tells this worker's leases from those of one that died. */
  readonly worker: string;
  readonly clock: Clock;
  readonly log: Logger;
}

/** Puts leased jobs back into the queue: postponed, to be retried after a backoff, or dead after the last attempt. */
export async function retryJobs(
  { store, worker, clock, log }: RetryParts,
  jobs: readonly Job[],
  thrown: unknown,
) {
  const error = errorText(thrown);
  const isPostponed = thrown instanceof Postponed;
  // A full disk is no fault of the job that met it.
  const waitMs = isPostponed ? thrown.waitMs : isStoreTrouble(thrown) ? STORE_TROUBLE_MS : undefined;
  for (const { id, kind, attempts } of jobs) {
    const now = clock.now();
    const state =
      waitMs === undefined
        ? await store.failJob({ id, worker, now, error, backoff })
        : await store.postponeJob({ id, worker, error, until: now + waitMs });
    const facts = { job: id, kind, attempts, state, problem: error };
    if (isPostponed) log.debug(facts, "job.postponed");
    else log.warn(facts, "job.failed");
  }
}

export interface DeadJobs {
  readonly jobs: readonly Omit<Job, "payload" | "leasedBy" | "leaseUntil">[];
  /** How many there are in all; the list has the first. */
  readonly count: number;
  /** How many are retried. */
  readonly retried: number;
}

const MOST_LISTED = 100;

/** Lists dead jobs with their last errors; with `retry` they get all their attempts back. */
export async function listDeadJobs(
  store: Pick<JobQueue, "deadJobs" | "retryDeadJobs" | "queueStats">,
  retry: boolean,
  now: number,
): Promise<DeadJobs> {
  const jobs = await store.deadJobs(MOST_LISTED);
  const { dead } = await store.queueStats(now);
  return {
    jobs: jobs.map(({ payload: _, leasedBy: __, leaseUntil: ___, ...job }) => job),
    count: dead,
    retried: retry ? await store.retryDeadJobs() : 0,
  };
}
