// Several workers at once: one has the socket, the others leave, and a newer one takes over.
import { existsSync, writeFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { runtimeFile } from "../../src/home/index.ts";
import { ask, call } from "../../src/ipc/index.ts";
import { workerOfVersion } from "./bundle.ts";
import { toolPayload } from "./payloads.ts";
import { ended, pidThere, until, workerHome } from "./workers.ts";

const current = workerOfVersion("1.2.0");
const newer = workerOfVersion("1.3.0");
const place = workerHome();

/** A worker that may be idle for three seconds looks around every 750 ms, not every five seconds. */
const watchful = { THROUGHLINE_WORKER_IDLE_MINUTES: "0.05" };

describe("a worker beside others", () => {
  it("is one, however many are started at once", async () => {
    const workers = Array.from({ length: 5 }, () => place.start(current));
    const pid = await until(() => pidThere(place.socket), "a worker");
    const others = workers.filter((worker) => worker.pid !== pid);
    expect(others).toHaveLength(4);
    expect(await Promise.all(others.map(ended))).toEqual([0, 0, 0, 0]);
    expect(await pidThere(place.socket)).toBe(pid);
  });

  it("clears the socket of a killed one away, even when several try at once", async () => {
    const killed = await place.run(current);
    killed.kill("SIGKILL");
    await ended(killed);
    expect(existsSync(place.socket)).toBe(true);
    const workers = Array.from({ length: 4 }, () => place.start(current));
    const pid = await until(() => pidThere(place.socket), "a worker");
    await Promise.all(workers.filter((worker) => worker.pid !== pid).map(ended));
    expect(await pidThere(place.socket)).toBe(pid);
  });

  it("gives way to a newer one, which keeps the rest", async () => {
    const old = await place.run(current);
    const ids = Array.from({ length: 200 }, (_, at) => place.spoolEvent(toolPayload("s1", at)));
    const young = place.start(newer);
    expect(await ended(old)).toBe(0);
    await until(
      async () => ((await pidThere(place.socket)) === young.pid ? true : undefined),
      "the newer worker",
    );
    await call(place.socket, "drain", { timeoutMs: 60_000 });
    expect(await place.status()).toMatchObject({ version: "1.3.0", spool: { waiting: 0, bad: 0 } });
    expect(await place.withStore(async (store) => (await store.eventsById(ids)).length)).toBe(200);
  });

  it("stays when one of its own version or an older one comes", async () => {
    const young = await place.run(newer);
    expect(await ended(place.start(current))).toBe(0);
    expect(await ended(place.start(newer))).toBe(0);
    expect(await ask(place.socket, "handover", { args: { version: "1.3.0" } })).toMatchObject({ ok: false });
    expect(await pidThere(place.socket)).toBe(young.pid);
  });

  it("calls in the newer one that an installation has put in place", async () => {
    const old = await place.run(current, watchful);
    await place.status();
    const runtime = {
      version: "1.3.0",
      paused: false,
      excluded: [],
      worker: { node: process.execPath, script: newer },
    };
    writeFileSync(runtimeFile(place.home), JSON.stringify(runtime));
    expect(await ended(old)).toBe(0);
    const pid = await until(() => pidThere(place.socket), "the newer worker");
    expect(await place.status()).toMatchObject({ pid, version: "1.3.0" });
    await call(place.socket, "shutdown", { timeoutMs: 30_000 });
  });
});
