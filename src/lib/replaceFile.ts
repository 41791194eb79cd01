// Replaces the bytes of a file that is not ours in one step, and leaves everything about it but the bytes as it was.
import { type BigIntStats, chmodSync, chownSync, readdirSync, renameSync, statSync } from "node:fs";
import path from "node:path";
import { tolerating } from "./errors.ts";
import { removeFile, statIfThere, writeDurably } from "./files.ts";

/** A file as it was when it was read; `replaceFile` checks that it still is. */
export type Seen = BigIntStats;

export function look(file: string): Seen | undefined {
  return statSync(file, { bigint: true, throwIfNoEntry: false });
}

function isAsSeen(file: string, seen: Seen | undefined) {
  const now = look(file);
  if (!now || !seen) return now === seen;
  return now.ino === seen.ino && now.size === seen.size && now.mtimeNs === seen.mtimeNs;
}

/**
 * A reader sees the old bytes or the new ones. Mode and owner stay. False, and nothing is changed, when the file
 * is no longer the one that was seen; `seen` is undefined for a file that is to be made.
 */
export function replaceFile(file: string, bytes: Uint8Array, seen: Seen | undefined, mode = 0o600) {
  const temporary = path.join(path.dirname(file), `.${path.basename(file)}.throughline-${process.pid}.tmp`);
  removeFile(temporary);
  try {
    writeDurably(temporary, bytes, seen ? Number(seen.mode) & 0o777 : mode);
    if (seen && process.platform !== "win32") {
      const made = statSync(temporary, { bigint: true });
      if (made.uid !== seen.uid || made.gid !== seen.gid)
        chownSync(temporary, Number(seen.uid), Number(seen.gid));
      // The mask of the process may have taken something away from the mode, and so does a change of owner.
      chmodSync(temporary, Number(seen.mode) & 0o7777);
    }
    const isUnchanged = isAsSeen(file, seen);
    if (isUnchanged) renameSync(temporary, file);
    return isUnchanged;
  } finally {
    removeFile(temporary);
  }
}

/** What writers that were killed left of their work on a file; younger ones may still be at it. */
export function removeAbandoned(file: string, now: number, olderThanMs = 60_000) {
  const folder = path.dirname(file);
  const beginning = `.${path.basename(file)}.throughline-`;
  for (const name of tolerating(() => readdirSync(folder), "ENOENT", "ENOTDIR", "EACCES") ?? []) {
    if (!name.startsWith(beginning) || !name.endsWith(".tmp")) continue;
    const stray = path.join(folder, name);
    const { mtimeMs } = statIfThere(stray) ?? { mtimeMs: now };
    if (now - mtimeMs > olderThanMs) removeFile(stray);
  }
}
