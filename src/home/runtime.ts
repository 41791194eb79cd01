// The small files by which the worker is found and spoken to: its state, its token, and what hooks may know.
import { randomBytes } from "node:crypto";
import { utimesSync } from "node:fs";
import {
  defined,
  errorText,
  isNewer,
  isObject,
  isoTime,
  isRunning,
  lstatIfThere,
  optionalString,
  readIfThere,
  readJson,
  removeFile,
  systemErrorCode,
  ThroughlineError,
  tolerating,
  writeFileAtomic,
  writeJson,
} from "../lib/index.ts";
import type { Home } from "./paths.ts";
import {
  modTroubleFile,
  pauseFile,
  type RuntimeState,
  runtimeFile,
  type SnapshotRules,
  startFile,
  tokenFile,
  type WorkerStart,
  type WorkerState,
  workerStateFile,
} from "./stateFiles.ts";

const TOKEN_BYTES = 32;
const OPEN_TO_OTHERS = 0o077;

function readObject(file: string): Readonly<Record<string, unknown>> | undefined {
  const value = readJson(file);
  return isObject(value) ? value : undefined;
}

const writeObject = (file: string, value: object) => writeJson(file, value, 2);

/** The state file of the last worker, which may be dead by now. */
export function readWorkerState(home: Home): WorkerState | undefined {
  const found = readObject(workerStateFile(home));
  if (!found) return undefined;
  const { pid, version, socket, port, startedAt } = found;
  if (typeof pid !== "number" || typeof version !== "string" || typeof socket !== "string") return undefined;
  return { pid, version, socket, port: Number(port) || 0, startedAt: String(startedAt) };
}

export function writeWorkerState(home: Home, state: WorkerState) {
  writeObject(workerStateFile(home), state);
}

/** Records that a worker is starting, or why its start failed. An error while writing, such as a full disk, is ignored. */
export function noteStart(home: Home, version: string, error?: unknown) {
  const fix = error instanceof ThroughlineError ? error.fix : undefined;
  const problem = error === undefined ? undefined : errorText(error);
  const start: WorkerStart = {
    pid: process.pid,
    version,
    at: isoTime(Date.now()),
    ...defined({ problem, fix }),
  };
  try {
    writeObject(startFile(home), start);
  } catch (failure) {
    if (systemErrorCode(failure) === undefined) throw failure;
  }
}

export function forgetStart(home: Home) {
  removeFile(startFile(home));
}

/** The last start that failed; undefined when it succeeded or still runs. */
export function failedStart(home: Home): WorkerStart | undefined {
  const { pid, version, at, problem, fix } = readObject(startFile(home)) ?? {};
  if (typeof pid !== "number" || typeof at !== "string" || isRunning(pid)) return undefined;
  return {
    pid,
    version: String(version),
    at,
    problem: typeof problem === "string" ? problem : "it was ended, or crashed, without a word",
    ...(typeof fix === "string" && { fix }),
  };
}

/** Removes the trouble that the mod noted while no worker ran. */
export function forgetModTrouble(home: Home) {
  removeFile(modTroubleFile(home));
}

/** Touches the state file as a heartbeat for processes that cannot wait for an answer. */
export function stirWorkerState(home: Home) {
  const now = new Date();
  // A missing state file means the same.
  tolerating(() => utimesSync(workerStateFile(home), now, now), "ENOENT");
}

/** Leaves the state file of a worker that has taken over in the meantime. */
export function removeWorkerState(home: Home, pid: number) {
  if (readWorkerState(home)?.pid === pid) removeFile(workerStateFile(home));
}

function isPrivate(file: string) {
  const stat = lstatIfThere(file);
  if (!stat?.isFile()) return false;
  return process.platform === "win32" || (stat.mode & OPEN_TO_OTHERS) === 0;
}

/** The token of the HTTP server. A token in a file that other users can read is replaced. */
export function ensureToken(home: Home) {
  const file = tokenFile(home);
  const known = isPrivate(file) ? readIfThere(file)?.trim() : undefined;
  if (known !== undefined && known.length >= TOKEN_BYTES) return known;
  const token = randomBytes(TOKEN_BYTES).toString("base64url");
  writeFileAtomic(file, `${token}\n`);
  return token;
}

export function readRuntime(home: Home): RuntimeState | undefined {
  const found = readObject(runtimeFile(home));
  if (!found || !isObject(found.worker)) return undefined;
  const { version, paused, excluded, config, worker, snapshot } = found;
  const { node, script } = worker;
  if (typeof version !== "string" || typeof node !== "string" || typeof script !== "string") return undefined;
  const texts = Array.isArray(excluded) ? excluded.filter((item) => typeof item === "string") : [];
  return {
    version,
    paused: paused === true,
    excluded: texts,
    ...defined({ config: optionalString(config) }),
    worker: { node, script },
    ...defined({ snapshot: readSnapshotRules(snapshot) }),
  };
}

function readSnapshotRules(value: unknown): SnapshotRules | undefined {
  if (!isObject(value) || typeof value.hours !== "number") return undefined;
  return {
    enabled: value.enabled !== false,
    hours: value.hours,
    language: value.language === "zh" ? "zh" : "en",
  };
}

interface RuntimeChange {
  readonly version: string;
  /** What is excluded, and the stamp of the settings that say so; as they were where those cannot be read. */
  readonly capture?: { readonly excluded: readonly string[]; readonly config: string } | undefined;
  /** How a worker of this version is started. */
  readonly worker: RuntimeState["worker"];
  /** As they were unless given. */
  readonly snapshot?: SnapshotRules;
}

/** A stamp that no files have: hooks read the user's own. */
const NO_STAMP = "unknown";

const captureOf = (before: RuntimeState | undefined): NonNullable<RuntimeChange["capture"]> => ({
  excluded: before?.excluded ?? [],
  config: before?.config ?? NO_STAMP,
});

/** A newer installation keeps its version and its program: an older worker must not lead hooks back to itself. */
export function mergeRuntime(
  before: RuntimeState | undefined,
  change: RuntimeChange,
  paused: boolean,
): RuntimeState {
  const capture = change.capture ?? captureOf(before);
  const snapshot = defined({ snapshot: change.snapshot ?? before?.snapshot });
  if (before && isNewer(before.version, change.version))
    return { ...before, paused, ...capture, ...snapshot };
  return { version: change.version, paused, ...capture, worker: change.worker, ...snapshot };
}

/** Writes only what has changed: hooks read this file, and every write is one more moment to be interrupted in. */
export function updateRuntime(home: Home, change: RuntimeChange): RuntimeState {
  const before = readRuntime(home);
  const next = mergeRuntime(before, change, isPaused(home));
  if (JSON.stringify(next) !== JSON.stringify(before)) writeObject(runtimeFile(home), next);
  return next;
}

export function isPaused(home: Home) {
  return lstatIfThere(pauseFile(home)) !== undefined;
}
