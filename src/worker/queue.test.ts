// The queue's runner beside everything else that a worker has to do.
import { once } from "node:events";
import { setImmediate as nextTurn } from "node:timers/promises";
import { expect, it } from "vitest";
import { systemClock } from "../lib/index.ts";
import type { Job } from "../store/index.ts";
import { makeQueue, type QueueOptions } from "./queue.ts";

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
  const queue = makeQueue({
    store: store as unknown as QueueOptions["store"],
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
    } as unknown as QueueOptions["log"],
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
