// Faults that are done to a running worker, its files, its disk and its clock, and undone after a moment.
import { spawnSync } from "node:child_process";
import { appendFileSync, existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { type Home, lossFile, runtimeFile, spoolFolder, workerSocket } from "../../src/home/index.ts";
import { ask } from "../../src/ipc/index.ts";
import { DAY, isObject } from "../../src/lib/index.ts";
import { clockFile, type FaultPlan } from "./faultsPlan.ts";

export type Random = (below: number) => number;

export interface Scene {
  readonly plan: FaultPlan;
  readonly home: Home;
  readonly random: Random;
  /** Kills the hook that an agent runs just now. */
  killHook(): void;
}

/** False when there was nothing to do it to. */
type Fault = (scene: Scene) => Promise<boolean>;

const FEW_DESCRIPTORS = 128;

async function workerPid({ home }: Scene): Promise<number | undefined> {
  const reply = await ask(workerSocket(home), "ping", { timeoutMs: 500 });
  return typeof reply === "object" && reply.ok && isObject(reply.data) ? Number(reply.data.pid) : undefined;
}

/** How long a fault lasts: from 100 ms to the longest of the plan. */
const duration = ({ plan, random }: Pick<Scene, "plan" | "random">): number =>
  100 + random(plan.longestMs - 100);

/** Does something to the worker, if there is one, and undoes it after a moment. */
async function toWorker(
  scene: Scene,
  act: (pid: number) => void,
  undo?: (pid: number) => void,
): Promise<boolean> {
  const pid = await workerPid(scene);
  if (pid === undefined) return false;
  act(pid);
  if (undo === undefined) return true;
  await sleep(duration(scene));
  undo(pid);
  return true;
}

/** A process may be gone by the time; then it needs no signal. */
function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch {
    return;
  }
}

const limit = (pid: number, files: number): void => {
  spawnSync("prlimit", ["--pid", String(pid), `--nofile=${files}:${FEW_DESCRIPTORS}`]);
};

function stateFiles(home: Home): string[] {
  const names = [
    "worker.json",
    "transcripts.json",
    "token",
    "worker.started",
    "losses.json",
    "worker.silent",
  ];
  return [runtimeFile(home), lossFile(home), ...names.map((name) => path.join(home.state, name))].filter(
    (file) => existsSync(file),
  );
}

/** Fills the disk to the last byte. */
function fill(file: string): void {
  writeFileSync(file, "");
  for (let size = 1024 * 1024; size >= 1; ) {
    try {
      appendFileSync(file, Buffer.alloc(size));
    } catch {
      // No room for so much; perhaps for less.
      size = Math.floor(size / 4);
    }
  }
}

const mount = (...args: string[]): boolean => spawnSync("mount", args).status === 0;

export const faults: Readonly<Record<string, Fault>> = {
  "worker killed": (scene) => toWorker(scene, (pid) => signal(pid, "SIGKILL")),
  "worker stopped": (scene) =>
    toWorker(
      scene,
      (pid) => signal(pid, "SIGSTOP"),
      (pid) => signal(pid, "SIGCONT"),
    ),
  "few descriptors": (scene) =>
    toWorker(
      scene,
      (pid) => limit(pid, 20 + scene.random(20)),
      (pid) => limit(pid, FEW_DESCRIPTORS),
    ),
  "hook killed": async ({ killHook, random }) => {
    await sleep(random(60));
    killHook();
    return true;
  },
  "socket removed": async ({ home }) => {
    const socket = workerSocket(home);
    if (!existsSync(socket)) return false;
    rmSync(socket, { force: true });
    return true;
  },
  "state file garbage": async ({ home, random }) => {
    const files = stateFiles(home);
    const file = files[random(files.length)];
    if (file === undefined) return false;
    const garbage = Buffer.from(Array.from({ length: random(200) }, () => random(256)));
    try {
      writeFileSync(file, garbage);
      return true;
    } catch {
      // The disk may be full just now.
      return false;
    }
  },
  "spool is a file": async ({ plan, home, random }) => {
    const spool = spoolFolder(home);
    if (!existsSync(spool)) return false;
    renameSync(spool, `${spool}.aside`);
    try {
      writeFileSync(spool, "");
      await sleep(duration({ plan, random }));
    } finally {
      rmSync(spool, { recursive: true, force: true });
      renameSync(`${spool}.aside`, spool);
    }
    return true;
  },
  "spool read-only": async ({ plan, home, random }) => {
    const spool = spoolFolder(home);
    if (!existsSync(spool) || !mount("--bind", spool, spool)) return false;
    const done = mount("-o", "remount,ro,bind", spool);
    await sleep(duration({ plan, random }));
    // Lazily: a process may be in the middle of something there.
    spawnSync("umount", ["-l", spool]);
    return done;
  },
  "clock moved": async ({ plan, random }) => {
    writeFileSync(clockFile(plan), String((random(2) === 0 ? -400 : 400) * DAY));
    await sleep(duration({ plan, random }));
    writeFileSync(clockFile(plan), "0");
    return true;
  },
  "disk full": async ({ plan, random }) => {
    const filler = path.join(plan.disk, "filler");
    fill(filler);
    await sleep(duration({ plan, random }));
    rmSync(filler, { force: true });
    return true;
  },
};

/** What may not be done twice at the same time. */
export const exclusive = (name: string): string => (name.startsWith("spool") ? "spool" : name);

export function prepare({ plan, home }: Pick<Scene, "plan" | "home">): void {
  mkdirSync(home.state, { recursive: true, mode: 0o700 });
  writeFileSync(clockFile(plan), "0");
}
