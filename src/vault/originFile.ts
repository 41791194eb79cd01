// One file of origins: appended to by any number of processes, re-read only where it grew, rewritten to forget.

import { closeSync, fstatSync, openSync, rmSync, type Stats } from "node:fs";
import path from "node:path";
import {
  appendLines,
  isObject,
  parseJson,
  readBytes,
  removeFile,
  statIfThere,
  ThroughlineError,
  withFile,
  writeFileAtomic,
} from "../lib/index.ts";
import type { Origin, OriginEntry } from "./model.ts";
import { isTemporaryOf, listVaultFolder, whenPresent } from "./vaultFiles.ts";

const OPTIONAL = ["level", "tool", "toolUseId", "item", "note"] as const;
const VERSION = 1;

/** Only the known fields: an object with more on it does not carry that to disk. */
export function originEntry(
  blob: { sha256: string; bytes: number },
  origin: Origin,
  at: number,
): OriginEntry {
  const entry = { at, sha256: blob.sha256, bytes: blob.bytes, session: origin.session };
  const optional = OPTIONAL.flatMap((key) => (origin[key] === undefined ? [] : [[key, origin[key]]]));
  return { ...entry, ...Object.fromEntries(optional) };
}

/** What makes an origin worth recording only once. */
export function originKey(entry: OriginEntry) {
  return JSON.stringify([entry.sha256, entry.session, entry.toolUseId ?? null, entry.item ?? null]);
}

/** The entry on a line; undefined for a torn line or one of a later format. */
function parseOrigin(line: string): OriginEntry | undefined {
  const value = parseJson(line);
  if (!isObject(value)) return undefined;
  const { v, at, sha256, bytes, session } = value;
  if (v !== VERSION) return undefined;
  if (typeof at !== "number" || typeof bytes !== "number" || typeof session !== "string") return undefined;
  if (typeof sha256 !== "string" || !/^[0-9a-f]{64}$/.test(sha256)) return undefined;
  const optional = OPTIONAL.flatMap((key) => (typeof value[key] === "string" ? [[key, value[key]]] : []));
  return { at, sha256, bytes, session, ...Object.fromEntries(optional) };
}

const APPEND_ATTEMPTS = 20;

export interface OriginFile {
  entries(): readonly OriginEntry[];
  /** Durable when it returns; entries that are known already are not written again. */
  add(entries: readonly OriginEntry[]): void;
  /** Returns how many lines were removed. */
  remove(doomed: (entry: OriginEntry) => boolean): number;
}

/** A line of the file, parsed when something asks for it: a file of a long session has thousands. */
interface OriginLine {
  readonly text: string;
  entry?: OriginEntry | undefined;
  isParsed?: true;
}

function entryOf(line: OriginLine): OriginEntry | undefined {
  if (!line.isParsed) [line.entry, line.isParsed] = [parseOrigin(line.text), true];
  return line.entry;
}

const HASH = '"sha256":"';
const HASH_DIGITS = 64;

/** The hash that a line is of, by its place in the text. */
function hashIn(line: string) {
  const at = line.indexOf(HASH) + HASH.length;
  return line.slice(at, at + HASH_DIGITS);
}

/** The lines of one file as they were read so far, by the hash that each is of. */
class OriginLines {
  readonly #all: OriginLine[] = [];
  readonly #byHash = new Map<string, OriginLine[]>();

  clear() {
    this.#all.length = 0;
    this.#byHash.clear();
  }

  add(text: string) {
    const line: OriginLine = { text };
    this.#all.push(line);
    const hash = hashIn(text);
    const same = this.#byHash.get(hash);
    if (same) same.push(line);
    else this.#byHash.set(hash, [line]);
  }

  has(entry: OriginEntry) {
    const key = originKey(entry);
    return (this.#byHash.get(entry.sha256) ?? []).some((line) => {
      const known = entryOf(line);
      return known !== undefined && originKey(known) === key;
    });
  }

  /** Each origin once, in the order of the file. */
  entries(): OriginEntry[] {
    const known = new Map<string, OriginEntry>();
    for (const line of this.#all) {
      const entry = entryOf(line);
      if (entry && !known.has(originKey(entry))) known.set(originKey(entry), entry);
    }
    return [...known.values()];
  }
}

