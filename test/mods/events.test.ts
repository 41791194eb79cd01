// The mod's events against a real worker: a thousand of them, lanes that change under them, and a worker that goes or hangs.
import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { pause } from "../../src/home/index.ts";
import { call } from "../../src/ipc/index.ts";
import { ended, until, workerHome } from "../worker/workers.ts";
import type { Host } from "./host.ts";
import { beginSession, chooseLane, startWorker } from "./session.ts";

const place = workerHome();

const callTool = (host: Host, at: number): Promise<unknown> =>
  host.classic("PostToolUse", {
    tool_name: "Bash",
    tool_use_id: `toolu_${at}`,
    tool_input: { command: `echo ${at}` },
    tool_response: { stdout: `${at}` },
  });

const numbers = (count: number): number[] => Array.from({ length: count }, (_, at) => at);

/** Calls from one number on, a few of them at a time. */
async function callTools(host: Host, from: number, count: number): Promise<void> {
  for (let at = from; at < from + count; at += 4)
    await Promise.all(numbers(Math.min(4, from + count - at)).map((one) => callTool(host, at + one)));
}

const named = (count: number): string[] =>
  numbers(count)
    .map((at) => `toolu_${at}`)
    .sort();

/** The tool calls that are kept, once the worker has taken in everything, and the lanes that they came by. */
async function kept(): Promise<{ calls: string[]; lanes: string[] }> {
  await call(place.socket, "drain", { timeoutMs: 60_000 });
  await call(place.socket, "shutdown", { timeoutMs: 60_000 });
  return place.withStore(async (store) => {
    const [calls, lanes]: [string[], Set<string>] = [[], new Set()];
    for (let cursor: string | undefined; ; ) {
      const page = await store.events({ limit: 500, ...(cursor === undefined ? {} : { cursor }) });
      for (const { kind, payload, lane } of page.items) {
        if (kind !== "tool") continue;
        calls.push(String(payload.tool_use_id));
        lanes.add(lane);
      }
      cursor = page.next;
      if (cursor === undefined) return { calls: calls.sort(), lanes: [...lanes].sort() };
    }
  });
}

async function begin(): Promise<{ host: Host; worker: ChildProcess }> {
  const worker = await startWorker(place);
  return { host: await beginSession(place), worker };
}

const end = (host: Host): Promise<unknown> => host.classic("SessionEnd", { reason: "other" });

describe("tool events of the mod", () => {
  it("are kept once each, all thousand of them", async () => {
    const { host } = await begin();
    await callTools(host, 0, 1_000);
    await end(host);
    const { calls, lanes } = await kept();
    expect(calls).toEqual(named(1_000));
    // A worker that has too much to do is late for some: those are the hooks'.
    expect(lanes).toContain("mods");
  }, 120_000);

  it("are neither lost nor doubled where the lane changes in the middle of them", async () => {
    const { host } = await begin();
    let at = 0;
    for (const lane of ["hooks", "mods", "hooks", "mods"]) {
      chooseLane(place, lane);
      // Until the worker has noticed, and some after it.
      for (let seen = 0; seen < 3; at += 4) {
        const before = host.left.length;
        await callTools(host, at, 4);
        const isLeft = host.left.length > before;
        seen += isLeft === (lane === "hooks") ? 1 : 0;
        await sleep(20);
      }
    }
    await end(host);
    expect(await kept()).toEqual({ calls: named(at), lanes: ["hooks", "mods"] });
  }, 120_000);

  it("are handed to the hook's own program where the worker stops answering, and delay nothing", async () => {
    const { host, worker } = await begin();
    await callTools(host, 0, 4);
    await until(() => host.requests() === 0 || undefined, "the first ones to be answered");
    worker.kill("SIGSTOP");
    await callTools(host, 4, 6);
    await end(host);
    expect(host.requests()).toBe(0);
    expect(host.programs.filter(([, file]) => file?.endsWith("capture.cjs"))).toHaveLength(6);
    expect(host.left).toEqual(["SessionEnd"]);
    worker.kill("SIGCONT");
    expect((await kept()).calls).toEqual(named(10));
  });

  it("find the next worker where the first is killed", async () => {
    const { host, worker } = await begin();
    await callTools(host, 0, 4);
    worker.kill("SIGKILL");
    await ended(worker);
    await callTools(host, 4, 4);
    await startWorker(place);
    await callTools(host, 8, 4);
    await end(host);
    expect(await kept()).toEqual({ calls: named(12), lanes: ["hooks", "mods"] });
  });

  it("are not sent to a program that has taken the port of a killed worker", async () => {
    const { host, worker } = await begin();
    const { port } = await place.status();
    await callTools(host, 0, 4);
    worker.kill("SIGKILL");
    await ended(worker);
    const told: unknown[] = [];
    const thief = createServer((request) => told.push(request.headers));
    thief.listen(Number(port), "127.0.0.1");
    await once(thief, "listening");
    await callTools(host, 4, 4);
    await end(host);
    thief.close();
    expect(told).toEqual([]);
    await startWorker(place);
    expect((await kept()).calls).toEqual(named(8));
  });

  it("are not kept while capture is paused", async () => {
    const { host } = await begin();
    await callTools(host, 0, 4);
    await host.classic("Stop");
    await call(place.socket, "drain", { timeoutMs: 60_000 });
    pause(place.home);
    await callTools(host, 4, 4);
    await end(host);
    expect((await kept()).calls).toEqual(named(4));
  });
});
