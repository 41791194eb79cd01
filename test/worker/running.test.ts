// A worker that runs: what it keeps, who may read what it writes, and what its socket answers.
import { existsSync, statSync } from "node:fs";
import { connect } from "node:net";
import { beforeAll, describe, expect, it } from "vitest";
import { tokenFile, workerLog, workerStateFile } from "../../src/home/index.ts";
import { ask, call } from "../../src/ipc/index.ts";
import { workerOfVersion } from "./bundle.ts";
import { toolPayload } from "./payloads.ts";
import { until, workerHome } from "./workers.ts";

const place = workerHome("file");
beforeAll(() => place.run(workerOfVersion("1.2.0")));

const modeOf = (file: string): number => statSync(file).mode & 0o777;

describe("a running worker", () => {
  it.skipIf(process.platform === "win32")("keeps all it writes to its owner", async () => {
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

  it("keeps events of any time, when clocks jump between them", async () => {
    const times = [Date.now(), 0, Date.UTC(2100, 0, 1), Date.now() - 3_600_000, Date.now() + 3_600_000];
    const ids = times.map((now, at) => place.spoolEvent(toolPayload("s1", at), now));
    await call(place.socket, "drain");
    expect(await place.withStore(async (store) => (await store.eventsById(ids)).map(({ id }) => id))).toEqual(
      ids,
    );
    expect(await place.status()).toMatchObject({ spool: { waiting: 0, bad: 0 }, problem: null });
  });
});

describe("the socket", () => {
  it("answers what it does not know and what is no request, and goes on", async () => {
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
    const connection = connect(place.socket);
    const closed = new Promise((resolve) => connection.once("close", resolve));
    connection.on("error", () => connection.destroy());
    const chunk = Buffer.alloc(1024 * 1024, "x");
    for (let at = 0; at < 20; at++) connection.write(chunk);
    await closed;
    expect(await ask(place.socket, "ping")).toMatchObject({ ok: true });
  });

  it("answers a hook with nothing to say", async () => {
    expect(await call(place.socket, "answer", { args: { event: {} } })).toEqual({});
  });
});
