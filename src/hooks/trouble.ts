// Errors of hooks, and the log file that records them.
import { appendFileSync, renameSync } from "node:fs";
import { type Home, hookLog } from "../home/index.ts";
import { fileSize, systemErrorCode } from "../lib/index.ts";

const LARGEST_LOG = 1024 * 1024;

/** An expected failure of a hook; its message is safe to log. */
export class Trouble extends Error {}

/** A description that is safe to log. The message of an unexpected error may quote the payload, so only its name is used. */
function describe(error: unknown) {
  if (error instanceof Trouble) return error.message;
  const code = systemErrorCode(error);
  if (code === undefined || !(error instanceof Error)) return error instanceof Error ? error.name : "unknown";
  const { syscall, path: file } = error as NodeJS.ErrnoException;
  return [code, syscall, file].filter(Boolean).join(" ");
}

/** One line in the hook log, which never grows past two files of a megabyte. False when it cannot be written. */
export function logTrouble(home: Home, hook: string, version: string, error: unknown) {
  const file = hookLog(home);
  const line = `${new Date().toISOString()} ${version} ${hook}: ${describe(error).replace(/\s+/g, " ")}\n`;
  try {
    const size = fileSize(file);
    if (size > LARGEST_LOG) renameSync(file, `${file}.1`);
    appendFileSync(file, line, { mode: 0o600 });
    return true;
  } catch {
    // A hook must not disturb the agent, and there is no other place to report it.
    return false;
  }
}
