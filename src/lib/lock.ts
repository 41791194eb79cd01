// Lock files: one process at a time. The lock of a process that died counts for nothing.
import { randomBytes } from "node:crypto";
import { closeSync, constants, existsSync, fstatSync, openSync, readFileSync, writeSync } from "node:fs";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { MINUTE, SECOND } from "./clock.ts";
import { systemErrorCode, ThroughlineError, tolerating } from "./errors.ts";
import { ensureFolder, readIfThere, removeFile, statIfThere, withFile } from "./files.ts";

/** The system reuses process ids, and no work under a lock takes this long. */
const STALE_MS = 60 * MINUTE;
/** A lock file is empty for an instant after its creation; an older empty one was left by a killed process. */
const NAMELESS_MS = SECOND;

/**
 * Returns the function that releases the lock, or undefined when another process holds it. A short `staleMs` suits locks that
 * are held briefly and whose holders check `isHeld` before they write.
 */
export function takeLock(file: string, staleMs = STALE_MS): (() => void) | undefined {
  return take(file, staleMs)?.release;
}

interface Held {
  readonly release: () => void;
  /** False once another process has taken it over. */
  readonly isHeld: () => boolean;
}

function take(file: string, staleMs: number): Held | undefined {
  ensureFolder(path.dirname(file));
  // A name of its own: a process can hold a lock, lose it and hold it again.
  const mark = `${process.pid} ${randomBytes(8).toString("hex")}`;
  for (let attempt = 0; attempt < 3; attempt++) {
    try {
      const fd = openSync(file, "wx", 0o600);
      writeSync(fd, mark);
      closeSync(fd);
      const isHeld = () => readIfThere(file) === mark;
      const release = () => {
        // A lock that was taken over is released by its new holder.
        if (isHeld()) removeFile(file);
      };
      return { release, isHeld };
    } catch (error) {
      if (systemErrorCode(error) !== "EEXIST") throw error;
      if (isDead(file, staleMs)) removeDead(file, staleMs);
      else if (existsSync(file)) return undefined;
    }
  }
  return undefined;
}

/**
 * Waits for the lock, runs the work, and releases the lock. Throws `busy` on a timeout. The work gets `isHeld`, because with a
 * short `staleMs` another process may take the lock over.
 */
export async function withLock<T>(
  file: string,
  work: (isHeld: () => boolean) => T | Promise<T>,
  { timeoutMs = 30 * SECOND, staleMs = STALE_MS }: { timeoutMs?: number; staleMs?: number } = {},
): Promise<T> {
  const end = Date.now() + timeoutMs;
  let held = take(file, staleMs);
  while (!held) {
    if (Date.now() >= end) {
      throw new ThroughlineError(
        "busy",
        `another process has held ${file} for too long`,
        "try again; if no other Throughline runs, remove that file",
      );
    }
    // Waiters that wake at different times do not run into each other again and again.
    await sleep(1 + Math.random() * 10);
    held = take(file, staleMs);
  }
  try {
    return await work(held.isHeld);
  } finally {
    held.release();
  }
}

const SYNC_WAIT_MS = 2;
const SYNC_TIMEOUT_MS = 5 * SECOND;

/**
 * Blocks the process until it holds the lock, for short synchronous work. After a timeout the work runs without the lock.
 */
export function withLockSync<T>(file: string, work: () => T): T {
  const end = Date.now() + SYNC_TIMEOUT_MS;
  let release = takeLock(file);
  while (!release && Date.now() < end) {
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, SYNC_WAIT_MS);
    release = takeLock(file);
  }
  try {
    return work();
  } finally {
    release?.();
  }
}

/** Clearing takes an instant; an older guard was left by a process that was killed while it cleared. */
const CLEARING_MS = 10 * SECOND;

/**
 * Removes the lock of a dead process. A process that looked a moment ago could remove the lock of a new holder, so that one
 * process at a time clears, and looks again before it does.
 */
function removeDead(file: string, staleMs: number) {
  const guard = `${file}.dead`;
  try {
    closeSync(openSync(guard, "wx", 0o600));
  } catch (error) {
    if (systemErrorCode(error) !== "EEXIST") throw error;
    const clearing = statIfThere(guard);
    if (clearing && Date.now() - clearing.mtimeMs > CLEARING_MS) removeFile(guard);
    return;
  }
  try {
    if (isDead(file, staleMs)) removeFile(file);
  } finally {
    removeFile(guard);
  }
}

/** Whether there is a lock whose process has ended, or that is too old. Age and owner are those of one and the same file. */
function isDead(file: string, staleMs: number) {
  const lock = tolerating(
    () => withFile(file, constants.O_RDONLY, (fd) => ({ age: ageOf(fd), text: readFileSync(fd, "utf8") })),
    "ENOENT",
  );
  if (!lock) return false;
  const owner = Number.parseInt(lock.text, 10);
  if (!(owner > 0)) return lock.age >= NAMELESS_MS;
  return lock.age >= staleMs || !isRunning(owner) || hasEnded(owner);
}

const ageOf = (fd: number) => Date.now() - fstatSync(fd).mtimeMs;

/** Whether there is a process of that number, of any user. */
export function isRunning(pid: number) {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return systemErrorCode(error) !== "ESRCH";
  }
}

/** A zombie keeps its pid until its parent reaps it, which in a container may never happen. */
function hasEnded(pid: number) {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    return /^[ZX]/.test(stat.slice(stat.lastIndexOf(")") + 2));
  } catch {
    // Other systems tell it otherwise, or not at all.
    return false;
  }
}
