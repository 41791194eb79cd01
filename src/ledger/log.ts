// The append-only log of one session: JSONL on disk that several processes may write, or a list in memory.
import { fstatSync } from "node:fs";
import { appendLines, parseJson, readBytes, tolerating, withFile, withLockSync } from "../lib/index.ts";
import { asEntry, entryProblem, type LedgerEntry } from "./edits.ts";
import { longEntry } from "./longEntry.ts";

/** A line that could not be used: torn by a crash, or written by a newer version. Never fatal. */
interface LogProblem {
  readonly byte: number;
  readonly problem: string;
}

/** The append-only log of the edits of a session. */
export interface Ledger {
  /** Every entry so far, in log order, including what other processes wrote. The array grows; its elements never change. */
  entries(): readonly LedgerEntry[];
  /** Records entries in one write. Throws `invalid-edit` and writes nothing when one is malformed. */
  append(entries: readonly LedgerEntry[]): void;
  /**
   * The same, only while the log has no more than the `known` first entries. False, and nothing is written, when another
   * process has added one: what was decided without it may have been done already.
   */
  appendAfter(known: number, entries: readonly LedgerEntry[]): boolean;
  /** Lines that could not be read. */
  problems(): readonly LogProblem[];
}

export function memoryLedger(initial: readonly LedgerEntry[] = []): Ledger {
  let list: readonly LedgerEntry[] = initial.map(asEntry);
  const append = (entries: readonly LedgerEntry[]) => {
    if (entries.length > 0) list = [...list, ...entries.map(asEntry)];
  };
  return {
    entries: () => list,
    append,
    appendAfter(known, entries) {
      if (entries.length > 0 && list.length > known) return false;
      append(entries);
      return true;
    },
    problems: () => [],
  };
}

export function openLedger(file: string): Ledger {
  const reader = tailReader(file);
  const entries = () => {
    reader.catchUp();
    return reader.entries();
  };
  const append = (added: readonly LedgerEntry[]) => {
    appendLines(
      file,
      added.map((entry) => JSON.stringify(asEntry(entry))),
    );
  };
  return {
    entries,
    append,
    appendAfter(known, added) {
      if (added.length === 0) return true;
      return withLockSync(`${file}.lock`, () => {
        if (entries().length > known) return false;
        append(added);
        return true;
      });
    },
    problems() {
      reader.catchUp();
      return reader.problems();
    },
  };
}

const NEWLINE_BYTE = 10;

/** Reads what was added since the last look. A last line without its newline is left for the next look. */
function tailReader(file: string) {
  let offset = 0;
  let entries: readonly LedgerEntry[] = [];
  let problems: readonly LogProblem[] = [];

  function take(bytes: Buffer) {
    const added: LedgerEntry[] = [];
    const wrong: LogProblem[] = [];
    let [start, short] = [0, 0];
    /** Short lines in a row are parsed at once, which takes half the time. */
    const takeShort = (end: number) => {
      if (end > short) readEntries(bytes.subarray(short, end), offset + short, added, wrong);
    };
    for (let end = bytes.indexOf(NEWLINE_BYTE, start); end >= 0; end = bytes.indexOf(NEWLINE_BYTE, start)) {
      const long = longEntry(bytes.subarray(start, end));
      if (long) {
        takeShort(start);
        added.push(long);
        short = end + 1;
      }
      start = end + 1;
    }
    takeShort(start);
    offset += start;
    if (added.length > 0) entries = [...entries, ...added];
    if (wrong.length > 0) problems = [...problems, ...wrong];
  }

  return {
    entries: () => entries,
    problems: () => problems,
    catchUp() {
      const read = (fd: number) => {
        const { size } = fstatSync(fd);
        if (size < offset) [offset, entries, problems] = [0, [], []];
        if (size > offset) take(readBytes(fd, offset, size - offset));
      };
      tolerating(() => withFile(file, "r", read), "ENOENT");
    },
  };
}

/**
 * Whole lines with their ends. A line end inside of a text is escaped, so that each of them divides two entries; every
 * write begins with one of its own.
 */
function readEntries(lines: Buffer, byte: number, added: LedgerEntry[], wrong: LogProblem[]) {
  const text = lines.toString("utf8");
  const values = parseJson(`[${text.trim().replace(/\n+/g, ",")}]`);
  if (Array.isArray(values) && values.every((value) => entryProblem(value) === undefined)) {
    for (const value of values) added.push(value as LedgerEntry);
    return;
  }
  for (let start = 0; start < lines.length; ) {
    const end = lines.indexOf(NEWLINE_BYTE, start);
    readEntry(lines.toString("utf8", start, end), byte + start, added, wrong);
    start = end + 1;
  }
}

function readEntry(line: string, byte: number, added: LedgerEntry[], wrong: LogProblem[]) {
  if (line.trim() === "") return;
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    wrong.push({ byte, problem: "a torn or broken line" });
    return;
  }
  const problem = entryProblem(value);
  if (problem) wrong.push({ byte, problem });
  else added.push(value as LedgerEntry);
}
