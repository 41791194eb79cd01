// A worker as a process: started, with settings that do not fit, and stopped.
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { describe, expect, it } from "vitest";
import { modTroubleFile, runtimeFile, workerLog, workerStateFile } from "../../src/home/index.ts";
import { call } from "../../src/ipc/index.ts";
import { workerOfVersion } from "./bundle.ts";
import { promptPayload, toolPayload } from "./payloads.ts";
import { ended, until, workerHome } from "./workers.ts";

const current = workerOfVersion("1.2.0");
const place = workerHome();

/** A worker that may be idle for three seconds looks around every 750 ms; one that may stay, every five seconds. */
const watchful = { THROUGHLINE_WORKER_IDLE_MINUTES: "0.05" };

describe("a worker", () => {
  it("keeps what is spooled, says where it is, and leaves when asked", async () => {
    const early = place.spoolEvent(promptPayload("s1", "before it runs"));
    const worker = await place.run(current);
    const late = place.spoolEvent(toolPayload("s1", 1));
    await call(place.socket, "drain");
    expect(JSON.parse(readFileSync(workerStateFile(place.home), "utf8"))).toMatchObject({
      pid: worker.pid,
      version: "1.2.0",
      socket: place.socket,
      port: expect.any(Number),
    });
    expect(JSON.parse(readFileSync(runtimeFile(place.home), "utf8"))).toMatchObject({
      version: "1.2.0",
      paused: false,
      excluded: [],
      worker: { node: process.execPath, script: current },
    });
    await call(place.socket, "shutdown", { timeoutMs: 30_000 });
    expect(await ended(worker)).toBe(0);
    expect([existsSync(place.socket), existsSync(workerStateFile(place.home))]).toEqual([false, false]);
    const kept = await place.withStore((store) => store.eventsById([early, late]));
    expect(kept.map(({ id }) => id)).toEqual([early, late]);
  });

  it("ends what the mod had to complain about before it came", async () => {
    mkdirSync(place.home.state, { recursive: true });
    writeFileSync(modTroubleFile(place.home), '{"at":1,"what":"no worker answers (event)"}');
    await place.run(current);
    await until(() => !existsSync(modTroubleFile(place.home)) || undefined, "the complaint to be gone");
  });

  it("finishes and leaves at a signal, with what was still spooled", async () => {
    const worker = await place.run(current);
    await place.status();
    const ids = Array.from({ length: 300 }, (_, at) => place.spoolEvent(toolPayload("s1", at)));
    worker.kill("SIGTERM");
    expect(await ended(worker)).toBe(0);
    expect(await place.withStore(async (store) => (await store.eventsById(ids)).length)).toBe(300);
  });

  it("leaves when its socket is taken away", async () => {
    const worker = await place.run(current, watchful);
    await place.status();
    rmSync(place.socket);
    expect(await ended(worker)).toBe(0);
    expect(readFileSync(workerLog(place.home), "utf8")).toContain('"reason":"replaced"');
  });

  it("stops after the configured idle time", async () => {
    const worker = place.start(current, { THROUGHLINE_WORKER_IDLE_MINUTES: "0.02" });
    expect(await ended(worker)).toBe(0);
    expect(readFileSync(workerLog(place.home), "utf8")).toContain('"reason":"idle"');
  });

  it("takes the next port when another program has the wanted one", async () => {
    const other = createServer().listen(0, "127.0.0.1");
    await new Promise((resolve) => other.once("listening", resolve));
    const { port } = other.address() as AddressInfo;
    await place.run(current, { THROUGHLINE_WORKER_PORT: String(port) });
    const status = await place.status();
    expect(status.port).not.toBe(port);
    expect(await (await fetch(`http://127.0.0.1:${status.port}/health`)).json()).toEqual({ status: "ok" });
    other.close();
  });

  it("works with settings that do not fit, and says so in its log", async () => {
    mkdirSync(place.home.config, { recursive: true });
    writeFileSync(`${place.home.config}/config.jsonc`, '{ "no": "such key" }');
    const id = place.spoolEvent(toolPayload("s1", 1));
    await place.run(current);
    await call(place.socket, "drain");
    expect(await place.withStore(async (store) => (await store.eventsById([id])).length)).toBe(1);
    expect(readFileSync(workerLog(place.home), "utf8")).toContain("settings.unreadable");
  });

  it("keeps nothing while it is not known what is excluded, and everything afterwards", async () => {
    mkdirSync(place.home.config, { recursive: true });
    writeFileSync(`${place.home.config}/config.jsonc`, "{ broken");
    const id = place.spoolEvent(toolPayload("s1", 1));
    await place.run(current);
    await expect(call(place.socket, "drain")).rejects.toThrow("it is not known what");
    expect((await place.status()).problem).toContain("it is not known what");
    writeFileSync(`${place.home.config}/config.jsonc`, "{}");
    await call(place.socket, "drain");
    expect(await place.withStore(async (store) => (await store.eventsById([id])).length)).toBe(1);
  });
});
