// One worker process from start to stop: claims the single instance, opens the store, runs until a reason to stop comes, and
// stops in an order in which nothing is lost.
import { existsSync } from "node:fs";
import path from "node:path";
import { setImmediate as nextTurn } from "node:timers/promises";
import { setFlagsFromString } from "node:v8";
import type { Config } from "../config/index.ts";
import {
  configStamp,
  currentExclusion,
  databaseFile,
  forgetModTrouble,
  forgetStart,
  type Home,
  noteStart,
  type RuntimeState,
  readRuntime,
  removeWorkerState,
  resolveHome,
  restoreJournal,
  stirWorkerState,
  updateRuntime,
  userRules,
  workerLog,
  workerSocket,
  writeWorkerState,
} from "../home/index.ts";
import { claimSingleInstance, type SocketLock, startWorker } from "../ipc/index.ts";
import {
  defined,
  ensureFolder,
  errorText,
  isNewer,
  isoTime,
  MINUTE,
  ownVersion,
  SECOND,
  systemClock,
  ThroughlineError,
} from "../lib/index.ts";
import { type Logger, openLog } from "../log/index.ts";
import { redactValue } from "../redact/index.ts";
import { snapshotSettings, userSettings } from "../settings/index.ts";
import { composeWorker, type RunningWorker } from "./compose.ts";
import { decide, memoryReleaser } from "./idle.ts";
import { makeSocketHandlers, type StopReason } from "./socketHandlers.ts";

const LOG_BYTES = 5 * 1024 * 1024;
const LOGS_KEPT = 3;
const WATCH_MS = 5 * SECOND;

export interface ProcessOptions {
  readonly program: RuntimeState["worker"];
  /** For tests of old and new workers side by side. */
  readonly version?: string;
}

/** `held` and `foreign`: another process holds the socket. */
export type WorkerExit = StopReason | "held" | "foreign";

interface WorkerProcess {
  readonly home: Home;
  readonly version: string;
  readonly program: RuntimeState["worker"];
  readonly settings: Config["worker"];
  /** What was wrong with the settings files. */
  readonly problem?: string;
  /** Writes what hooks go by, from the settings as they are now. */
  readonly refreshRuntime: () => RuntimeState;
}

const defaultSettings: Config["worker"] = { port: 37_777, idleMinutes: 30, logLevel: "info" };

/** A mistake in a file must not end capture: what is excluded is read apart from everything else. */
function readSettings(home: Home) {
  try {
    return { settings: userSettings(home, process.env).worker };
  } catch (error) {
    return { settings: defaultSettings, problem: errorText(error) };
  }
}

/** What hooks may go by, with the stamp of the files it was read from. Undefined where they cannot be read. */
function captureNow(home: Home) {
  // Before reading: should the files change meanwhile, the stamp is not theirs and hooks read them.
  const config = configStamp(home);
  const rules = userRules(home, process.env);
  return config === undefined || !rules ? undefined : { excluded: rules.exclude, config };
}

function describeProcess({ program, version = ownVersion }: ProcessOptions) {
  const home = resolveHome();
  const worker = { node: program.node, script: path.resolve(program.script) };
  const snapshotsNow = snapshotSettings(home, process.env);
  const refreshRuntime = () => {
    const { enabled, hours, language } = snapshotsNow();
    const snapshot = { enabled, hours, language };
    return updateRuntime(home, { version, capture: captureNow(home), worker, snapshot });
  };
  return { home, version, program: worker, ...readSettings(home), refreshRuntime };
}

/** Opens the store, a new one in the place of a damaged one, and what brings back the rows of that. */
async function openRecovered({ home, program }: WorkerProcess, log: Logger, onDamage: () => void) {
  const [{ isAsClosed, markDamaged, readHeld }, { makeRecovery, openOrRecover }] = await Promise.all([
    import("../store/index.ts"),
    import("../recovery/index.ts"),
  ]);
  // Between the two halves of a restore there may be no data folder at all.
  if (existsSync(restoreJournal(home))) await (await import("../backup/index.ts")).finishRestore(home);
  const file = databaseFile(home);
  const wasAsClosed = isAsClosed(file, readHeld(file));
  let isKnown = false;
  const damaged = (reason: string) => {
    if (isKnown) return;
    isKnown = true;
    log.error({ problem: reason }, "store.damaged");
    markDamaged(file, reason);
    onDamage();
  };
  const store = await openOrRecover({
    ...{ home, log, now: systemClock.now },
    options: {
      notice: (event, facts) => log.warn(facts, event),
      onDamage: (error) => damaged(error.message),
    },
  });
  const script = path.join(path.dirname(program.script), `salvage${path.extname(program.script)}`);
  const recovery = makeRecovery({
    ...{ home, log, script, clock: systemClock, isAsClosed: wasAsClosed, onDamage: damaged },
  });
  return { store, recovery };
}

