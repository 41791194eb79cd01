// Binds the worker's socket. If a worker already listens, returns that; an older version is asked to hand over.
import type { Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { type Home, workerSocket } from "../home/index.ts";
import { ensureFolder, isNewer, isObject, optionalString, SECOND, ThroughlineError } from "../lib/index.ts";
import { ask, call } from "./client.ts";
import type { SocketLock } from "./socketLock.ts";
import { bindAt } from "./socketPlace.ts";

interface InstanceClaim {
  readonly socket: string;
  readonly version: string;
  readonly onConnection: (connection: Socket) => void;
}

/** `held`: a worker of this version or a newer one is there. `foreign`: something is, and it is no worker. */
type Standing = SocketLock | "held" | "foreign";

const HANDOVER_MS = 60 * SECOND;
const TAKEOVER_POLL_MS = 50;

/** The version of the process that listens; undefined when it does not say. */
async function versionThere(socket: string) {
  const reply = await ask(socket, "ping", { timeoutMs: 5 * SECOND });
  if (reply === "absent") return "absent";
  if (typeof reply === "string" || !reply.ok || !isObject(reply.data)) return undefined;
  return optionalString(reply.data.version);
}

export async function claimSingleInstance({
  socket,
  version,
  onConnection,
}: InstanceClaim): Promise<Standing> {
  const deadline = performance.now() + HANDOVER_MS;
  let asked = false;
  while (performance.now() < deadline) {
    const lock = await bindAt(socket, onConnection);
    if (lock) return lock;
    const there = await versionThere(socket);
    if (there === undefined && !asked) return "foreign";
    if (there !== undefined && there !== "absent") {
      if (!isNewer(version, there)) return "held";
      if (!asked) await ask(socket, "handover", { args: { version }, timeoutMs: HANDOVER_MS });
      asked = true;
    }
    await sleep(TAKEOVER_POLL_MS);
  }
  return "foreign";
}

/** A full spool may have to be drained first. */
const SHUTDOWN_MS = 120 * SECOND;
const TAKEOVER_TIMEOUT_MS = 30 * SECOND;

/** `stopped` tells whether a worker was running. Hooks go on writing to the spool meanwhile. */
export async function withoutWorker<T>(home: Home, work: (stopped: boolean) => Promise<T>): Promise<T> {
  const socket = workerSocket(home);
  ensureFolder(home.state);
  const deadline = performance.now() + SHUTDOWN_MS + TAKEOVER_TIMEOUT_MS;
  let stopped = false;
  while (performance.now() < deadline) {
    const lock = await bindAt(socket, (connection) => connection.destroy());
    if (lock) {
      try {
        return await work(stopped);
      } finally {
        await lock.release();
      }
    }
    if (typeof (await ask(socket, "ping", { timeoutMs: 2 * SECOND })) === "object") {
      await call(socket, "shutdown", { timeoutMs: SHUTDOWN_MS });
      stopped = true;
    }
    await sleep(TAKEOVER_POLL_MS);
  }
  throw new ThroughlineError("busy", "the worker did not stop", "throughline worker stop, then try again");
}
