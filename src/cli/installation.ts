// What `install`, `uninstall`, `status` and `doctor` share: what to install, and the facts about an installation.

import { existsSync } from "node:fs";
import { homedir } from "node:os";
import path from "node:path";
import type { Config, LoadedConfig } from "../config/index.ts";
import {
  configStamp,
  currentExclusion,
  databaseFile,
  failedStart,
  type Home,
  isPaused,
  resolveHome,
  workerSocket,
} from "../home/index.ts";
import {
  type ClaudePlaces,
  type Complaint,
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
import { lossReport } from "../intake/index.ts";
import { ask } from "../ipc/index.ts";
import { defined, type ErrorCode, isObject, ownVersion, SECOND, ThroughlineError } from "../lib/index.ts";
import { probeProvider } from "../models/index.ts";
import { damageSummaries } from "../recovery/index.ts";
import { type CommandContext, commandContext, currentConfig, ownConfig, withDatabase } from "./context.ts";
import { sumOf } from "./output.ts";
import {
  commandLineProgram,
  hookProgram,
  modFolder,
  serverProgram,
  shellProgram,
  workerProgram,
} from "./package.ts";
import { paint } from "./terminal.ts";

/** The settings in effect, or what is wrong with them together with the user's own, if those can be read. */
function settingsInEffect(): Pick<LoadedConfig, "project"> & {
  readonly values?: Config;
  readonly problem?: Complaint;
} {
  try {
    return currentConfig();
  } catch (error) {
    if (!(error instanceof ThroughlineError)) throw error;
    const fix = error.fix ?? "fix that line";
    return { ...ownSettings(), problem: { what: error.message, fix } };
  }
}

function ownSettings(): { readonly values?: Config } {
  try {
    return { values: ownConfig().values };
  } catch (error) {
    if (error instanceof ThroughlineError) return {};
    throw error;
  }
}

interface DatabaseFindings {
  readonly problem?: Facts["database"]["problem"];
  readonly jobs?: Facts["jobs"];
}

const problemNames: { readonly [code in ErrorCode]?: "newer" | "damaged" | "busy" } = {
  "database-newer": "newer",
  "database-damaged": "damaged",
  "database-busy": "busy",
};

/** Reads the whole database. A known reason why it cannot be opened is a finding; anything else throws. */
async function inspectDatabase(home: Home, worker: WorkerReply): Promise<DatabaseFindings> {
  const file = databaseFile(home);
  // Opening migrates an older schema, which a worker of another version would not expect.
  if (!existsSync(file) || (typeof worker === "object" && worker.version !== ownVersion)) return {};
  try {
    return await withDatabase(async (store) => {
      const { dead } = await store.queueStats(Date.now());
      const lastError = (await store.deadJobs(1))[0]?.lastError;
      const jobs = defined({ dead, lastError });
      return (await store.integrityCheck()).ok ? { jobs } : { jobs, problem: "damaged" };
    });
  } catch (error) {
    if (!(error instanceof ThroughlineError)) throw error;
    const { code, message, fix = "`throughline data check` shows more" } = error;
    return { problem: problemNames[code] ?? { what: message, fix } };
  }
}

const PROVIDER_TIMEOUT_MS = 5 * SECOND;

/** Values of the project's file that are ignored. */
function projectFacts(project: LoadedConfig["project"]): Facts["project"] {
  const keys = (why: string) => [
    ...new Set((project?.ignored ?? []).filter((one) => one.why === why).map(({ key }) => key)),
  ];
  const [untrusted, notProject] = [keys("untrusted"), keys("not-project")];
  if (!project || untrusted.length + notProject.length + project.problems.length === 0) return undefined;
  const { file, trust, problems } = project;
  return { file, trust, untrusted, notProject, problems };
}

/** Facts beside the installation itself; the provider is asked only when `deep`. */
async function ownFacts(
  { home, cwd, env }: CommandContext,
  { problem, project: found }: ReturnType<typeof settingsInEffect>,
  { attempt }: ReturnType<typeof makeChecks>,
  deep: boolean,
) {
  const excluded = await attempt("the excluded folders", () => currentExclusion(home, env)(cwd), false);
  const project = projectFacts(found);
  const losses = await attempt("the events that were lost", () => lossReport(home), undefined);
  const start = await attempt("the last start of the worker", () => failedStart(home), undefined);
  // Only the user's own settings: a file in a repository must not decide which server is asked with which key.
  const probe = () => probeProvider(ownConfig().values.llm, env, PROVIDER_TIMEOUT_MS);
  const provider = deep && !problem ? await attempt("the model provider", probe, undefined) : undefined;
  return defined({
    project,
    config: problem,
    excludedFolder: excluded ? cwd : undefined,
    losses,
    provider,
    startFailure: start && { ...start, problem: start.problem ?? "" },
  });
}

export type Lane = Config["lane"];

export function claudePlacesOf({ env, cwd }: CommandContext): ClaudePlaces {
  return claudePlaces(env, env.HOME || homedir(), cwd);
}

/** THROUGHLINE_HOME has to be in the entries of the hooks: they run with the agent's environment, not with this one. */
function homeEnvironment({ env }: CommandContext): Record<string, string> {
  return env.THROUGHLINE_HOME ? { THROUGHLINE_HOME: path.resolve(env.THROUGHLINE_HOME) } : {};
}

interface RequestOptions {
  readonly project?: string | undefined;
  readonly lane?: Lane;
  /** A status line is asked for. */
  readonly hasStatusLine?: boolean;
}

/** An installation from this folder, or into the settings of another project. */
export function installRequest(
  scope: Scope,
  { project, lane, hasStatusLine = false }: RequestOptions = {},
): InstallRequest {
  const context = { ...commandContext(), ...defined({ cwd: project }) };
  // Only the user decides what holds for every project, never a repository.
  const config = configStamp(context.home);
  const { values } = ownConfig();
  // Claude Code takes plugin folders only from the user's own settings.
  const withMod = scope === "user" && (lane ?? values.lane) !== "hooks";
  return defined({
    home: context.home,
    scope,
    claude: claudePlacesOf(context),
    program: defined({
      ...hookProgram(),
      answersTools: values.budget.hooks,
      answersPrompts: values.inject.prompts,
      answersReads: values.inject.files,
      shell: shellProgram(),
      isBesideMod: withMod,
      answersCommands: scope === "user",
    }),
    runtime: defined({
      version: ownVersion,
      paused: isPaused(context.home),
      excluded: values.capture.exclude,
      config,
      worker: workerProgram(),
    }),
    env: homeEnvironment(context),
    modFolder: withMod ? modFolder() : undefined,
    statusLine: scope === "user" ? { ...commandLineProgram(), isWanted: hasStatusLine } : undefined,
  });
}

/** Everything that an installation changes, by file: hooks first, then the MCP server. */
export function prepareAll(request: InstallRequest): [PreparedInstall, ...PreparedInstall[]] {
  const server = prepareServer(request, serverProgram(request.env));
  return server ? [prepareInstall(request), server] : [prepareInstall(request)];
}

/** What answers at the worker's socket. */
export async function pingWorker(socket: string): Promise<WorkerReply> {
  const reply = await ask(socket, "ping", { timeoutMs: 2 * SECOND });
  if (reply === "absent") return "absent";
  if (typeof reply === "string" || !reply.ok || !isObject(reply.data)) return "foreign";
  return { version: String(reply.data.version), pid: Number(reply.data.pid) };
}

/** All facts; failed checks are among them. Without `deep` the database is not read. */
export async function installationFacts({ deep }: { readonly deep: boolean }): Promise<Facts> {
  const checks = makeChecks();
  const { attempt } = checks;
  // The working folder may have been deleted; everything else can still be checked.
  const elsewhere = { home: resolveHome(), cwd: path.parse(homedir()).root, env: process.env };
  const context = await attempt("the current folder", commandContext, elsewhere);
  const { home } = context;
  const settings = await attempt("the configuration", settingsInEffect, {});
  const worker = await attempt("the worker", () => pingWorker(workerSocket(home)), "absent");
  const { THROUGHLINE_HOME: homeVariable } = homeEnvironment(context);
  const claude = claudePlacesOf(context);
  const now = Date.now();
  const inspected = deep ? await attempt("the database", () => inspectDatabase(home, worker), {}) : {};
  const facts = await collectFacts(
    {
      version: ownVersion,
      home,
      ...defined({ homeVariable }),
      claude,
      wantedPort: settings.values?.worker.port ?? 0,
      now,
      askWorker: async () => worker,
      checkDatabase: async () => inspected.problem,
    },
    checks,
  );
  const lane = settings.values?.lane ?? "auto";
  const mod = await attempt("the mod", () => modFacts(home, claude, lane, now), undefined);
  const own = await ownFacts(context, settings, checks, deep);
  const damaged = await attempt("damaged databases", () => damagedFacts(home), undefined);
  return { ...facts, ...own, ...defined({ damaged, mod, jobs: inspected.jobs }) };
}

function damagedFacts(home: Home): Facts["damaged"] {
  const [newest] = damageSummaries(home);
  if (!newest) return undefined;
  const { folder, at, state, missing, problem } = newest;
  const rows = missing === null ? undefined : sumOf(missing);
  return defined({ folder, at, isDone: state === "done", missing: rows, problem: problem ?? undefined });
}

/** Queue and last event from the database while no worker answers; undefined when it cannot be opened. */
export async function storeState(file: string) {
  if (!existsSync(file)) return undefined;
  try {
    return await withDatabase(async (store) => {
      const [newest] = (await store.events({ limit: 1 })).items;
      return { queue: await store.queueStats(Date.now()), lastEventAt: newest?.at };
    });
  } catch {
    // `doctor` reports what is wrong with it.
    return undefined;
  }
}

/** The file and the lines that change. */
export function shownPlan(file: string, { before, after }: Plan) {
  const lines = lineDiff(before, after).map((line) => {
    if (line.startsWith("+")) return paint("green", line);
    return line.startsWith("-") ? paint("red", line) : line;
  });
  return [paint("bold", file), ...lines].join("\n");
}
