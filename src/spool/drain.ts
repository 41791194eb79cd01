// Takes events out of the spool in the order they came; a file goes only when what it holds is safe elsewhere.
import { readdirSync, readFileSync, renameSync, rmSync } from "node:fs";
import { unlink } from "node:fs/promises";
import path from "node:path";
import {
  defined,
  isObject,
  MINUTE,
  makeFolder,
  parseJson,
  statIfThere,
  systemErrorCode,
  tolerating,
} from "../lib/index.ts";
import { type CapturedEvent, eventKinds, eventLanes } from "./event.ts";

/** Long past the moment in which a hook is between writing and renaming. */
const ABANDONED_AFTER = 10 * MINUTE;
/** A batch ends early when its files hold so much, whatever their number. */
const BATCH_BYTES = 16 * 1024 * 1024;

interface DrainOptions {
  /** The most events that are handed over at once. */
  readonly batch: number;
  /** Makes the events safe. Their files are deleted when it resolves; when it rejects they stay and drain rejects. */
  handle(events: readonly CapturedEvent[]): Promise<unknown>;
  /** Milliseconds since the epoch; the system time by default. */
  readonly now?: number;
}

export interface DrainReport {
  readonly handled: number;
  /** Files that hold no event and were moved to `bad`. */
  readonly bad: number;
  /** Whole events whose writer died before it gave them their name. */
  readonly recovered: number;
}

const isOneOf = (words: readonly string[], value: unknown) =>
  typeof value === "string" && words.includes(value);
const isAbsentOrText = (value: unknown) => value === undefined || typeof value === "string";

export function isCapturedEvent(value: unknown): value is CapturedEvent {
  if (!isObject(value)) return false;
  const { v, id, kind, at, session, agent, cwd, transcript, lane, writer, payload } = value;
  return (
    v === 1 &&
    typeof id === "string" &&
    /^ev_[0-9a-f]{24}$/.test(id) &&
    isOneOf(eventKinds, kind) &&
    typeof at === "string" &&
    !Number.isNaN(Date.parse(at)) &&
    typeof session === "string" &&
    [agent, cwd, transcript].every(isAbsentOrText) &&
    isOneOf(eventLanes, lane) &&
    typeof writer === "string" &&
    isObject(payload)
  );
}

const isEventFile = (name: string) => name.endsWith(".json") && !name.startsWith(".");
const isTemporary = (name: string) => name.endsWith(".tmp") && name.startsWith(".");

function spoolNames(folder: string) {
  return tolerating(() => readdirSync(folder), "ENOENT") ?? [];
}

const eventFilesOf = (folder: string) => spoolNames(folder).filter(isEventFile).sort();

type Read =
  | { readonly name: string; readonly event: CapturedEvent; readonly bytes: number }
  | "bad"
  | "gone"
  | "later";

/** Transient errors: the file is read again in the next pass. */
const passing = ["EMFILE", "ENFILE", "ENOMEM", "EAGAIN", "EBUSY"];

function readEvent(folder: string, name: string): Read {
  try {
    const text = readFileSync(path.join(folder, name), "utf8");
    const event = parseJson(text);
    return isCapturedEvent(event) ? { name, event, bytes: text.length } : "bad";
  } catch (error) {
    const code = systemErrorCode(error) ?? "";
    if (code === "ENOENT") return "gone";
    return passing.includes(code) ? "later" : "bad";
  }
}

/** Moves a file out of the way and keeps it; false when even that is impossible. */
function moveToBad(folder: string, name: string) {
  try {
    makeFolder(path.join(folder, "bad"));
    renameSync(path.join(folder, name), path.join(folder, "bad", name));
    return true;
  } catch (error) {
    // It stays where it is and is met again next time; the others go on.
    return systemErrorCode(error) === "ENOENT";
  }
}

