// Runs the store's queue: leases jobs that somebody here can do, and reports what became of each.
import { type Clock, errorText, MINUTE, SECOND } from "../lib/index.ts";
import type { Completion, Job, Store } from "../store/index.ts";
import type { Logger } from "./log.ts";

/** What a job gave; it is stored in the transaction that completes the job. May throw: the job is tried again later. */
export type JobResult = Omit<Completion, "ids" | "worker">;
export type JobHandler = (job: Job, signal: AbortSignal) => Promise<JobResult>;

export interface QueueOptions {
  readonly store: Pick<Store, "lease" | "complete" | "fail">;
  /** By kind of job. Kinds that are not here stay in the queue for a worker that knows them. */
  readonly handlers: ReadonlyMap<string, JobHandler>;
  /** Tells this worker's leases from those of one that died. */
  readonly worker: string;
  readonly clock: Clock;
  readonly log: Logger;
}

export interface QueueRunner {
  /** Looks for work; called when something was enqueued. */
  wake(): void;
  busy(): boolean;
  /** Takes no new job; resolves when the one in hand is done, or its handler has heard the signal. */
  stop(): Promise<void>;
}

const LEASE_MS = 5 * MINUTE;
const POLL_MS = 30 * SECOND;
const backoff = { baseMs: 5 * SECOND, maxMs: 30 * MINUTE, maxAttempts: 8 };

export function startQueue(options: QueueOptions): QueueRunner {
  const { store, handlers, worker, clock, log } = options;
  const stopping = new AbortController();
  let running: Promise<void> | undefined;
  let again = false;

  const work = async (job: Job): Promise<void> => {
    try {
      const handler = handlers.get(job.kind);
      if (handler === undefined) throw new Error(`nobody here does jobs of kind ${job.kind}`);
      const result = await handler(job, stopping.signal);
      await store.complete({ ...result, ids: [job.id], worker });
    } catch (error) {
      const state = await store.fail({
        id: job.id,
        worker,
        now: clock.now(),
        error: errorText(error),
        backoff,
      });
      log.warn(
        { job: job.id, kind: job.kind, attempts: job.attempts, state, problem: errorText(error) },
        "job failed",
      );
    }
  };
  const round = async (): Promise<void> => {
    const kinds = [...handlers.keys()];
    for (again = true; again && !stopping.signal.aborted; ) {
      again = false;
      const request = { kinds, worker, now: clock.now(), leaseMs: LEASE_MS, limit: 1 };
      for (const job of kinds.length === 0 ? [] : await store.lease(request)) {
        await work(job);
        again = true;
      }
    }
  };
  const wake = (): void => {
    again = true;
    if (running !== undefined || stopping.signal.aborted) return;
    running = round()
      .catch((error: unknown) => log.error({ problem: errorText(error) }, "the queue cannot be read"))
      .finally(() => {
        running = undefined;
      });
  };
  const timer = setInterval(wake, POLL_MS);
  wake();
  return {
    wake,
    busy: () => running !== undefined,
    stop: async () => {
      clearInterval(timer);
      stopping.abort();
      await running;
    },
  };
}
