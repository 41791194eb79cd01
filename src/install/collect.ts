// Collects the facts about an installation; changes nothing.

import { accessSync, constants, existsSync, statfsSync } from "node:fs";
import path from "node:path";
import { z } from "zod";
import {
  databaseFile,
  type Home,
  hookLog,
  modTroubleFile,
  pauseFile,
  receiptFile,
  runtimeFile,
  spoolFolder,
  tokenFile,
  workerSocket,
  workerStateFile,
} from "../home/index.ts";
import {
  DAY,
  defined,
  errorText,
  fileSize,
  isObject,
  lstatIfThere,
  MINUTE,
  namesIn,
  optionalString,
  readIfThere,
  readJson,
  statIfThere,
  ThroughlineError,
} from "../lib/index.ts";
import type { Facts, FailedCheck, PluginFacts, SettingsFacts, WorkerReply } from "./facts.ts";
import { hookTable, ownCommands, ownProgram } from "./hookTable.ts";
import { type ClaudePlaces, modFolderIn, PLUGIN_FOLDERS, settingsPlace } from "./places.ts";
import { readReceipt, type Scope, scopes } from "./receipt.ts";
import { isPlainJson, openSettings, readSettings } from "./settingsFile.ts";

/** Checks that may fail one by one: one that throws is recorded, and the others continue. */
export function makeChecks() {
  const failed: FailedCheck[] = [];
  /** The result of `look`, or `otherwise` when it throws. */
  const attempt = async <T>(check: string, look: () => T | Promise<T>, otherwise: T) => {
    try {
      return await look();
    } catch (error) {
      const fix = error instanceof ThroughlineError ? error.fix : undefined;
      failed.push(defined({ check, problem: errorText(error), fix }));
      return otherwise;
    }
  };
  return { failed: failed as readonly FailedCheck[], attempt };
}

type ModFacts = NonNullable<Facts["mod"]>;

/** The last failure of the mod within a day. */
function lastTrouble(home: Home, now: number) {
  const { at, what } = readObjectFile(modTroubleFile(home)) ?? {};
  return typeof at === "number" && typeof what === "string" && now - at < DAY
    ? `${new Date(at).toISOString()} ${what}`
    : undefined;
}

export function modFacts(home: Home, claude: ClaudePlaces, lane: ModFacts["lane"], now: number): ModFacts {
  const { env } = readObjectFile(settingsPlace("user", claude).file) ?? {};
  const folder = modFolderIn(isObject(env) ? env[PLUGIN_FOLDERS] : undefined);
  const there = folder === undefined ? undefined : existsSync(folder);
  return defined({ lane, folder, there, trouble: lastTrouble(home, now) });
}

interface FactSources {
  readonly version: string;
  readonly home: Home;
  readonly homeVariable?: string;
  readonly claude: ClaudePlaces;
  readonly wantedPort: number;
  readonly now: number;
  /** What answers at the worker's socket. */
  readonly askWorker: () => Promise<WorkerReply>;
  /** What is wrong with the database; not asked when there is none. */
  readonly checkDatabase: () => Promise<Facts["database"]["problem"]>;
}

const pluginName = /^throughline@/;

const readObjectFile = (file: string) => {
  const value = readJson(file);
  return isObject(value) ? value : undefined;
};

