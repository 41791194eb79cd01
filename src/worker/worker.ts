// The life of a worker: into office, at work, and out again in an order in which nothing is lost.
import { existsSync } from "node:fs";
import { setImmediate as nextTurn } from "node:timers/promises";
import {
  forgetModTrouble,
  forgetStart,
  type Home,
  noteStart,
  type RuntimeChange,
  type RuntimeState,
  readRuntime,
  removeWorkerState,
  stirWorkerState,
  updateRuntime,
  workerSocket,
  writeWorkerState,
} from "../home/index.ts";
import type { SocketLock } from "../ipc/index.ts";
import { claimSingleInstance, startWorker } from "../ipc/index.ts";
import { ensureFolder, errorText, isNewer, SECOND } from "../lib/index.ts";
import type { Logger } from "../log/index.ts";
import { type Engine, type EngineOptions, startEngine } from "./engine.ts";
import { decide } from "./idle.ts";
import { resting } from "./rest.ts";
import { makeSocketHandlers, type StopReason } from "./socketHandlers.ts";

interface WorkerOptions {
  readonly home: Home;
  readonly version: string;
  readonly idleMs: number;
  /** What is excluded now, as hooks are told. */
  readonly capture: () => RuntimeChange["capture"];
  /** How a worker like this one is started; hooks are told. */
  readonly program: RuntimeState["worker"];
  readonly log: () => Logger;
  /** What the engine works with; opened only by the one that is in office. */
  readonly equip: (
    log: Logger,
    onDamage: () => void,
  ) => Promise<Omit<EngineOptions, "home" | "version" | "log">>;
}

/** `held` and `foreign`: it never came into office. */
export type WorkerExit = StopReason | "held" | "foreign";

interface Deferred<T> {
  readonly promise: Promise<T>;
  resolve(value: T): void;
  reject(error: unknown): void;
}

function deferred<T>(): Deferred<T> {
  let resolve: (value: T) => void = () => undefined;
  let reject: (error: unknown) => void = () => undefined;
  const promise = new Promise<T>((yes, no) => {
    [resolve, reject] = [yes, no];
  });
  // Whoever waits sees the rejection; that nobody waits yet is no fault.
  promise.catch(() => undefined);
  return { promise, resolve, reject };
}

const WATCH_MS = 5 * SECOND;

/** Runs until the worker has left; resolves with the reason. Rejects when it cannot work at all. */
export async function runWorker(options: WorkerOptions): Promise<WorkerExit> {
  const { home, version } = options;
  process.umask(0o077);
  ensureFolder(home.state);
  const engine = deferred<Engine>();
  const asked = deferred<StopReason>();
  const finished = deferred<void>();
  const leave = (reason: StopReason): Promise<void> => {
    asked.resolve(reason);
    return finished.promise;
  };
  const desk = makeSocketHandlers({ address: workerSocket(home), version, engine: engine.promise, leave });
  const lock = await claimSingleInstance({ socket: workerSocket(home), version, onConnection: desk.serve });
  if (typeof lock === "string") return lock;
  noteStart(home, version);
  const log = options.log();
  const onSignal = (): void => asked.resolve("signal");
  for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"] as const) process.on(signal, onSignal);
  process.on("uncaughtException", (error) => {
    // What is in memory cannot be trusted any more; what is on disk can, and the next worker goes on from there.
    log.fatal({ problem: errorText(error), stack: error.stack }, "worker.crashed");
    process.exit(1);
  });
  let isDamaged = false;
  const onDamage = (): void => {
    isDamaged = true;
    asked.resolve("damaged");
  };
  try {
    engine.resolve(
      await atWork(options, log, lock, onDamage).catch((error: unknown) => {
        noteStart(home, version, error);
        throw error;
      }),
    );
    const running = await engine.promise;
    const watch = keepWatch(options, { engine: running, lock, log, leave: asked.resolve });
    const reason = await asked.promise;
    clearInterval(watch);
    await running.stop();
    log.info({ reason }, "worker.stopped");
    return reason;
  } catch (error) {
    engine.reject(error);
    // The next worker sets the damaged store aside; what could not be stored is in the spool.
    if (isDamaged) return "damaged";
    log.fatal({ problem: errorText(error) }, "worker.failed");
    throw error;
  } finally {
    removeWorkerState(home, process.pid);
    finished.resolve();
    // One turn for the answer to whoever asked it to leave.
    await nextTurn();
    desk.close();
    await lock.release();
    if (isDamaged) startWorker(options.program);
  }
}

async function atWork(
  options: WorkerOptions,
  log: Logger,
  lock: SocketLock,
  onDamage: () => void,
): Promise<Engine> {
  const { home, version, program, capture } = options;
  updateRuntime(home, { version, capture: capture(), worker: program });
  const engine = await startEngine({ ...(await options.equip(log, onDamage)), home, version, log });
  const startedAt = new Date().toISOString();
  if (lock.isOurs())
    writeWorkerState(home, { pid: process.pid, version, socket: lock.path, port: engine.port, startedAt });
  forgetStart(home);
  forgetModTrouble(home);
  log.info({ version, pid: process.pid, port: engine.port, node: process.version }, "worker.started");
  return engine;
}

interface Watched {
  readonly engine: Engine;
  readonly lock: SocketLock;
  readonly log: Logger;
  readonly leave: (reason: StopReason) => void;
}

/** Looks around now and then: is the socket still ours, is there anything to do, is there a successor? */
function keepWatch(
  { home, idleMs, version, capture, program }: WorkerOptions,
  { engine, lock, log, leave }: Watched,
): NodeJS.Timeout {
  let called: string | undefined;
  const rest = resting(engine, log);
  const look = (): void => {
    stirWorkerState(home);
    rest();
    const decision = decide({
      quietFor: engine.quietFor(),
      idleMs,
      isNeeded: engine.isNeeded(),
      holdsSocket: lock.isOurs(),
    });
    if (decision !== "stay") leave(decision === "leave-idle" ? "idle" : "replaced");
    // Hooks go by this file: without it they cannot capture, nor start a worker.
    const installed =
      readRuntime(home) ?? updateRuntime(home, { version, capture: capture(), worker: program });
    if (installed.version === called || !isNewer(installed.version, version)) return;
    // Once for each version: should it not come, this one goes on.
    called = installed.version;
    if (!existsSync(installed.worker.script)) return;
    log.info({ version: called }, "worker.newer-started");
    startWorker(installed.worker);
  };
  return setInterval(look, idleMs > 0 ? Math.max(20, Math.min(WATCH_MS, idleMs / 4)) : WATCH_MS);
}
