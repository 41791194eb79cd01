// Jobs that were given up after their last attempt: what they were, why, and another try.
import type { Job, JobQueue } from "../store/index.ts";

export interface GivenUpJobs {
  readonly jobs: readonly Omit<Job, "payload" | "leasedBy" | "leaseUntil">[];
  /** How many there are in all; the list has the first. */
  readonly count: number;
  /** How many are tried again. */
  readonly retried: number;
}

const SHOWN = 100;

export async function givenUpJobs(
  store: Pick<JobQueue, "deadJobs" | "retryDeadJobs" | "queueStats">,
  retry: boolean,
  now: number,
): Promise<GivenUpJobs> {
  const jobs = await store.deadJobs(SHOWN);
  const { dead } = await store.queueStats(now);
  return {
    jobs: jobs.map(({ payload: _, leasedBy: __, leaseUntil: ___, ...job }) => job),
    count: dead,
    retried: retry ? await store.retryDeadJobs() : 0,
  };
}