function settingsFacts(scope: Scope, file: string): SettingsFacts {
  const nothing = {
    scope,
    file,
    unread: false,
    disablesHooks: false,
    entries: [],
    missing: [],
    plugin: false,
  };
  let text: string;
  try {
    text = openSettings(file, 0o600).text;
  } catch (error) {
    return { ...nothing, problem: { line: 1, what: errorText(error) } };
  }
  const reading = readSettings(text);
  if (!reading.ok) return { ...nothing, problem: { line: reading.line, what: reading.problem } };
  const { value } = reading;
  const entries = ownCommands(value).map(({ event, command }) => {
    const { node, bundle } = ownProgram(command) ?? { node: "", bundle: "" };
    return { event, node, nodeThere: existsSync(node), bundle, bundleThere: existsSync(bundle) };
  });
  const events = new Set(entries.map(({ event }) => event));
  const home = isObject(value.env) ? value.env.THROUGHLINE_HOME : undefined;
  const plugins = isObject(value.enabledPlugins) ? Object.entries(value.enabledPlugins) : [];
  return {
    ...nothing,
    unread: !isPlainJson(text),
    disablesHooks: value.disableAllHooks === true,
    entries,
    missing:
      entries.length === 0 ? [] : hookTable.map(({ event }) => event).filter((event) => !events.has(event)),
    plugin: plugins.some(([name, on]) => pluginName.test(name) && on === true),
    ...defined({ givesHome: optionalString(home) }),
  };
}

/** The scopes of this folder, and other files that the receipt names. */
function allSettings(claude: ClaudePlaces, home: Home): Pick<Facts, "settings" | "receipt"> {
  const files = new Map<string, Scope>(scopes.map((scope) => [settingsPlace(scope, claude).file, scope]));
  let receipt: Facts["receipt"] = existsSync(receiptFile(home)) ? "readable" : "none";
  try {
    for (const { file, scope, lane } of readReceipt(home).installations)
      if (lane !== "mcp" && existsSync(file)) files.set(file, scope);
  } catch {
    receipt = "unreadable";
  }
  return { settings: [...files].map(([file, scope]) => settingsFacts(scope, file)), receipt };
}

/** The administrator's settings file, if it bars our hooks. */
function barringFile({ managedFile }: ClaudePlaces) {
  const managed = managedFile === undefined ? undefined : readObjectFile(managedFile);
  const bars = managed?.allowManagedHooksOnly === true || managed?.disableAllHooks === true;
  return bars ? managedFile : undefined;
}

/** Whether our plugin is enabled in one of the scopes. */
export function pluginIsOn(claude: ClaudePlaces, home: Home) {
  return allSettings(claude, home).settings.some(({ plugin }) => plugin);
}

function pluginFacts({ configFolder }: ClaudePlaces): PluginFacts | undefined {
  const installed = readObjectFile(path.join(configFolder, "plugins", "installed_plugins.json"))?.plugins;
  const [, found] =
    Object.entries(isObject(installed) ? installed : {}).find(([name]) => pluginName.test(name)) ?? [];
  const [first]: unknown[] = Array.isArray(found) ? found : [];
  if (!isObject(first) || typeof first.installPath !== "string") return undefined;
  const folder = first.installPath;
  const complete = existsSync(path.join(folder, "hooks", "run.sh"));
  return { version: String(first.version), folder, complete };
}

const runtimeSchema = z.object({
  version: z.string(),
  paused: z.boolean().catch(false),
  excluded: z.array(z.coerce.string()).catch([]),
  worker: z.object({ node: z.string(), script: z.string() }),
});

function runtimeFacts(home: Home): Pick<Facts, "runtime" | "workerProgramThere"> {
  const file = runtimeFile(home);
  const { data: runtime } = runtimeSchema.safeParse(readObjectFile(file));
  if (!runtime) return { runtime: existsSync(file) ? "unreadable" : "none", workerProgramThere: false };
  const { node, script } = runtime.worker;
  return { runtime, workerProgramThere: existsSync(node) && existsSync(script) };
}

const text = z.coerce.string();
const workerStateSchema = z.object({
  pid: z.number(),
  version: text,
  socket: text,
  port: z.coerce.number(),
  startedAt: text,
});

/** The folder itself, or its nearest existing ancestor. */
function nearestFolder(folder: string) {
  let at = path.resolve(folder);
  while (!existsSync(at) && at !== path.dirname(at)) at = path.dirname(at);
  return at;
}

