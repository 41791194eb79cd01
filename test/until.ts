// Waiting for workers: until something is so, until a process has ended, until one answers.
import type { ChildProcess } from "node:child_process";
import { setTimeout as sleep } from "node:timers/promises";
import { ask } from "../src/ipc/index.ts";
import { isObject, MINUTE, SECOND } from "../src/lib/index.ts";

interface UntilOptions {
  readonly withinMs?: number;
  readonly everyMs?: number;
}

/** Looks until there is something other than undefined and false. The time is long enough for a busy machine. */
export async function until<T>(
  look: () => Promise<T | undefined | false> | T | undefined | false,
  what: string,
  { withinMs = MINUTE, everyMs = 20 }: UntilOptions = {},
): Promise<T> {
  for (const deadline = Date.now() + withinMs; Date.now() < deadline; await sleep(everyMs)) {
    const found = await look();
    if (found !== undefined && found !== false) return found;
  }
  throw new Error(`waited ${withinMs / SECOND} s for ${what}`);
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
