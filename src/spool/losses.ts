// Marks for events that a hook could not write. The worker reserves the first block of their file, so that a full disk
// still takes some thousand of them; they say how many events are missing, and in which sessions.
import {
  closeSync,
  fstatSync,
  fsyncSync,
  ftruncateSync,
  openSync,
  readFileSync,
  readSync,
  writeSync,
} from "node:fs";
import { isObject, PRIVATE_FILE, statIfThere, tolerating, withFile } from "../lib/index.ts";

/** `+session`, with the time of a session that was resumed or forked; a dot for each further event of the session. */
const lossMarks = /\+([\w-]{1,64})(?::([0-9a-z]+))?\n|[+.]/g;
const RESERVED = "\n";
const LARGEST = 64 * 1024;

interface LostSession {
  readonly session: string;
  /** Milliseconds since the epoch: what is older does not belong to the session's own events. */
  readonly since?: number;
}

export interface Losses {
  /** Events that could not be written. */
  readonly count: number;
  readonly sessions: readonly LostSession[];
  /** Milliseconds since the epoch; 0 without a mark. */
  readonly lastAt: number;
  /** How much of the file was read; `clearLosses` takes it. */
  readonly size: number;
}

function lostSessionName(payload: { readonly session_id?: unknown; readonly source?: unknown }, now: number) {
  const { session_id: session, source } = payload;
  if (typeof session !== "string" || !/^[\w-]{1,64}$/.test(session)) return "";
  return `+${session}${source === "resume" || source === "fork" ? `:${now.toString(36)}` : ""}\n`;
}

/** Marks the event of a payload as not written. False when the file takes no mark either. */
export function markLoss(file: string, payload: unknown, now: number) {
  try {
    const fd = openSync(file, "a+", PRIVATE_FILE);
    try {
      const found = Buffer.alloc(LARGEST);
      const known = found.toString("latin1", 0, readSync(fd, found, 0, LARGEST, 0));
      const name = lostSessionName(isObject(payload) ? payload : {}, now);
      const isNew = name !== "" && !known.includes(name.replace(/[:\n].*/s, ""));
      // Appended in one write: several hooks may fail at the same moment.
      if (known.length < LARGEST) writeSync(fd, isNew ? name : ".");
      return true;
    } finally {
      closeSync(fd);
    }
  } catch {
    // Nothing can be written here; the transcript still has the event.
    return false;
  }
}

/** Takes a block of the disk for marks to come. */
export function reserveLosses(file: string) {
  withFile(file, "a", (fd) => {
    if (fstatSync(fd).size > 0) return;
    writeSync(fd, RESERVED);
    fsyncSync(fd);
  });
}

const noLosses: Losses = { count: 0, sessions: [], lastAt: 0, size: 0 };

/** Throws what the system throws, but not for a file that is missing. */
export function readLosses(file: string): Losses {
  // The size first: marks that are appended in between are then read, and not cleared before they were.
  const stat = statIfThere(file);
  const text = tolerating(() => readFileSync(file, "latin1"), "ENOENT");
  if (text === undefined || !stat) return noLosses;
  const { size, mtimeMs } = stat;
  const found = [...text.slice(0, LARGEST).matchAll(lossMarks)];
  if (found.length === 0) return { ...noLosses, size };
  const sessions = found.flatMap(([, session, since]) => {
    if (session === undefined) return [];
    return since === undefined ? { session } : { session, since: Number.parseInt(since, 36) };
  });
  return { count: found.length, sessions, lastAt: mtimeMs, size };
}

/** Takes away the marks that were read and keeps the block. False when there are others by now. */
export function clearLosses(file: string, { size }: Losses) {
  return withFile(file, "r+", (fd) => {
    if (fstatSync(fd).size !== size) return false;
    writeSync(fd, RESERVED, 0);
    ftruncateSync(fd, RESERVED.length);
    return true;
  });
}
