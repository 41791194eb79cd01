// Runs the store's job queue: leases jobs that have a handler, completes them, and has failed ones retried (jobRetry.ts).
import { setImmediate as nextTurn } from "node:timers/promises";
import { errorText, MINUTE, SECOND } from "../lib/index.ts";
import type { Completion, Job, JobQueue } from "../store/index.ts";
import type { BackgroundJob } from "./backgroundJob.ts";
import { MAX_ATTEMPTS, type RetryParts, retryJobs } from "./jobRetry.ts";

/** What a job gave; it is stored in the transaction that completes the job. */
export type JobResult = Omit<Completion, "ids" | "worker">;

export interface JobContext {
  readonly signal: AbortSignal;
  /** Leases further jobs by their keys, even before their time: they complete or fail together with this one. */
  join(keys: readonly string[]): Promise<Job[]>;
}

/** May throw: the job is retried later, and dead after the last attempt. */
export type JobHandler = (job: Job, context: JobContext) => Promise<JobResult>;

export interface JobQueueParts extends RetryParts {
  readonly store: Pick<JobQueue, "leaseJobs" | "completeJobs"> & RetryParts["store"];
  /** By kind of job. Other kinds stay in the queue for a worker that knows them. */
  readonly handlers: ReadonlyMap<string, JobHandler>;
}

const LEASE_MS = 5 * MINUTE;
/** Jobs come due by themselves, too. */
const QUEUE_POLL_MS = 2 * SECOND;

const leaseRequest = ({ handlers, worker, clock }: JobQueueParts) => ({
  kinds: [...handlers.keys()],
  worker,
  now: clock.now(),
  leaseMs: LEASE_MS,
  maxAttempts: MAX_ATTEMPTS,
});

/** Rejects only when the store cannot keep the outcome. */
async function runLeasedJob(parts: JobQueueParts, job: Job, signal: AbortSignal) {
  const { store, handlers, worker } = parts;
  const held = [job];
  const join = async (keys: readonly string[]) => {
    const more = await store.leaseJobs({ ...leaseRequest(parts), keys, limit: keys.length });
    held.push(...more);
    return more;
  };
  try {
    const handler = handlers.get(job.kind);
    if (!handler) throw new Error(`there is no handler for jobs of kind ${job.kind}`);
    const result = await handler(job, { signal, join });
    await store.completeJobs({ ...result, ids: held.map(({ id }) => id), worker });
  } catch (error) {
    await retryJobs(parts, held, error);
  }
}

/** Nothing is leased before `start`. `stop` waits for the job in hand, whose handler hears the signal. */
export function makeJobQueue(parts: JobQueueParts): Required<BackgroundJob> & { note(): void } {
  const { store, handlers, log } = parts;
  const stopping = new AbortController();
  let running: Promise<void> | undefined;
  let again = false;

  const round = async () => {
    for (again = handlers.size > 0; again && !stopping.signal.aborted; ) {
      again = false;
      for (const job of await store.leaseJobs({ ...leaseRequest(parts), limit: 1 })) {
        await runLeasedJob(parts, job, stopping.signal);
        // A job that never yields to the event loop would keep requests at the socket waiting.
        await nextTurn();
        again = true;
      }
    }
  };
  const wake = () => {
    again = true;
    if (running || stopping.signal.aborted) return;
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
      timer ??= setInterval(wake, QUEUE_POLL_MS);
      wake();
    },
    note: () => {
      if (timer) wake();
    },
    busy: () => running !== undefined,
    stop: async () => {
      clearInterval(timer);
      stopping.abort();
      await running;
    },
  };
}