function isWritable(folder: string) {
  try {
    accessSync(nearestFolder(folder), constants.W_OK | constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

function spoolFacts(home: Home, now: number): Facts["spool"] {
  const folder = spoolFolder(home);
  const waiting = namesIn(folder)
    .filter((name) => name.endsWith(".json"))
    .sort();
  const [oldest = "none"] = waiting;
  const { mtimeMs: since = now } = statIfThere(path.join(folder, oldest)) ?? {};
  return {
    writable: isWritable(folder),
    waiting: waiting.length,
    oldestMinutes: Math.max(0, Math.floor((now - since) / MINUTE)),
    bad: namesIn(path.join(folder, "bad")).length,
  };
}

function freeBytes(folder: string) {
  try {
    const { bavail, bsize } = statfsSync(nearestFolder(folder));
    return bavail * bsize;
  } catch {
    return undefined;
  }
}

/** Our files that other users can read. Only roots and secrets are checked: everything in a private folder is private. */
function openToOthers(home: Home) {
  if (process.platform === "win32") return [];
  return [home.data, home.state, databaseFile(home), tokenFile(home), receiptFile(home)].filter(
    (file) => ((lstatIfThere(file)?.mode ?? 0) & 0o077) !== 0,
  );
}

/** Lines about snapshots are in the same log, in the form that scripts parse, and are not errors. */
const isSnapshotReport = (line: string) => /^\S+ \S+ \S+: (?:INFO: |SNAPSHOT_|✅|⚠️)/u.test(line);

function hookTroubles(home: Home, now: number): Facts["troubles"] {
  const recent = (readIfThere(hookLog(home)) ?? "")
    .split("\n")
    .filter((line) => Date.parse(line.slice(0, line.indexOf(" "))) > now - DAY && !isSnapshotReport(line));
  return defined({ count: recent.length, last: recent.at(-1) });
}

/** Never rejects: a check that throws is in `failedChecks`, and its fact has a harmless value. */
export async function collectFacts(sources: FactSources, checks = makeChecks()): Promise<Facts> {
  const { home, version, claude, homeVariable, wantedPort, now } = sources;
  const { attempt, failed } = checks;
  /** For a fact that is absent when it cannot be found. */
  const optional = <T>(check: string, look: () => T | undefined) => attempt(check, look, undefined);
  const socket = workerSocket(home);
  const nothing = {
    settings: [],
    receipt: "none",
    runtime: "unreadable",
    workerProgramThere: false,
  } as const;
  return {
    failedChecks: failed,
    version,
    home,
    ...nothing,
    ...defined({
      homeVariable,
      barredBy: await optional("the administrator's settings", () => barringFile(claude)),
      plugin: await optional("the plugin of Claude Code", () => pluginFacts(claude)),
      workerState: await optional(
        "the state of the worker",
        () => workerStateSchema.safeParse(readObjectFile(workerStateFile(home))).data,
      ),
      freeBytes: await optional("the free space", () => freeBytes(home.data)),
    }),
    ...(await optional("the settings of Claude Code", () => allSettings(claude, home))),
    ...(await optional("runtime.json", () => runtimeFacts(home))),
    worker: await attempt("the worker", sources.askWorker, "absent"),
    socket,
    socketLeft: await attempt("the worker's socket", () => lstatIfThere(socket) !== undefined, false),
    wantedPort,
    paused: existsSync(pauseFile(home)),
    spool: await attempt("the spool", () => spoolFacts(home, now), emptySpool),
    database: await databaseFacts(sources, checks),
    open: await attempt("the modes of files", () => openToOthers(home), []),
    troubles: await attempt("the hook log", () => hookTroubles(home, now), { count: 0 }),
  };
}

const emptySpool: Facts["spool"] = { writable: true, waiting: 0, oldestMinutes: 0, bad: 0 };

async function databaseFacts(
  { home, checkDatabase }: FactSources,
  { attempt }: ReturnType<typeof makeChecks>,
): Promise<Facts["database"]> {
  const file = databaseFile(home);
  const bytes = await attempt("the size of the database", () => fileSize(file) + fileSize(`${file}-wal`), 0);
  const problem = existsSync(file) ? await attempt("the database", checkDatabase, undefined) : undefined;
  return defined({ file, bytes, problem });
}
