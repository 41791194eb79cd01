// Gathers the facts about an installation; looks at everything and changes nothing.
import { accessSync, constants, existsSync, lstatSync, readFileSync, statfsSync, statSync } from "node:fs";
import path from "node:path";
import {
  databaseFile,
  type Home,
  hookLog,
  pauseFile,
  type RuntimeState,
  receiptFile,
  runtimeFile,
  spoolFolder,
  tokenFile,
  type WorkerState,
  workerSocket,
  workerStateFile,
} from "../home/index.ts";
import { errorText, HOUR, isObject, MINUTE, namesIn, parseJson } from "../lib/index.ts";
import { type Checks, makeChecks } from "./attempt.ts";
import type { Facts, PluginFacts, SettingsFacts, WorkerReply } from "./facts.ts";
import { bundles, hookTable, ownCommands, ownProgram } from "./hookTable.ts";
import { type ClaudePlaces, settingsPlace } from "./places.ts";
import { readReceipt, type Scope, scopes } from "./receipt.ts";
import { openSettings } from "./settingsFile.ts";
import { isPlainJson, readSettings } from "./settingsText.ts";

interface Surroundings {
  readonly version: string;
  readonly home: Home;
  readonly homeVariable?: string;
  readonly claude: ClaudePlaces;
  readonly wantedPort: number;
  readonly now: number;
  /** Who answers at the worker's socket. */
  readonly askWorker: () => Promise<WorkerReply>;
  /** What is wrong with the database, if anything is; not asked when there is none. */
  readonly checkDatabase: () => Promise<Facts["database"]["problem"]>;
}

const pluginName = /^throughline@/;

const readObject = (file: string): Readonly<Record<string, unknown>> | undefined => {
  const value = existsSync(file) ? parseJson(readFileSync(file, "utf8")) : undefined;
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
    ...(typeof home === "string" ? { givesHome: home } : {}),
  };
}