/** Temporary files of writers that died: a complete event gets its final name, a partial one is removed. Returns the number of complete ones. */
function clearAbandoned(folder: string, now: number) {
  let recovered = 0;
  for (const name of spoolNames(folder)) {
    if (!isTemporary(name)) continue;
    const file = path.join(folder, name);
    const { mtimeMs } = statIfThere(file) ?? { mtimeMs: now };
    if (now - mtimeMs < ABANDONED_AFTER) continue;
    const read = readEvent(folder, name);
    if (typeof read === "object") {
      renameSync(file, path.join(folder, name.slice(1, -".tmp".length)));
      recovered++;
    } else if (read === "bad") rmSync(file, { force: true, recursive: true });
  }
  return recovered;
}

interface SpoolBatch {
  readonly files: readonly string[];
  readonly events: readonly CapturedEvent[];
  readonly bad: number;
  /** What stays where it is, for another time; a link to nowhere, too. */
  readonly left: readonly string[];
  /** Where in the list the next one begins. */
  readonly end: number;
}

function nextBatch(folder: string, names: readonly string[], from: number, most: number): SpoolBatch {
  const files: string[] = [];
  const events: CapturedEvent[] = [];
  const left: string[] = [];
  let [bad, bytes, at] = [0, 0, from];
  for (; at < names.length && events.length < most && bytes < BATCH_BYTES; at++) {
    const name = names[at] ?? "";
    const read = readEvent(folder, name);
    if (typeof read === "object") {
      files.push(name);
      events.push(read.event);
      bytes += read.bytes;
    } else if (read === "bad" && moveToBad(folder, name)) bad++;
    else left.push(name);
  }
  return { files, events, bad, left, end: at };
}

/** Deletes concurrently: deleting a synced file is slow, and many take hardly longer than one. */
async function remove(folder: string, names: readonly string[]) {
  const removals = names.map((name) =>
    unlink(path.join(folder, name)).catch((error: unknown) => {
      if (systemErrorCode(error) !== "ENOENT") throw error;
    }),
  );
  await Promise.all(removals);
}

/**
 * Hands every event in the folder to `handle`, oldest first, until none is left that it has not seen.
 * An event is handed over again when the process dies after `handle` and before its file is gone: ids tell.
 */
export async function drainSpool(folder: string, options: DrainOptions): Promise<DrainReport> {
  const recovered = clearAbandoned(folder, options.now ?? Date.now());
  // Only what stays is remembered: a pass lasts as long as events keep coming.
  const left = new Set<string>();
  let [handled, bad] = [0, 0];
  for (;;) {
    const names = eventFilesOf(folder).filter((name) => !left.has(name));
    if (names.length === 0) return { handled, bad, recovered };
    for (let at = 0; at < names.length; ) {
      const batch = nextBatch(folder, names, at, Math.max(1, options.batch));
      at = batch.end;
      bad += batch.bad;
      for (const name of batch.left) left.add(name);
      if (batch.events.length === 0) continue;
      await options.handle(batch.events);
      await remove(folder, batch.files);
      handled += batch.events.length;
    }
  }
}

interface SpoolBacklog {
  readonly waiting: number;
  readonly bad: number;
  /** Why the newest of the bad ones was set aside, where that was noted with it. */
  readonly reason?: string;
}

/** What waits in the spool and what was set aside. */
export function spoolBacklog(folder: string): SpoolBacklog {
  const aside = path.join(folder, "bad");
  const names = spoolNames(aside);
  const reason = backlogReason(aside, names);
  return {
    waiting: eventFilesOf(folder).length,
    bad: names.length,
    ...defined({ reason }),
  };
}

function backlogReason(folder: string, names: readonly string[]) {
  const times = names.filter(isEventFile).map((name) => {
    const file = path.join(folder, name);
    return { file, at: statIfThere(file)?.mtimeMs ?? 0 };
  });
  const newest = times.sort((a, b) => b.at - a.at)[0];
  if (!newest) return undefined;
  try {
    const event = parseJson(readFileSync(newest.file, "utf8"));
    return isObject(event) && typeof event.setAside === "string" ? event.setAside : undefined;
  } catch {
    // It was removed meanwhile, or cannot be read.
    return undefined;
  }
}
