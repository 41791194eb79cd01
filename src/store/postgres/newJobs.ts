// Adds jobs to the queue, each once.

import type { NewJob } from "../jobQueue.ts";
import { columnsFor, newJobFields } from "../portable/rows.ts";
import type { Writer } from "./connection.ts";

/** Gives how many are new. */
export async function addJobs(on: Writer, jobs: readonly NewJob[], now: number): Promise<number> {
  if (jobs.length === 0) return 0;
  const keyOf = (kind: unknown, key: unknown) => `${kind}\n${key}`;
  const rows = await on.all(
    "SELECT kind, key FROM queue WHERE key = ANY(?)",
    jobs.map(({ key }) => key),
  );
  const there = new Set(rows.map(({ kind, key }) => keyOf(kind, key)));
  const fresh = jobs.filter(({ kind, key }) => {
    const isNew = !there.has(keyOf(kind, key));
    there.add(keyOf(kind, key));
    return isNew;
  });
  await on.insert(
    "queue",
    fresh.map((job) => ({
      id: on.next("jobs"),
      state: "ready",
      attempts: 0,
      ...columnsFor(newJobFields, { payload: {}, notBefore: 0, ...job, createdAtEpoch: now }),
    })),
  );
  return fresh.length;
}
