// The queue's runner beside everything else that a worker has to do.
import { once } from "node:events";
import { setImmediate as nextTurn } from "node:timers/promises";
import { expect, it } from "vitest";
import { until } from "../../test/until.ts";
import { keptHere } from "../../test/worker/kept.ts";
import { HOUR, systemClock } from "../lib/index.ts";
import type { Job } from "../store/index.ts";
import { type JobHandler, type JobQueueParts, makeJobQueue } from "./jobQueue.ts";
import { listDeadJobs, MAX_ATTEMPTS, Postponed } from "./jobRetry.ts";

it("lets others have a turn between two jobs, also when jobs never wait for the system", async () => {
  const jobs = Array.from({ length: 50 }, (_, at) => ({
    id: at,
    kind: "observe",
    key: `k${at}`,
    attempts: 1,
  }));
  let done = 0;
  const store = {
    leaseJobs: async () => jobs.splice(0, 1) as unknown as Job[],
    completeJobs: async () => undefined,
    failJob: async () => "pending",
  };
  const finished = new EventTarget();
  const queue = makeJobQueue({
    store: store as unknown as JobQueueParts["store"],
    handlers: new Map([
      [
        "observe",
        async () => {
          done += 1;
          if (done === 50) finished.dispatchEvent(new Event("done"));
          return {};
        },
      ],
    ]),
    worker: "test",
    clock: systemClock,
    log: {
      debug: () => undefined,
      warn: () => undefined,
      error: () => undefined,
    } as unknown as JobQueueParts["log"],
  });
  const all = once(finished as unknown as NodeJS.EventEmitter, "done");
  queue.start();
  await nextTurn();
  await nextTurn();
  const meanwhile = done;
  await all;
  await queue.stop();
  expect(meanwhile).toBeLessThan(50);
  expect(done).toBe(50);
});

const kept = keptHere();

/** A queue with one job of a clock that is an hour later at every look. */
async function startQueue(worker: string, handler: JobHandler) {
  const { store, log } = kept;
  await store.completeJobs({ ids: [], worker: "test", jobs: [{ kind: "observe", key: "a" }] });
  let now = Date.now();
  const clock = { now: () => (now += HOUR) };
  const queue = makeJobQueue({ store, handlers: new Map([["observe", handler]]), worker, clock, log });
  queue.start();
  return queue;
}

it("marks a job dead that ends its worker every time, and retries it on request", async () => {
  const { store } = kept;
  for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt++) {
    await store.releaseOtherLeases(`worker-${attempt}`, MAX_ATTEMPTS);
    const leased = await new Promise((resolve) => {
      // This worker never comes back to the job.
      void startQueue(`worker-${attempt}`, async ({ attempts }) => {
        resolve(attempts);
        return new Promise(() => undefined);
      });
    });
    expect(leased).toBe(attempt);
  }
  await store.releaseOtherLeases("next", MAX_ATTEMPTS);
  expect(await listDeadJobs(store, true, Date.now())).toMatchObject({
    jobs: [{ key: "a", attempts: MAX_ATTEMPTS, lastError: "its worker ended before the work was done" }],
    count: 1,
    retried: 1,
  });
});

it("marks a job dead after its last failed attempt", async () => {
  const queue = await startQueue("w", async () => {
    throw new Error("broken");
  });
  const { jobs } = await until(async () => {
    queue.note();
    const dead = await listDeadJobs(kept.store, false, 0);
    return dead.count > 0 ? dead : undefined;
  }, "the job to be dead");
  await queue.stop();
  expect(jobs).toMatchObject([{ attempts: MAX_ATTEMPTS, lastError: "broken" }]);
});

it("does not count a postponed job as attempted", async () => {
  const seen: number[] = [];
  const queue = await startQueue("w", async ({ attempts }) => {
    seen.push(attempts);
    if (seen.length <= 2 * MAX_ATTEMPTS) throw new Postponed("not yet", 1_000);
    return {};
  });
  await until(async () => {
    queue.note();
    return (await kept.store.queueStats(0)).ready === 0 && seen.length > 2 * MAX_ATTEMPTS ? true : undefined;
  }, "the job to be done");
  await queue.stop();
  expect(new Set(seen)).toEqual(new Set([1]));
  expect(await kept.store.deadJobs()).toEqual([]);
});