/** The scopes of this folder, and the files elsewhere that a receipt knows of. */
function allSettings(
  claude: ClaudePlaces,
  home: Home,
): { settings: SettingsFacts[]; receipt: Facts["receipt"] } {
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

/** The administrator's settings, if they let no hooks of ours run. */
function barringFile({ managedFile }: ClaudePlaces): string | undefined {
  const managed = managedFile === undefined ? undefined : readObject(managedFile);
  const bars = managed?.allowManagedHooksOnly === true || managed?.disableAllHooks === true;
  return bars ? managedFile : undefined;
}

/** Our plugin is switched on in one of the scopes. */
export function pluginIsOn(claude: ClaudePlaces, home: Home): boolean {
  return allSettings(claude, home).settings.some(({ plugin }) => plugin);
}

function pluginFacts({ configFolder }: ClaudePlaces): PluginFacts | undefined {
  const installed = readObject(path.join(configFolder, "plugins", "installed_plugins.json"))?.plugins;
  const [, found] =
    Object.entries(isObject(installed) ? installed : {}).find(([name]) => pluginName.test(name)) ?? [];
  const [first]: unknown[] = Array.isArray(found) ? found : [];
  if (!isObject(first) || typeof first.installPath !== "string") return undefined;
  const folder = first.installPath;
  const complete = bundles.every((bundle) => existsSync(path.join(folder, "hooks", `${bundle}.cjs`)));
  return { version: String(first.version), folder, complete };
}

function runtimeFacts(home: Home): { runtime: Facts["runtime"]; workerProgramThere: boolean } {
  const file = runtimeFile(home);
  if (!existsSync(file)) return { runtime: "none", workerProgramThere: false };
  const found = readObject(file);
  const worker = isObject(found?.worker) ? found.worker : {};
  const { node, script } = worker;
  if (typeof found?.version !== "string" || typeof node !== "string" || typeof script !== "string") {
    return { runtime: "unreadable", workerProgramThere: false };
  }
  const excluded = Array.isArray(found.excluded) ? found.excluded.map(String) : [];
  const runtime: RuntimeState = {
    version: found.version,
    paused: found.paused === true,
    excluded,
    worker: { node, script },
  };
  return { runtime, workerProgramThere: existsSync(node) && existsSync(script) };
}

function workerState(home: Home): WorkerState | undefined {
  const found = readObject(workerStateFile(home));
  if (typeof found?.pid !== "number") return undefined;
  const { pid, version, socket, port, startedAt } = found;
  return {
    pid,
    version: String(version),
    socket: String(socket),
    port: Number(port),
    startedAt: String(startedAt),
  };
}

/** The folder itself, or the nearest above it that is there. */
function nearestFolder(folder: string): string {
  let at = path.resolve(folder);
  while (!existsSync(at) && at !== path.dirname(at)) at = path.dirname(at);
  return at;
}

function isWritable(folder: string): boolean {
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
  const [oldest] = waiting;
  const since =
    oldest === undefined
      ? now
      : (statSync(path.join(folder, oldest), { throwIfNoEntry: false })?.mtimeMs ?? now);
  return {
    writable: isWritable(folder),
    waiting: waiting.length,
    oldestMinutes: Math.max(0, Math.floor((now - since) / MINUTE)),
    bad: namesIn(path.join(folder, "bad")).length,
  };
}

function freeBytes(folder: string): number | undefined {
  try {
    const { bavail, bsize } = statfsSync(nearestFolder(folder));
    return bavail * bsize;
  } catch {
    return undefined;
  }
}

/** What others can read. In a closed folder everything is closed, so only its roots and its secrets are looked at. */
function openToOthers(home: Home): string[] {
  if (process.platform === "win32") return [];
  return [home.data, home.state, databaseFile(home), tokenFile(home), receiptFile(home)].filter(
    (file) => ((lstatSync(file, { throwIfNoEntry: false })?.mode ?? 0) & 0o077) !== 0,
  );
}

/** What hooks report of snapshots stands in the same log, line by line as scripts read it, and is no complaint. */
const isReport = (line: string): boolean => /^\S+ \S+ \S+: (?:INFO: |SNAPSHOT_|✅|⚠️)/u.test(line);

function hookTroubles(home: Home, now: number): Facts["troubles"] {
  const file = hookLog(home);
  if (!existsSync(file)) return { count: 0 };
  const recent = readFileSync(file, "utf8")
    .split("\n")
    .filter((line) => Date.parse(line.slice(0, line.indexOf(" "))) > now - 24 * HOUR && !isReport(line));
  const last = recent.at(-1);
  return last === undefined ? { count: 0 } : { count: recent.length, last };
}

const sizeOf = (file: string): number => statSync(file, { throwIfNoEntry: false })?.size ?? 0;

/** Never rejects: a check that throws is told among `failedChecks`, and the facts have the harmless value in its place. */
export async function collectFacts(around: Surroundings, checks: Checks = makeChecks()): Promise<Facts> {
  const { home, version, claude, homeVariable, wantedPort, now } = around;
  const { attempt, attemptLater, failed } = checks;
  const plugin = attempt("the plugin of Claude Code", () => pluginFacts(claude), undefined);
  const barredBy = attempt("the administrator's settings", () => barringFile(claude), undefined);
  const free = attempt("the free space", () => freeBytes(home.data), undefined);
  const state = attempt("the state of the worker", () => workerState(home), undefined);
  const socket = workerSocket(home);
  return {
    failedChecks: failed,
    version,
    home,
    ...(homeVariable === undefined ? {} : { homeVariable }),
    ...attempt("the settings of Claude Code", () => allSettings(claude, home), {
      settings: [],
      receipt: "none",
    }),
    ...(barredBy === undefined ? {} : { barredBy }),
    ...(plugin === undefined ? {} : { plugin }),
    ...attempt("runtime.json", () => runtimeFacts(home), {
      runtime: "unreadable",
      workerProgramThere: false,
    }),
    worker: await attemptLater("the worker", around.askWorker, "absent"),
    socket,
    socketLeft: attempt(
      "the worker's socket",
      () => lstatSync(socket, { throwIfNoEntry: false }) !== undefined,
      false,
    ),
    ...(state === undefined ? {} : { workerState: state }),
    wantedPort,
    paused: existsSync(pauseFile(home)),
    spool: attempt("the spool", () => spoolFacts(home, now), emptySpool),
    ...(free === undefined ? {} : { freeBytes: free }),
    database: await databaseFacts(around, checks),
    open: attempt("the modes of files", () => openToOthers(home), []),
    troubles: attempt("the hook log", () => hookTroubles(home, now), { count: 0 }),
  };
}

const emptySpool: Facts["spool"] = { writable: true, waiting: 0, oldestMinutes: 0, bad: 0 };

async function databaseFacts(
  { home, checkDatabase }: Surroundings,
  checks: Checks,
): Promise<Facts["database"]> {
  const file = databaseFile(home);
  const bytes = checks.attempt("the size of the database", () => sizeOf(file) + sizeOf(`${file}-wal`), 0);
  const problem = existsSync(file)
    ? await checks.attemptLater("the database", checkDatabase, undefined)
    : undefined;
  return { file, bytes, ...(problem === undefined ? {} : { problem }) };
}