/** Opens the store and starts everything; hooks and commands find the worker afterwards. */
async function startWork(own: WorkerProcess, log: Logger, lock: SocketLock, onDamage: () => void) {
  const { home, version, program, settings, problem, refreshRuntime } = own;
  if (problem !== undefined) log.error({ problem }, "settings.unreadable");
  refreshRuntime();
  const worker = await composeWorker({
    ...{ home, version, port: settings.port, script: program.script, log },
    ...(await openRecovered(own, log, onDamage)),
    isExcluded: currentExclusion(home, process.env, refreshRuntime),
    onSettingsChange: refreshRuntime,
  });
  const { pid } = process;
  const { port } = worker;
  const startedAt = isoTime(Date.now());
  if (lock.isOurs()) writeWorkerState(home, { pid, version, socket: lock.path, port, startedAt });
  forgetStart(home);
  forgetModTrouble(home);
  log.info({ version, pid, port, node: process.version }, "worker.started");
  return worker;
}

/** Checks now and then whether the socket is still this worker's, whether it is idle, and whether a newer one is installed. */
function watch(
  { home, version, settings, refreshRuntime }: WorkerProcess,
  { worker, lock, log }: { readonly worker: RunningWorker; readonly lock: SocketLock; readonly log: Logger },
  stop: (reason: StopReason) => void,
) {
  const idleMs = settings.idleMinutes * MINUTE;
  let started: string | undefined;
  const releaseMemory = memoryReleaser(worker, log);
  const look = () => {
    stirWorkerState(home);
    releaseMemory();
    const decision = decide({
      ...{ quietFor: worker.quietFor(), idleMs, isNeeded: worker.isNeeded(), holdsSocket: lock.isOurs() },
    });
    if (decision !== "stay") stop(decision);
    // Hooks go by this file: without it they cannot capture, nor start a worker.
    const installed = readRuntime(home) ?? refreshRuntime();
    if (installed.version === started || !isNewer(installed.version, version)) return;
    // Once for each version: should it not come, this one goes on.
    started = installed.version;
    if (!existsSync(installed.worker.script)) return;
    log.info({ version: started }, "worker.newer-started");
    startWorker(installed.worker);
  };
  return setInterval(look, idleMs > 0 ? Math.max(20, Math.min(WATCH_MS, idleMs / 4)) : WATCH_MS);
}

function openProcessLog({ home, settings }: WorkerProcess) {
  const log = openLog({
    file: workerLog(home),
    level: settings.logLevel,
    maxBytes: LOG_BYTES,
    keep: LOGS_KEPT,
    redact: (record) => redactValue(record).value,
  });
  process.on("uncaughtException", (error) => {
    // What is in memory cannot be trusted any more; what is on disk can, and the next worker goes on from there.
    log.fatal({ problem: errorText(error), stack: error.stack }, "worker.crashed");
    process.exit(1);
  });
  return log;
}

function deferred<T>() {
  let resolve: (value: T) => void = () => undefined;
  let reject: (error: unknown) => void = () => undefined;
  const promise = new Promise<T>((yes, no) => {
    [resolve, reject] = [yes, no];
  });
  // Requests that wait for it see the rejection; without any it is no fault.
  promise.catch(() => undefined);
  return { promise, resolve, reject };
}

/** Resolves with the reason when the worker has stopped. Rejects when it cannot work at all. */
export async function runProcess(options: ProcessOptions): Promise<WorkerExit> {
  // Half as much again as is in use may be taken before memory is cleared, not four times as much: a process that stays all
  // day in the background has time, and others need the memory. A Node that does not know this goes on as it would.
  setFlagsFromString("--heap-growing-percent=50");
  const own = describeProcess(options);
  const { home, version } = own;
  process.umask(0o077);
  ensureFolder(home.state);
  const running = deferred<RunningWorker>();
  const asked = deferred<StopReason>();
  const finished = deferred<void>();
  const address = workerSocket(home);
  const stop = (reason: StopReason) => {
    asked.resolve(reason);
    return finished.promise;
  };
  const handlers = makeSocketHandlers({ address, version, worker: running.promise, stop });
  const lock = await claimSingleInstance({ socket: address, version, onConnection: handlers.serve });
  if (typeof lock === "string") return lock;
  noteStart(home, version);
  const log = openProcessLog(own);
  for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"] as const)
    process.on(signal, () => asked.resolve("signal"));
  let isDamaged = false;
  const onDamage = () => {
    isDamaged = true;
    asked.resolve("damaged");
  };
  try {
    const worker = await startWork(own, log, lock, onDamage).catch((error: unknown) => {
      noteStart(home, version, error);
      throw error;
    });
    running.resolve(worker);
    const watching = watch(own, { worker, lock, log }, asked.resolve);
    const reason = await asked.promise;
    clearInterval(watching);
    await worker.stop();
    log.info({ reason }, "worker.stopped");
    return reason;
  } catch (error) {
    running.reject(error);
    // The next worker sets the damaged store aside; what could not be stored is in the spool.
    if (isDamaged) return "damaged";
    const fix = error instanceof ThroughlineError ? error.fix : undefined;
    log.fatal({ problem: errorText(error), ...defined({ fix }) }, "worker.failed");
    throw error;
  } finally {
    removeWorkerState(home, process.pid);
    finished.resolve();
    // One turn, so that the answer to a shutdown request is sent.
    await nextTurn();
    handlers.close();
    await lock.release();
    if (isDamaged) startWorker(own.program);
  }
}
