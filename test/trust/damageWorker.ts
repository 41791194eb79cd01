// A worker on a damaged home, driven as a user and a hook drive it.
import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import { expect } from "vitest";
import { databaseFile, spoolFolder, workerSocket } from "../../src/home/index.ts";
import { ask, call } from "../../src/ipc/index.ts";
import { isObject, parseJson } from "../../src/lib/index.ts";
import { type DamageSummary, damageSummaries } from "../../src/recovery/index.ts";
import { writeEvent } from "../../src/spool/index.ts";
import { cliFile } from "../commandLine.ts";
import { captured } from "../worker/kept.ts";
import { promptPayload } from "../worker/payloads.ts";
import { homeIn } from "./damageBase.ts";

const run = promisify(execFile);

/** So long nothing may change before it is taken for the end. */
const STEADY_MS = 300;
const TIMEOUT_MS = 120_000;

const environment = (homeFolder: string): NodeJS.ProcessEnv => ({
  PATH: process.env.PATH,
  HOME: path.join(homeFolder, "nobody"),
  THROUGHLINE_HOME: homeFolder,
  THROUGHLINE_WORKER_PORT: "0",
});

export async function cli(homeFolder: string, ...args: string[]): Promise<string> {
  const { stdout } = await run(process.execPath, [cliFile, ...args], { env: environment(homeFolder) });
  return stdout;
}

/** Waits until everything spooled and every transcript is stored, and the work that follows from it is done. */
export async function startPlainWorker(homeFolder: string): Promise<void> {
  await cli(homeFolder, "worker", "start");
  const socket = workerSocket(homeIn(homeFolder));
  await call(socket, "drain");
  for (let idleSince = performance.now(); performance.now() - idleSince < STEADY_MS; await sleep(50)) {
    const status = await call(socket, "status");
    const { queue, recovering } = isObject(status) ? status : {};
    const isIdle = recovering === false && isObject(queue) && queue.ready === 0 && queue.leased === 0;
    if (!isIdle) idleSince = performance.now();
  }
}

export async function stopWorker(homeFolder: string): Promise<void> {
  await cli(homeFolder, "worker", "stop");
}

/**
 * Starts the worker and has it store an event. Gives the seconds until `status` was answered and the event stored. Where a
 * person has to put something right first, the event waits in the spool and is stored after that.
 */
export async function comesUp(
  homeFolder: string,
  session: string,
  repair: (() => void) | undefined,
): Promise<number> {
  const home = homeIn(homeFolder);
  const began = performance.now();
  await cli(homeFolder, "worker", "start");
  writeEvent(spoolFolder(home), captured(promptPayload(session, "is anybody there"), Date.now()));
  const answers = async (op: "status" | "drain"): Promise<boolean> => {
    const reply = await ask(workerSocket(home), op, { timeoutMs: 10_000 });
    return typeof reply === "object" && reply.ok;
  };
  const seconds = (): number => (performance.now() - began) / 1_000;
  const deadline = performance.now() + TIMEOUT_MS;
  const until = async (...ops: readonly ("status" | "drain")[]): Promise<void> => {
    // A worker that meets the damage only now is followed by another.
    for (const op of ops)
      while (!(await answers(op))) {
        if (performance.now() > deadline) throw new Error(`no answer to ${op}`);
        await sleep(50);
      }
  };
  if (repair === undefined) {
    await until("status", "drain");
    return seconds();
  }
  await until("status");
  const up = seconds();
  expect(await answers("drain")).toBe(false);
  repair();
  await until("drain");
  return up;
}

export async function statusOf(homeFolder: string): Promise<{ readonly damaged: readonly DamageSummary[] }> {
  return parseJson(await cli(homeFolder, "status", "--json")) as { damaged: DamageSummary[] };
}

/** Waits until nothing is left to salvage and the store was checked, and stays so for a moment. */
export async function settled(homeFolder: string, timeoutMs: number): Promise<readonly DamageSummary[]> {
  const deadline = performance.now() + timeoutMs;
  let [since, last] = [performance.now(), ""];
  while (performance.now() < deadline) {
    const { isQuiet, damaged } = await look(homeFolder);
    const seen = JSON.stringify({ isQuiet, damaged });
    if (!isQuiet || seen !== last) [since, last] = [performance.now(), seen];
    else if (performance.now() - since > STEADY_MS) return damaged;
    await sleep(100);
  }
  throw new Error(`not settled: ${last}`);
}

async function look(homeFolder: string): Promise<{ isQuiet: boolean; damaged: readonly DamageSummary[] }> {
  const home = homeIn(homeFolder);
  const damaged = damageSummaries(home);
  const reply = await ask(workerSocket(home), "status", { timeoutMs: 10_000 });
  const data = typeof reply === "object" && reply.ok && isObject(reply.data) ? reply.data : undefined;
  const isMarked = existsSync(`${databaseFile(home)}.damaged`);
  const isQuiet = data !== undefined && data.recovering === false && !isMarked;
  return { isQuiet: isQuiet && damaged.every(({ state }) => state === "done"), damaged };
}

/** What the next session's start says to the person. */
export async function startMessage(homeFolder: string, session: string): Promise<string | undefined> {
  const payload = { hook_event_name: "SessionStart", session_id: session, cwd: "/", source: "startup" };
  const event = captured(payload, Date.now());
  const reply = await call(workerSocket(homeIn(homeFolder)), "answer", { args: { event, project: "/" } });
  const said = isObject(reply) ? parseJson(String(reply.stdout ?? "")) : undefined;
  return isObject(said) && typeof said.systemMessage === "string" ? said.systemMessage : undefined;
}
