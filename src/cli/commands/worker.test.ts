// The commands around the worker as a person types them: start, look, pause, forget, stop.
import { mkdirSync } from "node:fs";
import { afterEach, describe, expect, it } from "vitest";
import { commandLine } from "../../../test/commandLine.ts";
import { captured } from "../../../test/worker/kept.ts";
import { promptPayload } from "../../../test/worker/payloads.ts";
import { databaseFile, spoolFolder } from "../../home/index.ts";
import { writeEvent } from "../../spool/index.ts";
import { openStore } from "../../store/index.ts";
import { connect } from "../../store/sqlite/connection.ts";

const terminal = commandLine();
const { run } = terminal;
const port = { THROUGHLINE_WORKER_PORT: "0" };

afterEach(() => {
  run(["worker", "stop"]);
});

describe("throughline worker", () => {
  it("starts once, says what it does, and stops", () => {
    expect(run(["worker", "status"])).toMatchObject({
      code: 3,
      out: expect.stringContaining("no worker is running"),
    });
    expect(run(["worker", "stop"])).toMatchObject({ code: 0, out: "no worker is running\n" });
    expect(run(["worker", "start"], port)).toMatchObject({
      code: 0,
      out: expect.stringMatching(/^started: process \d+/),
    });
    expect(run(["worker", "start"], port).out).toMatch(/^already running: process \d+/);
    expect(terminal.json("worker", "status")).toMatchObject({
      running: true,
      rss: expect.any(Number),
      spool: { waiting: 0, bad: 0 },
      problem: null,
    });
    expect(run(["worker", "status"]).out).toMatch(/^memory +\d+ MB$/m);
    expect(run(["worker", "run"], port)).toMatchObject({
      code: 0,
      out: expect.stringContaining("already running"),
    });
    expect(run(["worker", "stop"])).toMatchObject({ code: 0, out: "stopped\n" });
    expect(run(["worker", "logs"]).out).toMatch(
      /worker\.started.*\n(.*\n)*.*worker\.stopped {2}reason=shutdown/,
    );
    expect(terminal.json("worker", "logs", "-n", "1")).toMatchObject({ lines: [{ msg: "worker.stopped" }] });
  });

  it("says why and ends with 1 when the worker cannot work", async () => {
    const store = await openStore({ file: databaseFile(terminal.home) });
    await store.close();
    const db = await connect(databaseFile(terminal.home));
    db.exec("INSERT INTO migrations (name, applied_at) VALUES ('2099-01-later', '2099-01-01')");
    db.close();
    const { code, err } = run(["worker", "start"], port);
    expect(code).toBe(1);
    expect(err).toContain("was changed by a newer version of Throughline");
    expect(err).toContain("fix: upgrade: npm install -g throughline@latest");
  });

  it("has no log before it ever ran, and takes no number that is none", () => {
    expect(run(["worker", "logs"]).out).toBe("there is no log yet\n");
    expect(run(["worker", "logs", "-n", "few"]).code).toBe(2);
  });
});

describe("throughline pause and resume", () => {
  it("say what they change", () => {
    expect(run(["pause"]).out).toBe("paused; `throughline resume` continues\n");
    expect(run(["pause"]).out).toMatch(/^already paused since 20/);
    expect(terminal.json("resume")).toMatchObject({ paused: false, changed: true });
    expect(run(["resume"]).out).toBe("capture was not paused\n");
  });
});

describe("throughline forget", () => {
  it.each([false, true])("shows, deletes and looks again, with a worker: %s", (withWorker) => {
    if (withWorker) run(["worker", "start"], port);
    mkdirSync(terminal.home.state, { recursive: true, mode: 0o700 });
    writeEvent(spoolFolder(terminal.home), captured(promptPayload("session-a", "forget me"), Date.now()));
    writeEvent(spoolFolder(terminal.home), captured(promptPayload("session-b", "keep me"), Date.now()));
    expect(run(["forget", "--session", "session-a"]).out).toContain("--yes deletes it permanently");
    expect(run(["forget", "--session", "session-a", "--yes"])).toMatchObject({
      code: 0,
      out: expect.stringContaining("Checked again: nothing is left."),
    });
    expect(run(["forget", "--session", "session-a"]).out).toBe("session session-a: nothing is stored\n");
    expect(run(["forget", "--session", "session-b"]).out).toContain("--yes deletes it permanently");
  });

  it("wants to know what, and no nonsense", () => {
    expect(run(["forget"])).toMatchObject({
      code: 2,
      err: expect.stringContaining("forget needs a session, a project, a period or an item"),
    });
    expect(run(["forget", "--from", "someday"])).toMatchObject({
      code: 2,
      err: expect.stringContaining("--from must be a day or an ISO time, not someday"),
    });
  });
});
