// One writer for a session's archive at a time; the lock of a process that died counts for nothing.
import { closeSync, openSync, readFileSync, rmSync, statSync, writeSync } from "node:fs";
import path from "node:path";
import { ensureFolder, MINUTE, systemErrorCode } from "../lib/index.ts";

/** A process id may be used again by another; no archive takes this long. */
const STALE_MS = 60 * MINUTE;
/** A lock without an owner was made this instant, or by one who died in that instant. */
const NAMELESS_MS = 1_000;

/** Gives what releases the lock, or undefined when somebody else has it. */
export function takeLock(file: string): (() => void) | undefined {
  ensureFolder(path.dirname(file));
  for (let attempt = 0; attempt < 3; attempt++) {
    try {
      const fd = openSync(file, "wx", 0o600);
      writeSync(fd, String(process.pid));
      closeSync(fd);
      return () => rmSync(file, { force: true });
    } catch (error) {
      if (systemErrorCode(error) !== "EEXIST") throw error;
      if (isHeld(file)) return undefined;
      rmSync(file, { force: true });
    }
  }
  return undefined;
}

function isHeld(file: string): boolean {
  try {
    const age = Date.now() - statSync(file).mtimeMs;
    const owner = Number(readFileSync(file, "utf8"));
    if (!(owner > 0)) return age < NAMELESS_MS;
    return age < STALE_MS && isAlive(owner);
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
