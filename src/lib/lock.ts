// One process at a time: a lock file that whoever holds it made. The lock of a process that died counts for nothing.
import {
  type BigIntStats,
  closeSync,
  linkSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
} from "node:fs";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { MINUTE, SECOND } from "./clock.ts";
import { systemErrorCode, ThroughlineError } from "./errors.ts";
import { ensureFolder } from "./files.ts";

/** A process id may be used again by another; nothing that is done under a lock takes this long. */
const STALE_MS = 60 * MINUTE;
/** A lock without an owner was made this instant, or by one who died in that instant. */
const NAMELESS_MS = SECOND;

/**
 * Gives what releases the lock, or undefined when somebody else has it. `staleMs` is for those who never hold it long,
 * and who notice by themselves when they were overtaken.
 */
export function takeLock(file: string, staleMs = STALE_MS): (() => void) | undefined {
  ensureFolder(path.dirname(file));
  for (let attempt = 0; attempt < 3; attempt++) {
    try {
      const fd = openSync(file, "wx", 0o600);
      writeSync(fd, String(process.pid));
      closeSync(fd);
      return () => {
        rmSync(file, { force: true });
        rmSync(deadName(file), { force: true });
      };
    } catch (error) {
      if (systemErrorCode(error) !== "EEXIST") throw error;
      const seen = statsOf(file);
      if (seen === undefined) continue;
      if (isHeld(file, seen, staleMs)) return undefined;
      moveAway(file, seen);
    }
  }
  return undefined;
}

/** Waits for the lock, does the work, and lets go of it. Throws `busy` when it cannot be had in time. */
export async function withLock<T>(
  file: string,
  work: () => T | Promise<T>,
  { patienceMs = 30 * SECOND, staleMs = STALE_MS }: { patienceMs?: number; staleMs?: number } = {},
): Promise<T> {
  const end = Date.now() + patienceMs;
  let release = takeLock(file, staleMs);
  while (release === undefined) {
    if (Date.now() >= end) {
      throw new ThroughlineError("busy", `another process has held ${file} for too long`, {
        fix: "try again; if no other Throughline runs, remove that file",
      });
    }
    // Waiters that wake at different times do not run into each other again and again.
    await sleep(1 + Math.random() * 10);
    release = takeLock(file, staleMs);
  }
  try {
    return await work();
  } finally {
    release();
  }
}

const deadName = (file: string): string => `${file}.dead`;

/**
 * Of two who clear the same dead lock away, the later one could take the lock that the earlier one has just made. Both
 * move it aside instead, and put back what turns out to be another.
 */
function moveAway(file: string, seen: BigIntStats): void {
  try {
    renameSync(file, deadName(file));
    if (statsOf(deadName(file))?.ino !== seen.ino) linkSync(deadName(file), file);
  } catch (error) {
    // Somebody else was quicker.
    if (!["ENOENT", "EEXIST"].includes(systemErrorCode(error) ?? "")) throw error;
  }
}

function statsOf(file: string): BigIntStats | undefined {
  return statSync(file, { bigint: true, throwIfNoEntry: false });
}

function isHeld(file: string, seen: BigIntStats, staleMs: number): boolean {
  try {
    const age = Date.now() - Number(seen.mtimeMs);
    const owner = Number(readFileSync(file, "utf8"));
    if (!(owner > 0)) return age < NAMELESS_MS;
    return age < staleMs && isAlive(owner);
  } catch (error) {
    if (systemErrorCode(error) === "ENOENT") return false;
    throw error;
  }
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return systemErrorCode(error) === "EPERM";
  }
}
