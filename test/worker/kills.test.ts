// A worker that is killed again and again while eight processes spool: every event is kept, and none twice.
import { spawn } from "node:child_process";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, it } from "vitest";
import { isObject } from "../../src/lib/index.ts";
import { ask, call } from "../../src/worker/index.ts";
import { bundle, spoolerEntry, workerEntry } from "./bundle.ts";
import { ended, workerHome } from "./workers.ts";

const WRITERS = 8;
const EACH = 125;
const KILL_EVERY = 50;

const worker = await bundle(workerEntry);
const spooler = await bundle(spoolerEntry);
const place = workerHome();

/** How many events this worker has kept; undefined when it does not answer. */
async function keptBy(socket: string): Promise<number | undefined> {
  const reply = await ask(socket, "status", { timeoutMs: 5_000 });
  return typeof reply === "object" && reply.ok && isObject(reply.data) ? Number(reply.data.added) : undefined;
}

it("1,000 events of 8 processes are kept once, with the worker killed at every 50", async () => {
  const writers = Array.from({ length: WRITERS }, (_, at) =>
    spawn(process.execPath, [spooler, place.spool, `writer-${at}`, "0", String(EACH)], {
      stdio: ["ignore", "inherit", "inherit"],
    }),
  );
  let isWriting = true;
  const allWritten = Promise.all(writers.map(ended)).finally(() => {
    isWriting = false;
  });
  let kills = 0;
  while (isWriting || kills < 3) {
    const running = place.start(worker);
    for (let looks = 0; looks < 200; looks++) {
      if (running.exitCode !== null) break;
      const kept = await keptBy(place.socket);
      if (kept !== undefined && (kept >= KILL_EVERY || !isWriting)) break;
      await sleep(5);
    }
    running.kill("SIGKILL");
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
      events: WRITERS * EACH,
      eventsByKind: { tool: WRITERS * EACH },
    });
    expect(counts.jobs).toBe(WRITERS * EACH);
    expect(await store.integrityCheck()).toEqual({ ok: true, problems: [] });
  });
  expect(kills).toBeGreaterThanOrEqual(3);
});
