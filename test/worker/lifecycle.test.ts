// Workers as processes: coming into office, side by side, killed, replaced, and leaving.
import { existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { describe, expect, it } from "vitest";
import { modTroubleFile, runtimeFile, tokenFile, workerLog, workerStateFile } from "../../src/home/index.ts";
import { ask, call } from "../../src/ipc/index.ts";
import { bundle, workerEntry } from "./bundle.ts";
import { promptPayload, toolPayload } from "./payloads.ts";
import { ended, pidThere, until, workerHome } from "./workers.ts";

const current = await bundle(workerEntry, "1.2.0");
const newer = await bundle(workerEntry, "1.3.0");
const place = workerHome();

/** A worker that may be idle for six seconds looks around every one and a half; one that may stay, every five. */
const watchful = { THROUGHLINE_WORKER_IDLE_MINUTES: "0.1" };

const modeOf = (file: string): number => statSync(file).mode & 0o777;

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

  it.skipIf(process.platform === "win32")("keeps all it writes to its owner", async () => {
    await place.run(current);
    await until(() => existsSync(workerStateFile(place.home)) || undefined, "the state file");
    for (const file of [
      place.socket,
      tokenFile(place.home),
      workerLog(place.home),
      workerStateFile(place.home),
    ]) {
      expect([file, modeOf(file) & 0o077]).toEqual([file, 0]);
    }
    expect(modeOf(place.home.state)).toBe(0o700);
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

  it("keeps events of any time, when clocks jump between them", async () => {
    await place.run(current);
    const times = [Date.now(), 0, Date.UTC(2100, 0, 1), Date.now() - 3_600_000, Date.now() + 3_600_000];
    const ids = times.map((now, at) => place.spoolEvent(toolPayload("s1", at), now));
    await call(place.socket, "drain");
    expect(await place.withStore(async (store) => (await store.eventsById(ids)).map(({ id }) => id))).toEqual(
      ids,
    );
    expect(await place.status()).toMatchObject({ spool: { waiting: 0, bad: 0 }, problem: null });
  });

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

describe("the socket", () => {
  it("answers what it does not know and what is no request, and goes on", async () => {
    await place.run(current);
    const connection = connect(place.socket).setEncoding("utf8");
    const lines: string[] = [];
    connection.on("data", (text: string) => lines.push(...text.split("\n").filter(Boolean)));
    connection.write(
      '{"v":1,"id":"a","op":"dance"}\nnonsense\n{"v":9,"id":"b","op":"ping"}\n{"v":1,"id":"c","op":"ping"}\n',
    );
    await until(() => (lines.length >= 4 ? true : undefined), "four answers");
    connection.destroy();
    expect(lines.map((line) => JSON.parse(line)).sort((a, b) => (a.id < b.id ? -1 : 1))).toMatchObject([
      { id: "", ok: false, error: { code: "bad-request" } },
      { id: "", ok: false, error: { code: "bad-request" } },
      { id: "a", ok: false, error: { code: "unknown-op" } },
      { id: "c", ok: true, data: { version: "1.2.0" } },
    ]);
  });

  it("hangs up on an endless line and serves the others", async () => {
    await place.run(current);
    const connection = connect(place.socket);
    const closed = new Promise((resolve) => connection.once("close", resolve));
    connection.on("error", () => connection.destroy());
    const chunk = Buffer.alloc(1024 * 1024, "x");
    for (let at = 0; at < 20; at++) connection.write(chunk);
    await closed;
    expect(await ask(place.socket, "ping")).toMatchObject({ ok: true });
  });

  it("answers a hook with nothing to say", async () => {
    await place.run(current);
    expect(await call(place.socket, "answer", { args: { event: {} } })).toEqual({});
  });
});
