// Has the worker stop, and keeps its place so that no other one starts, while something is done that it would disturb.
import { setTimeout as sleep } from "node:timers/promises";
import { type Home, workerSocket } from "../home/index.ts";
import { ensureFolder, SECOND, ThroughlineError } from "../lib/index.ts";
import { ask, call } from "./client.ts";
import { bindAt } from "./socketPlace.ts";

/** A full spool may have to be drained first. */
const SHUTDOWN_MS = 120 * SECOND;
const PATIENCE_MS = 30 * SECOND;
const PAUSE_MS = 50;

/** `stopped` tells whether a worker was running. Hooks go on writing to the spool meanwhile. */
export async function withoutWorker<T>(home: Home, work: (stopped: boolean) => Promise<T>): Promise<T> {
  const socket = workerSocket(home);
  ensureFolder(home.state);
  const deadline = performance.now() + SHUTDOWN_MS + PATIENCE_MS;
  let stopped = false;
  while (performance.now() < deadline) {
    const lock = await bindAt(socket, (connection) => connection.destroy());
    if (lock !== undefined) {
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
    await sleep(PAUSE_MS);
  }
  throw new ThroughlineError("busy", "the worker did not stop", {
    fix: "throughline worker stop, then try again",
  });
}
