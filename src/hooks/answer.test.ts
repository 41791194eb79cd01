// The answering hooks as processes, beside a worker that is there, absent, dead, strange or silent.

import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import path from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { hookHouse, payloads, quiet } from "../../test/hookProcess.ts";
import { until } from "../../test/until.ts";
import { answerFile, lossFile, workerSocket, workerStateFile } from "../home/index.ts";
import { readLosses } from "../spool/index.ts";

const house = hookHouse();

interface Asked {
  readonly v: number;
  readonly id: string;
  readonly op: string;
  readonly args: { readonly event: unknown };
}

/** A worker that says `stdout` to everything; gives what it was asked. */
async function workerSaying(stdout: string): Promise<Asked[]> {
  const asked: Asked[] = [];
  await house.listen((line, socket) => {
    const request = JSON.parse(line) as Asked;
    asked.push(request);
    socket.write(`${JSON.stringify({ v: 1, id: request.id, ok: true, data: { stdout } })}\n`);
  });
  return asked;
}

/** The answer that lies ready for the project of the payloads. */
function layReady(stdout: object): void {
  const file = answerFile(house.home, "/home/dev/app");
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, JSON.stringify({ v: 1, stdout }));
}

/** A program that notes that it was started. */
function noteWhenStarted(): { readonly runs: () => number } {
  const script = path.join(house.folder, "worker.cjs");
  const note = path.join(house.folder, "started");
  writeFileSync(script, `require("node:fs").appendFileSync(${JSON.stringify(note)}, "started\\n");`);
  house.writeRuntime({ worker: { node: process.execPath, script } });
  return { runs: () => (existsSync(note) ? readFileSync(note, "utf8").trim().split("\n").length : 0) };
}

/** On a machine that has much else to do, the hook's own deadline may pass before its worker is heard. */
const withinTheDeadline = { retry: 5 };

describe("an answering hook with a worker", withinTheDeadline, () => {
  it.each(["answer", "precompact"] as const)(
    "%s spools its event, asks, and prints what is said",
    async (bundle) => {
      const asked = await workerSaying("remember the tests");
      const payload = bundle === "answer" ? payloads.prompt() : payloads.preCompact();
      expect(await house.runBeside(bundle, payload)).toEqual({ ...quiet, out: "remember the tests" });
      const events = house.events();
      expect(events).toHaveLength(1);
      expect(asked).toEqual([
        { v: 1, id: events[0]?.id, op: "answer", args: { event: events[0], project: "/home/dev/app" } },
      ]);
    },
  );

  it("prints nothing when nothing is said", async () => {
    await workerSaying("");
    layReady({ startup: "an older answer" });
    expect(await house.runBeside("answer", payloads.start())).toEqual(quiet);
  });

  it("does not ask while capturing is paused", async () => {
    const asked = await workerSaying("words");
    house.writeRuntime({ paused: true });
    expect(await house.runBeside("answer", payloads.start())).toEqual(quiet);
    expect(asked).toEqual([]);
  });
});

describe("an answering hook without a worker", () => {
  it("starts one, once, without waiting for it", async () => {
    const started = noteWhenStarted();
    expect(house.run("answer", payloads.start())).toEqual(quiet);
    await until(() => started.runs() > 0, "the worker to be started");
    expect(house.run("answer", payloads.prompt())).toEqual(quiet);
    await wait(200);
    expect(started.runs()).toBe(1);
    expect(house.events()).toHaveLength(2);
    expect(house.log()).toEqual([]);
  });

  it("prints nothing that a session was told when it began", () => {
    layReady({ startup: "ready words" });
    expect(house.run("answer", payloads.start({ source: "resume" }))).toEqual(quiet);
  });

  it("prints the answer that lies ready for this project and this kind of event", () => {
    layReady({ startup: "ready words" });
    expect(house.run("answer", payloads.start())).toMatchObject({ code: 0, out: "ready words" });
    expect(house.run("answer", payloads.prompt())).toEqual(quiet);
    expect(house.run("answer", payloads.start({ cwd: "/elsewhere" }))).toEqual(quiet);
    const fromBelow = house.run("answer", payloads.start({ cwd: "/home/dev/app/src" }), {
      CLAUDE_PROJECT_DIR: "/home/dev/app",
    });
    expect(fromBelow.out).toBe("ready words");
  });

  it("notes when it is not known how to start one", () => {
    expect(house.run("answer", payloads.start())).toEqual(quiet);
    expect(house.log()).toEqual([expect.stringContaining("does not say how to start one")]);
  });

  it("notes nothing worse when the program is gone", () => {
    house.writeRuntime({ worker: { node: path.join(house.folder, "no-node"), script: "x" } });
    expect(house.run("answer", payloads.start())).toEqual(quiet);
    expect(house.events()).toHaveLength(1);
  });

  it("starts one where a dead one left its socket", async () => {
    const started = noteWhenStarted();
    // A socket without a listener looks like a file that refuses connections.
    writeFileSync(workerSocket(house.home), "");
    expect(house.run("answer", payloads.start())).toEqual(quiet);
    await until(() => started.runs() > 0, "the worker to be started");
    expect(started.runs()).toBe(1);
  });
});

