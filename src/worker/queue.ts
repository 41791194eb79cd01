// Runs the store's queue: leases jobs that have a handler, and reports the result of each.
import { setImmediate as nextTurn } from "node:timers/promises";
import { type Clock, errorText, MINUTE, SECOND } from "../lib/index.ts";
import type { Logger } from "../log/index.ts";
import { type Completion, isStoreTrouble, type Job, type JobFailure, type JobQueue } from "../store/index.ts";
import type { BackgroundJob } from "./backgroundJob.ts";

/** What a job gave; it is stored in the transaction that completes the job. */
export type JobResult = Omit<Completion, "ids" | "worker">;

export interface Work {
  readonly signal: AbortSignal;
  /** Takes further jobs along by their keys, whatever their time: they end as this one does. Gives those it got. */
  join(keys: readonly string[]): Promise<Job[]>;
}

/** May throw: the job is tried again later, and set aside when it keeps failing. */
export type JobHandler = (job: Job, work: Work) => Promise<JobResult>;

/** Thrown by a handler whose job cannot be done now, through no fault of its own: it waits, however often. */
export class Postponed extends Error {
  readonly waitMs: number | undefined;

  /** Without a time it waits a little longer with every attempt. */
  constructor(why: string, waitMs?: number) {
    super(why);
    this.waitMs = waitMs;
  }
}

export interface QueueOptions {
  readonly store: Pick<JobQueue, "leaseJobs" | "completeJobs" | "failJob">;
  /** By kind of job. Kinds that are not here stay in the queue for a worker that knows them. */
  readonly handlers: ReadonlyMap<string, JobHandler>;
  /** Tells this worker's leases from those of one that died. */
  readonly worker: string;
  readonly clock: Clock;
  readonly log: Logger;
}

const LEASE_MS = 5 * MINUTE;
/** Jobs come due by themselves, too. */
const POLL_MS = 2 * SECOND;
const backoff = { baseMs: 5 * SECOND, maxMs: 30 * MINUTE, maxAttempts: 8 };
/** Soon again after an outage, since its end is not announced. */
const patience = { baseMs: 5 * SECOND, maxMs: 5 * MINUTE, maxAttempts: Number.MAX_SAFE_INTEGER };

function pauseAfter(error: unknown): JobFailure["backoff"] {
  // The store explains its own troubles: a full disk is no fault of the job that met it.
  if (isStoreTrouble(error)) return patience;
  if (!(error instanceof Postponed)) return backoff;
  const { waitMs } = error;
  return waitMs === undefined ? patience : { ...patience, baseMs: waitMs, maxMs: waitMs };
}

/** What was held goes back into the queue together, to wait or to be set aside. */
async function giveBack(options: QueueOptions, held: readonly Job[], error: unknown) {
  const { store, worker, clock, log } = options;
  const problem = errorText(error);
  for (const { id, kind, attempts } of held) {
    const now = clock.now();
    const state = await store.failJob({ id, worker, now, error: problem, backoff: pauseAfter(error) });
    const facts = { job: id, kind, attempts, state, problem };
    if (error instanceof Postponed) log.debug(facts, "job.postponed");
    else log.warn(facts, "job.failed");
  }
}

/** Never rejects for what becomes of the job. */
async function workOn(options: QueueOptions, job: Job, signal: AbortSignal) {
  const { store, handlers, worker, clock } = options;
  const held = [job];
  const join = async (keys: readonly string[]) => {
    const request = { kinds: [...handlers.keys()], keys, worker, now: clock.now(), leaseMs: LEASE_MS };
    const more = await store.leaseJobs({ ...request, limit: keys.length });
    held.push(...more);
    return more;
  };
  try {
    const handler = handlers.get(job.kind);
    if (handler === undefined) throw new Error(`there is no handler for jobs of kind ${job.kind}`);
    const result = await handler(job, { signal, join });
    await store.completeJobs({ ...result, ids: held.map(({ id }) => id), worker });
  } catch (error) {
    await giveBack(options, held, error);
  }
}

/** Nothing is leased before `start`. `stop` waits for the job in hand, whose handler hears the signal. */
export function makeQueue(options: QueueOptions): Required<BackgroundJob> & { note(): void } {
  const { store, handlers, worker, clock, log } = options;
  const stopping = new AbortController();
  let running: Promise<void> | undefined;
  let again = false;

  const round = async () => {
    const kinds = [...handlers.keys()];
    for (again = true; again && !stopping.signal.aborted; ) {
      again = false;
      const request = { kinds, worker, now: clock.now(), leaseMs: LEASE_MS, limit: 1 };
      for (const job of kinds.length === 0 ? [] : await store.leaseJobs(request)) {
        await workOn(options, job, stopping.signal);
        // A job may be done without ever waiting for the system: requests at the socket have to get a turn too.
        await nextTurn();
        again = true;
      }
    }
  };
  const wake = () => {
    again = true;
    if (running !== undefined || stopping.signal.aborted) return;
    running = round()
      .catch((error: unknown) => log.error({ problem: errorText(error) }, "queue.read-failed"))
      .finally(() => {
        running = undefined;
      });
  };
  let timer: NodeJS.Timeout | undefined;
  return {
    start: () => {
      if (stopping.signal.aborted) return;
      timer ??= setInterval(wake, POLL_MS);
      wake();
    },
    note: () => {
      if (timer !== undefined) wake();
    },
    busy: () => running !== undefined,
    stop: async () => {
      clearInterval(timer);
      stopping.abort();
      await running;
    },
  };
}
