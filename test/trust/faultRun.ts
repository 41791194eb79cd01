// A run with faults, in namespaces of its own: `PLAN [agent NUMBER]`. Agents report events while faults are done; then
// everything is put right, hooks start a worker once more, and what the store has is printed as JSON.
import { type ChildProcess, fork, spawnSync } from "node:child_process";
import { copyFileSync, existsSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { databaseFile, resolveHome, runtimeFile, spoolFolder, workerSocket } from "../../src/home/index.ts";
import { ask } from "../../src/ipc/index.ts";
import { isObject, type JsonObject } from "../../src/lib/index.ts";
import { openStore } from "../../src/store/index.ts";
import { seededRandom } from "../kill/seededRandom.ts";
import { exclusive, faults, prepare, type Scene } from "./faultKinds.ts";
import { isReady, noiseIn, runAgent } from "./faultsAgent.ts";
import { environment, eventsOf, type FaultPlan, happening } from "./faultsPlan.ts";

const plan: FaultPlan = JSON.parse(process.argv[2] ?? "{}");
const env = environment(plan);
const home = resolveHome({ env, platform: process.platform, homeFolder: plan.folder });
const socket = workerSocket(home);

interface Tally {
  readonly faults: Record<string, number>;
  readonly noise: string[];
  reported: number;
}

/** Starts the agents; each event of theirs waits until as large a part of the faults is done. */
function startAgents(tally: Tally, mayGoOn: () => boolean): { all: ChildProcess[]; done: Promise<unknown> } {
  const waiting = new Set<ChildProcess>();
  const all = Array.from({ length: plan.agents }, (_, agent) =>
    fork(process.argv[1] ?? "", [process.argv[2] ?? "", "agent", String(agent)], { execArgv: [] }),
  );
  for (const agent of all) {
    agent.on("message", (message) => {
      if (isReady(message)) waiting.add(agent);
      else {
        tally.reported++;
        if (noiseIn(message) !== "") tally.noise.push(noiseIn(message));
      }
    });
  }
  const pace = setInterval(() => {
    if (!mayGoOn()) return;
    for (const agent of waiting) if (agent.connected) agent.send("go");
    waiting.clear();
  }, 5);
  const done = Promise.all(all.map((agent) => new Promise((resolve) => agent.once("exit", resolve))));
  return { all, done: done.finally(() => clearInterval(pace)) };
}

/** Two at a time, of different kinds, until there were enough. */
async function doFaults(scene: Scene, tally: Tally, done: () => number): Promise<void> {
  // A worker is seldom there for long, so what is done to it comes up more often.
  const ofWorker = Object.keys(faults).filter((name) => /worker|descriptors/.test(name));
  const names = [...Object.keys(faults), ...ofWorker, ...ofWorker];
  const active = new Set<string>();
  const one = async (): Promise<void> => {
    while (done() < plan.faults) {
      const name = names[scene.random(names.length)] ?? "";
      if (active.has(exclusive(name))) {
        await sleep(10);
        continue;
      }
      active.add(exclusive(name));
      if (await faults[name]?.(scene)) tally.faults[name] = (tally.faults[name] ?? 0) + 1;
      active.delete(exclusive(name));
      await sleep(scene.random(200));
    }
  };
  await Promise.all([one(), one()]);
}

async function status(): Promise<JsonObject | undefined> {
  const reply = await ask(socket, "status", { timeoutMs: 5_000 });
  return typeof reply === "object" && reply.ok && isObject(reply.data) ? reply.data : undefined;
}

const isQuiet = (found: JsonObject | undefined): boolean =>
  isObject(found?.spool) && found.spool.waiting === 0 && isObject(found.losses) && found.losses.pending === 0;

const TIMEOUT_MS = 600_000;

/** A hook of a last session starts the worker, as it would in life. Gives its status when nothing comes in any more. */
async function settle(round: number): Promise<JsonObject> {
  const session = `5e559999-0000-4000-8000-00000000000${round}`;
  const payload = { hook_event_name: "SessionStart", session_id: session, cwd: "/", source: "startup" };
  const input = JSON.stringify(payload);
  let [added, since] = [-1, performance.now()];
  // A worker that was started a moment ago is not started again; this run does not wait for that.
  rmSync(path.join(home.state, "worker.started"), { force: true });
  for (const deadline = performance.now() + TIMEOUT_MS; performance.now() < deadline; await sleep(100)) {
    const found = await status();
    if (found === undefined)
      spawnSync(process.execPath, [path.join(plan.hooks, "answer.cjs")], { env, input });
    if (found === undefined || !isQuiet(found) || found.added !== added) {
      [added, since] = [Number(found?.added ?? -1), performance.now()];
    } else if (performance.now() - since > plan.stillMs) return found;
  }
  throw new Error("the worker did not settle");
}

async function shutdown(): Promise<void> {
  await ask(socket, "shutdown", { timeoutMs: 120_000 });
  while ((await ask(socket, "ping", { timeoutMs: 500 })) !== "absent") await sleep(50);
}

function expectedKeys(): string[] {
  return Array.from({ length: plan.agents }, (_, agent) =>
    Array.from({ length: eventsOf(plan, agent) }, (_, at) => happening(plan, agent, at).key ?? ""),
  )
    .flat()
    .filter(Boolean);
}

/** What the store has of each call and each prompt. */
async function storedKeys(): Promise<{ keys: string[]; lanes: Record<string, number>; ok: boolean }> {
  const store = await openStore({ file: databaseFile(home) });
  const keys: string[] = [];
  const lanes: Record<string, number> = {};
  let cursor: string | undefined;
  do {
    const page = await store.events({
      limit: 500,
      order: "oldest",
      ...(cursor === undefined ? {} : { cursor }),
    });
    for (const { kind, lane, payload } of page.items) {
      const key = kind === "prompt" ? payload.prompt_id : payload.tool_use_id;
      if (kind === "prompt" || kind === "tool" || kind === "tool-failure") {
        keys.push(String(key));
        lanes[lane] = (lanes[lane] ?? 0) + 1;
      }
    }
    cursor = page.next;
  } while (cursor !== undefined);
  const { ok } = await store.integrityCheck();
  await store.close();
  return { keys, lanes, ok };
}

/** How far the transcripts of lost events were read, of those that are known at all. */
function marksOf(lost: readonly string[]): string[] {
  const agents = new Set(lost.map((key) => `-p${key.split(/[-_]/)[1]}`));
  const found: unknown = JSON.parse(readFileSync(path.join(home.state, "transcripts.json"), "utf8"));
  return Object.values(isObject(found) ? found : {}).flatMap((mark) => {
    const file = isObject(mark) && typeof mark.file === "string" ? mark.file : "";
    if (!isObject(mark) || !agents.has(path.basename(path.dirname(file)))) return [];
    return `${path.basename(file)} ${mark.offset} of ${statSync(file).size}`;
  });
}

async function main(): Promise<void> {
  const random = seededRandom(plan.seed);
  prepare({ plan, home });
  // As installing leaves it: hooks know how a worker is started.
  const worker = { node: process.execPath, script: path.join(plan.hooks, "..", "worker.js") };
  const runtime = { version: "0.0.1", paused: false, excluded: [], worker };
  writeFileSync(runtimeFile(home), JSON.stringify(runtime), { mode: 0o600 });
  const tally: Tally = { faults: {}, noise: [], reported: 0 };
  const doneFaults = (): number => Object.values(tally.faults).reduce((sum, count) => sum + count, 0);
  const mayGoOn = (): boolean => tally.reported / plan.events <= doneFaults() / plan.faults + 0.02;
  const began = performance.now();
  const agents = startAgents(tally, mayGoOn);
  const killHook = (): void => {
    const agent = agents.all[random(agents.all.length)];
    if (agent?.connected) agent.send("kill");
  };
  await Promise.all([doFaults({ plan, home, random, killHook }, tally, doneFaults), agents.done]);
  const seconds = Math.round((performance.now() - began) / 1_000);
  // Once for what waits, and once more: every worker reads all transcripts when it starts.
  await settle(1);
  await shutdown();
  const found = await settle(2);
  await shutdown();
  const stored = await storedKeys();
  const expected = new Set(expectedKeys());
  const seen = new Set<string>();
  const doubled = stored.keys.filter((key) => seen.size === seen.add(key).size);
  const lost = [...expected].filter((key) => !seen.has(key));
  const log = path.join(home.state, "worker.log");
  if (lost.length + doubled.length > 0 && existsSync(log))
    copyFileSync(log, path.join(plan.folder, "worker.log"));
  console.log(
    JSON.stringify({
      ...{ seed: plan.seed, seconds, reported: tally.reported, faults: doneFaults(), kinds: tally.faults },
      ...{ expected: expected.size, lost, doubled, strange: [...seen].filter((key) => !expected.has(key)) },
      ...{ lanes: stored.lanes, ok: stored.ok, losses: found.losses, noise: [...new Set(tally.noise)] },
      ...(lost.length > 0 ? { marks: marksOf(lost) } : {}),
      spooled: existsSync(spoolFolder(home)) ? found.spool : "no spool",
      hookLog: existsSync(path.join(home.state, "hook.log"))
        ? readFileSync(path.join(home.state, "hook.log"), "utf8").split("\n").length
        : 0,
    }),
  );
}

await (process.argv[3] === "agent" ? runAgent(plan, Number(process.argv[4])) : main());
