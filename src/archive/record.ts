// What is remembered between two runs over a session: how far its files were read, and what of it was written.

import {
  constants,
  existsSync,
  fsyncSync,
  ftruncateSync,
  readdirSync,
  readFileSync,
  readSync,
  statSync,
  writeSync,
} from "node:fs";
import path from "node:path";
import { isObject, readJson, removeFile, sha256, withFile, writeJson } from "../lib/index.ts";
import type { ArchiveContent, ArchiveFormatName } from "./model.ts";

/** How far one file of the session was read. */
interface SourceMark {
  readonly offset: number;
  /** A digest of how the file begins: another one is another file. */
  readonly beginning: string;
}

/** What the rows so far say of the session. */
export interface SessionNotes {
  readonly custom?: string;
  readonly ai?: string;
  readonly summary?: string;
  readonly prompt?: string;
  readonly cwd?: string;
  readonly models: readonly string[];
  readonly beganAt?: number;
}

export interface ArchiveRecord {
  readonly v: 1;
  /** Absent once the archive was forgotten: then only the places in the files stay. */
  readonly session?: string;
  /** Name of the archive in its folder; absent before the first write. */
  readonly file?: string;
  readonly format?: ArchiveFormatName;
  /** Absent in records of before there was a choice: then it is `full`. */
  readonly content?: ArchiveContent;
  /** Where the folder does not tell it. */
  readonly group?: string;
  /** The header as it was last written. */
  readonly header?: string;
  readonly archivedAt?: number;
  /** Bytes of parts behind the header. */
  readonly bodyBytes: number;
  readonly seenBytes: number;
  /** Set before the archive is touched: when it is still set, what lies behind `bodyBytes` is half of a write. */
  readonly growing?: boolean;
  readonly sources: Readonly<Record<string, SourceMark>>;
  readonly notes: SessionNotes;
}

export const freshRecord = (session: string): ArchiveRecord => ({
  v: 1,
  session,
  bodyBytes: 0,
  seenBytes: 0,
  sources: {},
  notes: { models: [] },
});

const SESSION_DIGITS = 32;

/** Where the records of an archive folder are kept: hidden from a listing of the folder. */
export const recordsFolder = (folder: string) => path.join(folder, ".archive");

/** The files that belong to one session's archive. */
export interface RecordFiles {
  /** The folder of the archive itself. */
  readonly folder: string;
  readonly session: string;
  readonly record: string;
  readonly seen: string;
  readonly lock: string;
  /** New parts on their way into the archive. */
  readonly pending: string;
  /** A file on its way to its place. */
  readonly temporary: string;
}

/** Files are named by a digest: of a forgotten session they tell nothing. */
export function recordFiles(folder: string, session: string): RecordFiles {
  const stem = path.join(recordsFolder(folder), sha256(session).slice(0, SESSION_DIGITS));
  return {
    folder,
    session,
    record: `${stem}.json`,
    seen: `${stem}.seen`,
    lock: `${stem}.lock`,
    pending: `${stem}.pending`,
    temporary: `${stem}.tmp`,
  };
}

function isRecord(value: unknown): value is ArchiveRecord {
  return (
    isObject(value) &&
    value.v === 1 &&
    isObject(value.sources) &&
    isObject(value.notes) &&
    Array.isArray(value.notes.models) &&
    [value.bodyBytes, value.seenBytes].every((bytes) => Number.isSafeInteger(bytes))
  );
}

/** Undefined when there is none, or none that can be understood. */
export function readRecord(file: string) {
  const value = readJson(file);
  return isRecord(value) ? value : undefined;
}

/** Removes records that a killed writer left unfinished. Called under the lock. */
export function removeStrays({ record }: RecordFiles) {
  const unfinished = `.${path.basename(record)}.`;
  for (const name of readdirSync(path.dirname(record)))
    if (name.startsWith(unfinished)) removeFile(path.join(path.dirname(record), name));
}

export function writeRecord(file: string, record: ArchiveRecord) {
  writeJson(file, record);
}

const BEGINNING_BYTES = 1_024;

/** A digest of the first bytes of what was read, at most a kilobyte: it stays the same while the file grows. */
export function beginningOf(file: string, readTo: number) {
  const bytes = Buffer.alloc(Math.min(readTo, BEGINNING_BYTES));
  const length = withFile(file, "r", (fd) => readSync(fd, bytes, 0, bytes.length, 0));
  return sha256(bytes.subarray(0, length)).slice(0, 16);
}

/** Where to read a file on: behind what was read of it, or at its start when it is not that file any more. */
export function readFrom(file: string, mark: SourceMark | undefined) {
  if (!mark || mark.offset === 0) return 0;
  return statSync(file).size >= mark.offset && beginningOf(file, mark.offset) === mark.beginning
    ? mark.offset
    : 0;
}

const ROW_DIGEST_BYTES = 8;

const rowDigest = (id: string) =>
  Buffer.from(sha256(id).slice(0, ROW_DIGEST_BYTES * 2), "hex").toString("latin1");

export class SeenRows {
  readonly #known = new Set<string>();
  readonly #added: string[] = [];
  readonly #file: string;
  readonly #length: number;

  /** `length`: the bytes of the file that count; what a killed writer left behind them does not. */
  constructor(file: string, length: number) {
    this.#file = file;
    const isThere = length > 0 && existsSync(file);
    const bytes = isThere ? readFileSync(file).toString("latin1", 0, length) : "";
    this.#length = bytes.length - (bytes.length % ROW_DIGEST_BYTES);
    for (let at = 0; at < this.#length; at += ROW_DIGEST_BYTES)
      this.#known.add(bytes.slice(at, at + ROW_DIGEST_BYTES));
  }

  has(id: string): boolean {
    return this.#known.has(rowDigest(id));
  }

  /** False when the row was there already. */
  add(id: string): boolean {
    const digest = rowDigest(id);
    if (this.#known.has(digest)) return false;
    this.#known.add(digest);
    this.#added.push(digest);
    return true;
  }

  /** Writes what was added, durably; gives the bytes that count from now on. */
  save() {
    if (this.#added.length === 0) return this.#length;
    return withFile(this.#file, constants.O_RDWR | constants.O_CREAT, (fd) => {
      ftruncateSync(fd, this.#length);
      const bytes = Buffer.from(this.#added.join(""), "latin1");
      for (let done = 0; done < bytes.length; )
        done += writeSync(fd, bytes, done, bytes.length - done, this.#length + done);
      fsyncSync(fd);
      return this.#length + bytes.length;
    });
  }
}
