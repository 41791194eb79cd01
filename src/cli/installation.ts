// What `install`, `uninstall`, `status` and `doctor` share: where Claude Code is, and the facts about an installation.
import { existsSync } from "node:fs";
import { homedir } from "node:os";
import path from "node:path";
import type { Config } from "../config/index.ts";
import { configStamp, type Home, isPaused, resolveHome, workerSocket } from "../home/index.ts";
import {
  type ClaudePlaces,
  claudePlaces,
  collectFacts,
  type Facts,
  type InstallRequest,
  lineDiff,
  makeChecks,
  modFacts,
  type Plan,
  type PreparedInstall,
  prepareInstall,
  prepareServer,
  type Scope,
  type WorkerReply,
} from "../install/index.ts";
import { ask } from "../ipc/index.ts";
import { isObject, ownVersion } from "../lib/index.ts";
import { damageSummaries } from "../recovery/index.ts";
import { openStore, type QueueStats } from "../store/index.ts";
import { lookIntoDatabase, ownFacts, settingsHere } from "./checks.ts";
import { hookProgram, modFolder, serverProgram, workerProgram } from "./ownPackage.ts";
import { ownConfig, type Surroundings, surroundings } from "./surroundings.ts";
import { paint } from "./terminal.ts";

export type Lane = Config["lane"];

const WORKER_ANSWERS_WITHIN_MS = 2_000;
const SHELL = "/bin/sh";

export function claudeHere({ env, cwd }: Surroundings): ClaudePlaces {
  return claudePlaces(env, env.HOME || homedir(), cwd);
}

/** A home of one's own has to reach the hooks too: they run with the agent's environment, not with this one. */
function ownHome({ env }: Surroundings): Record<string, string> {
  return env.THROUGHLINE_HOME ? { THROUGHLINE_HOME: path.resolve(env.THROUGHLINE_HOME) } : {};
}

/** An installation from here, or into the settings of a project elsewhere. */
export function installRequest(
  scope: Scope,
  { project, lane }: { readonly project?: string | undefined; readonly lane?: Lane } = {},
): InstallRequest {
  const here = surroundings();
  const around = project === undefined ? here : { ...here, cwd: project };
  // What holds for every project is the user's own to say, never a repository's.
  const config = configStamp(around.home);
  const { values } = ownConfig();
  // Claude Code takes folders of plugins from nobody's settings but the user's own.
  const withMod = scope === "user" && (lane ?? values.lane) !== "hooks";
  return {
    home: around.home,
    scope,
    claude: claudeHere(around),
    program: {
      ...hookProgram(),
      answersTools: values.budget.hooks,
      ...(withMod && existsSync(SHELL) ? { shell: SHELL } : {}),
    },
    runtime: {
      version: ownVersion,
      paused: isPaused(around.home),
      excluded: values.capture.exclude,
      ...(config === undefined ? {} : { config }),
      worker: workerProgram(),
    },
    env: ownHome(around),
    ...(withMod ? { modFolder: modFolder() } : {}),
  };
}

/** Everything that an installation changes, file by file: hooks first, then the tools for the model. */
export function preparedFor(request: InstallRequest): [PreparedInstall, ...PreparedInstall[]] {
  const server = prepareServer(request, serverProgram(request.env));
  return [prepareInstall(request), ...(server === undefined ? [] : [server])];
}

/** Who answers at the worker's socket. */
export async function askForWorker(socket: string): Promise<WorkerReply> {
  const reply = await ask(socket, "ping", { timeoutMs: WORKER_ANSWERS_WITHIN_MS });
  if (reply === "absent") return "absent";
  if (typeof reply === "string" || !reply.ok || !isObject(reply.data)) return "foreign";
  return { version: String(reply.data.version), pid: Number(reply.data.pid) };
}

/** The folder of work may be gone; everything else can still be looked at. */
function surroundingsIfPossible({ attempt }: ReturnType<typeof makeChecks>): Surroundings {
  const elsewhere = { home: resolveHome(), cwd: path.parse(homedir()).root, env: process.env };
  return attempt("the current folder", surroundings, elsewhere);
}

/** Everything that can be known here; what cannot is told among it. Without `deep` the database is not read through. */
export async function factsHere({ deep }: { readonly deep: boolean }): Promise<Facts> {
  const checks = makeChecks();
  const around = surroundingsIfPossible(checks);
  const { home } = around;
  const settings = checks.attempt("the configuration", settingsHere, {});
  const worker = await checks.attemptLater("the worker", () => askForWorker(workerSocket(home)), "absent");
  const { THROUGHLINE_HOME: homeVariable } = ownHome(around);
  const claude = claudeHere(around);
  const now = Date.now();
  const lookedAt = deep
    ? await checks.attemptLater("the database", () => lookIntoDatabase(home, worker), {})
    : {};
  const facts = await collectFacts(
    {
      version: ownVersion,
      home,
      ...(homeVariable === undefined ? {} : { homeVariable }),
      claude,
      wantedPort: settings.values?.worker.port ?? 0,
      now,
      askWorker: async () => worker,
      checkDatabase: async () => lookedAt.problem,
    },
    checks,
  );
  const lane = settings.values?.lane ?? "auto";
  const mod = checks.attempt("the mod", () => modFacts({ home, claude, lane, now }), undefined);
  const own = await ownFacts(around, settings, checks, deep);
  const damaged = checks.attempt("damaged databases", () => damagedFacts(home), undefined);
  return {
    ...facts,
    ...own,
    ...(damaged === undefined ? {} : { damaged }),
    ...(mod === undefined ? {} : { mod }),
    ...(lookedAt.jobs === undefined ? {} : { jobs: lookedAt.jobs }),
  };
}

function damagedFacts(home: Home): Facts["damaged"] {
  const [newest] = damageSummaries(home);
  if (newest === undefined) return undefined;
  const { folder, at, state, missing, problem } = newest;
  const rows = missing === null ? undefined : Object.values(missing).reduce((sum, count) => sum + count, 0);
  return {
    ...{ folder, at, isDone: state === "done" },
    ...(rows === undefined ? {} : { missing: rows }),
    ...(problem === null ? {} : { problem }),
  };
}

interface StoreState {
  readonly queue: QueueStats;
  readonly lastEventAt?: string;
}

/** What the database says while no worker can be asked; nothing when there is none, or none that can be opened. */
export async function storeState(file: string): Promise<StoreState | undefined> {
  if (!existsSync(file)) return undefined;
  try {
    const store = await openStore({ file, mustExist: true });
    try {
      const [newest] = (await store.events({ limit: 1 })).items;
      const queue = await store.queueStats(Date.now());
      return { queue, ...(newest === undefined ? {} : { lastEventAt: newest.at }) };
    } finally {
      await store.close();
    }
  } catch {
    // What is wrong with it, `doctor` says.
    return undefined;
  }
}

/** A plan as a person reads it: the file, and the lines that change. */
export function shownPlan(file: string, { before, after }: Plan): string {
  const lines = lineDiff(before, after).map((line) => {
    if (line.startsWith("+")) return paint("green", line);
    return line.startsWith("-") ? paint("red", line) : line;
  });
  return [paint("bold", file), ...lines].join("\n");
}