describe("an answering hook whose worker left its name", withinTheDeadline, () => {
  const leaveName = (state: unknown): void => {
    mkdirSync(house.home.state, { recursive: true });
    writeFileSync(workerStateFile(house.home), JSON.stringify(state));
  };

  it("does not ask at the socket of one that has died, and starts another", async () => {
    const started = noteWhenStarted();
    const asked = await workerSaying("words");
    const { pid } = spawnSync(process.execPath, ["-e", "0"]);
    leaveName({ pid });
    expect(await house.runBeside("answer", payloads.start())).toEqual(quiet);
    await until(() => started.runs() > 0, "the worker to be started");
    expect([started.runs(), asked.length]).toEqual([1, 0]);
  });

  it.each([{ pid: process.pid }, { pid: "1" }, { pid: -1 }, { pid: 1.5 }, null])(
    "asks when it lives, or when nothing can be read from the name: %j",
    async (state) => {
      await workerSaying("words");
      leaveName(state);
      expect(await house.runBeside("answer", payloads.start())).toEqual({ ...quiet, out: "words" });
    },
  );
});

describe("an answering hook beside something that is no worker", withinTheDeadline, () => {
  it.each([
    ["speaks another language", "HTTP/1.1 400 Bad Request\r\n\r\n"],
    ["sends half a line and leaves", '{"v":1,'],
    ["sends JSON of another kind", '{"hello":"world"}\n'],
    ["refuses", '{"v":1,"id":"x","ok":false,"error":{"code":"unknown-op","message":"what?"}}\n'],
    ["sends a line without end", "x".repeat(2 * 1024 * 1024)],
  ])("that %s: prints what lies ready and notes it", async (_, reply) => {
    layReady({ prompt: "ready words" });
    await house.listen((_line, socket) => socket.end(reply));
    expect(await house.runBeside("answer", payloads.prompt())).toEqual({ ...quiet, out: "ready words" });
    expect(house.events()).toHaveLength(1);
    expect(house.log()).toHaveLength(1);
  });

  it("that says nothing: gives up, and leaves it alone for a while", async () => {
    let asked = 0;
    await house.listen(() => {
      asked++;
    });
    layReady({ prompt: "ready words" });
    expect(await house.runBeside("answer", payloads.prompt())).toEqual({ ...quiet, out: "ready words" });
    expect(await house.runBeside("answer", payloads.prompt())).toEqual({ ...quiet, out: "ready words" });
    expect(asked).toBe(1);
    expect(house.log()).toHaveLength(2);
  });

  it("at the worker's port: does not care", async () => {
    const server = createServer((socket) => socket.destroy());
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    await workerSaying("words");
    expect(await house.runBeside("answer", payloads.prompt())).toEqual({ ...quiet, out: "words" });
    server.close();
  });
});

describe("an answering hook that cannot write its event", withinTheDeadline, () => {
  it("marks the loss and says what there is to say", async () => {
    await workerSaying("words");
    writeFileSync(path.join(house.home.state, "spool"), "");
    expect(await house.runBeside("answer", payloads.prompt())).toEqual({ ...quiet, out: "words" });
    expect(readLosses(lossFile(house.home))).toMatchObject({
      sessions: [{ session: "0d52b3bd-0000-4000-8000-000000000001" }],
    });
    expect(house.log().length).toBeGreaterThan(0);
  });
});