export function openOriginFile(file: string): OriginFile {
  const known = new OriginLines();
  let seen = ABSENT;
  let parsed = 0;

  function restart() {
    known.clear();
    parsed = 0;
  }

  function readOn(fd: number) {
    const now = fileState(fstatSync(fd));
    if (now.identity !== seen.identity || now.size < parsed) restart();
    const { lines, end } = readWholeLines(fd, parsed);
    for (const line of lines) known.add(line);
    seen = now;
    parsed = end;
    return true;
  }

  function refresh() {
    const now = fileState(statIfThere(file));
    if (now.identity === seen.identity && now.size === seen.size) return;
    const isRead = whenPresent(() => withFile(file, "r", readOn));
    if (isRead) return;
    restart();
    seen = ABSENT;
  }

  return {
    entries() {
      refresh();
      return known.entries();
    },
    add(entries) {
      // An append counts once it can be read back: a rewrite may have replaced the file under the writer's feet.
      for (let attempt = 0; attempt <= APPEND_ATTEMPTS; attempt++) {
        refresh();
        const missing = entries.filter((entry) => !known.has(entry));
        if (missing.length === 0) return;
        appendLines(
          file,
          missing.map((entry) => JSON.stringify({ v: VERSION, ...entry })),
        );
      }
      throw notRecorded(file);
    },
    remove(doomed) {
      const fd = whenPresent(() => openSync(file, "r"));
      return fd === undefined ? 0 : rewrite(file, fd, doomed);
    },
  };
}

function notRecorded(file: string) {
  return new ThroughlineError(
    "io-failed",
    `An origin could not be recorded in ${file}.`,
    "Check that the disk is not full and that no other program replaces the file.",
  );
}

interface FileState {
  readonly identity: string;
  readonly size: number;
}

const ABSENT: FileState = { identity: "", size: 0 };

/** The time of birth tells a replaced file apart even when the system reuses its number. */
function fileState(stat: Stats | undefined) {
  return stat === undefined ? ABSENT : { identity: `${stat.ino}:${stat.birthtimeMs}`, size: stat.size };
}

/** Takes over `old`, the open file, to carry over what others append to it while it is being replaced. */
function rewrite(file: string, old: number, doomed: (entry: OriginEntry) => boolean) {
  let open = true;
  const close = () => {
    if (open) closeSync(old);
    open = false;
  };
  try {
    const { lines, end } = readWholeLines(old, 0);
    const { kept, removed } = splitKept(lines, doomed);
    if (removed === 0) return 0;
    removeLeftovers(file);
    // Windows does not replace an open file; there a line appended during these few milliseconds is not carried over.
    if (process.platform === "win32") close();
    if (kept.length === 0) rmSync(file);
    else writeFileAtomic(file, `${kept.join("\n")}\n`);
    if (open) appendLines(file, readWholeLines(old, end).lines);
    return removed;
  } finally {
    close();
  }
}

/** Torn lines go with the removed; lines of a later format, which this version cannot judge, stay. */
function splitKept(lines: readonly string[], doomed: (entry: OriginEntry) => boolean) {
  const kept: string[] = [];
  let removed = 0;
  for (const line of lines) {
    const entry = parseOrigin(line);
    if (entry !== undefined && doomed(entry)) removed += 1;
    else if (entry !== undefined || isObject(parseJson(line))) kept.push(line);
  }
  return { kept, removed };
}

/** What a killed rewrite left holds the same lines, and so must not outlive them. */
function removeLeftovers(file: string) {
  const folder = path.dirname(file);
  for (const name of listVaultFolder(folder)) {
    if (isTemporaryOf(path.basename(file), name)) removeFile(path.join(folder, name));
  }
}

/** The whole lines from a position on; `end` is where the last of them ends, a torn rest is left for later. */
function readWholeLines(fd: number, from: number) {
  const bytes = readBytes(fd, from, Math.max(0, fstatSync(fd).size - from));
  const whole = bytes.lastIndexOf(0x0a) + 1;
  const lines = bytes.toString("utf8", 0, whole).split("\n");
  return { lines: lines.filter((line) => line !== ""), end: from + whole };
}
