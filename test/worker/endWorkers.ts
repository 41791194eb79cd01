// Ends a worker again and again while eight processes spool, and looks that every event was kept, and none twice.
import { spawn } from "node:child_process";
import { setTimeout as sleep } from "node:timers/promises";
import { expect } from "vitest";
import { call } from "../../src/ipc/index.ts";
import { spoolBacklog } from "../../src/spool/index.ts";
import { seededRandom } from "../kill/seededRandom.ts";
import { bundle, spoolerEntry, builtWorker as worker } from "./bundle.ts";
import { ended, pidThere, until, type workerHome } from "./workers.ts";

const WRITERS = 8;
const KILL_EVERY = 50;
const MOST_KILLS = 14;

/** `place` is a home that the test has opened; each writer spools so many events. */
export async function endWorkers(
  place: ReturnType<typeof workerHome>,
  signal: NodeJS.Signals,
  each: number,
): Promise<void> {
  const spooler = await bundle(spoolerEntry);
  const writers = Array.from({ length: WRITERS }, (_, at) =>
    spawn(process.execPath, [spooler, place.spool, `writer-${at}`, "0", String(each)], {
      stdio: ["ignore", "inherit", "inherit"],
    }),
  );
  let isWriting = true;
  const allWritten = Promise.all(writers.map(ended)).finally(() => {
    isWriting = false;
  });
  let kills = 0;
  const random = seededRandom(20_261_116);
  // On to the last event, so that kills fall into commits and deletions as well as into waiting.
  while (isWriting || (spoolBacklog(place.spool).waiting > 0 && kills < MOST_KILLS)) {
    const running = place.start(worker);
    // A running worker keeps about one event a millisecond.
    await until(
      async () => ((await pidThere(place.socket)) === running.pid ? true : undefined),
      "the worker",
    );
    await sleep(random(2 * KILL_EVERY));
    running.kill(signal);
    await ended(running);
    kills += 1;
  }
  expect(await allWritten).toEqual(writers.map(() => 0));
  await place.run(worker);
  await call(place.socket, "drain", { timeoutMs: 60_000 });
  expect(await place.status()).toMatchObject({ spool: { waiting: 0, bad: 0 }, problem: null });
  await call(place.socket, "shutdown", { timeoutMs: 60_000 });
  await place.withStore(async (store) => {
    const { counts, eventsByKind } = await store.stats();
    expect({ ...counts, eventsByKind }).toMatchObject({
      sessions: WRITERS,
      events: WRITERS * each,
      eventsByKind: { tool: WRITERS * each },
    });
    // Work leaves the queue only when it was done: calls that an observation tells of already.
    if (counts.observations === 0) expect(counts.jobs).toBe(WRITERS * each);
    else expect(counts.jobs).toBeLessThan(WRITERS * each);
    expect(await store.integrityCheck()).toEqual({ ok: true, problems: [] });
  });
  expect(kills).toBeGreaterThanOrEqual(signal === "SIGKILL" ? 3 : 1);
}
