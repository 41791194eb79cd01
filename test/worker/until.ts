// Waiting for workers: until something is so, until a process has ended, until one answers.
import type { ChildProcess } from "node:child_process";
import { setTimeout as sleep } from "node:timers/promises";
import { ask } from "../../src/ipc/index.ts";
import { isObject } from "../../src/lib/index.ts";

/** What a promise of something to come is given: long enough for a machine that has much else to do. */
export async function until<T>(look: () => Promise<T | undefined> | T | undefined, what: string): Promise<T> {
  for (const deadline = Date.now() + 60_000; Date.now() < deadline; await sleep(20)) {
    const found = await look();
    if (found !== undefined) return found;
  }
  throw new Error(`waited a minute for ${what}`);
}

export function ended(child: ChildProcess): Promise<number | string | null> {
  if (child.exitCode !== null || child.signalCode !== null)
    return Promise.resolve(child.exitCode ?? child.signalCode);
  return new Promise((resolve) => child.once("exit", (code, signal) => resolve(code ?? signal)));
}

export async function pidThere(socket: string): Promise<number | undefined> {
  const reply = await ask(socket, "ping", { timeoutMs: 2_000 });
  return typeof reply === "object" && reply.ok && isObject(reply.data) ? Number(reply.data.pid) : undefined;
}
