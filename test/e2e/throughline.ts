// Throughline as a user of a world has it: its commands run inside the sandbox, its database is read when all is quiet.

import { once } from "node:events";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { text } from "node:stream/consumers";
import { setTimeout as sleep } from "node:timers/promises";
import { databaseFile, type Home, resolveHome, spoolFolder, workerStateFile } from "../../src/home/index.ts";
import { LAST_WORDS_MS } from "../../src/intake/orphanedSessions.ts";
import { isObject, parseJson } from "../../src/lib/index.ts";
import {
  openStore,
  type Page,
  type PageRequest,
  type RedactedEvent,
  type Session,
  type UserPrompt,
} from "../../src/store/index.ts";
import { until } from "../until.ts";
import type { World } from "./world.ts";

const cliFile = path.resolve(import.meta.dirname, "../../dist/cli.js");

interface CommandOutcome {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

export interface Kept {
  readonly events: readonly RedactedEvent[];
  readonly sessions: readonly Session[];
  readonly prompts: readonly UserPrompt[];
}

export interface Throughline {
  readonly home: Home;
  run(...args: readonly string[]): Promise<CommandOutcome>;
  /** Runs a command that has to succeed. */
  must(...args: readonly string[]): Promise<CommandOutcome>;
  /** Signals the worker; false when none runs. */
  signalWorker(signal: NodeJS.Signals): boolean;
  /** Lets a worker take in everything that is spooled, stops it, and gives what the database holds then. */
  settle(): Promise<Kept>;
}

export function throughlineIn(
  world: Pick<World, "home" | "work" | "sandbox">,
  more: Readonly<Record<string, string>> = {},
): Throughline {
  const env = { PATH: "/usr/bin:/bin", HOME: world.home, NO_COLOR: "1", ...more };
  const home = resolveHome({ env, platform: process.platform, homeFolder: world.home });
  const run = async (...args: readonly string[]): Promise<CommandOutcome> => {
    const child = world.sandbox.spawn([process.execPath, cliFile, ...args], {
      cwd: world.work,
      env,
      stdio: ["ignore", "pipe", "pipe"],
    });
    const { stdout, stderr } = child;
    if (!stdout || !stderr) throw new Error("the command was started without pipes");
    const [out, err, [code]] = await Promise.all([text(stdout), text(stderr), once(child, "exit")]);
    return { code, out, err };
  };
  const must = async (...args: readonly string[]): Promise<CommandOutcome> => {
    const outcome = await run(...args);
    if (outcome.code === 0) return outcome;
    throw new Error(`throughline ${args.join(" ")}: exit ${outcome.code}\n${outcome.out}${outcome.err}`);
  };
  return {
    home,
    run,
    must,
    signalWorker(signal) {
      const pid = workerPid(home);
      // Its state may be that of a worker long gone: only a process of this world is ever signalled.
      if (pid === undefined || !world.sandbox.processes().includes(pid)) return false;
      return process.kill(pid, signal);
    },
    async settle() {
      await until(() => !world.sandbox.processes().some(isHook), "the hooks to end that no agent waits for");
      const takeIn = async (): Promise<Kept> => {
        await must("worker", "start");
        await until(() => spooled(home).length === 0, "the spool to be empty");
        await must("worker", "stop");
        return readDatabase(databaseFile(home));
      };
      // The second worker reads the transcripts that the first had no time for: `claude -p` ends hooks that
      // still run when it leaves, and what they would have reported is found there. An agent that left without
      // a word is given a moment before it is held to be gone.
      const { sessions } = await takeIn();
      if (sessions.some(({ status }) => status === "active")) await sleep(LAST_WORDS_MS);
      return takeIn();
    },
  };
}

function isHook(pid: number): boolean {
  try {
    return /\/hooks\/\w+\.cjs/.test(readFileSync(`/proc/${pid}/cmdline`, "utf8"));
  } catch {
    // It has ended meanwhile.
    return false;
  }
}

function workerPid(home: Home): number | undefined {
  const file = workerStateFile(home);
  const state = existsSync(file) ? parseJson(readFileSync(file, "utf8")) : undefined;
  return isObject(state) && typeof state.pid === "number" ? state.pid : undefined;
}

/** Events that wait to be taken in. */
export function spooled(home: Home): string[] {
  const folder = spoolFolder(home);
  return existsSync(folder) ? readdirSync(folder).filter((name) => name.endsWith(".json")) : [];
}

/** Only while no worker runs: it is the one writer. */
async function readDatabase(file: string): Promise<Kept> {
  const store = await openStore({ file });
  try {
    return {
      events: await all((request) => store.events(request)),
      sessions: await all((request) => store.sessions(request)),
      prompts: await all((request) => store.prompts(request)),
    };
  } finally {
    await store.close();
  }
}

async function all<T>(list: (request: PageRequest) => Promise<Page<T>>): Promise<T[]> {
  const items: T[] = [];
  let cursor: string | undefined;
  do {
    const page = await list({ limit: 500, order: "oldest", ...(cursor === undefined ? {} : { cursor }) });
    items.push(...page.items);
    cursor = page.next;
  } while (cursor !== undefined);
  return items;
}
