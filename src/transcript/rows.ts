// Streams the JSON rows of a JSONL file that may be huge or still growing: one chunk and one line in memory, bad lines reported
// and skipped, resumable at any row.

import { type FileHandle, open, stat } from "node:fs/promises";
import {
  errorText,
  isObject,
  type JsonObject,
  notFoundError,
  parseJson,
  systemErrorCode,
  ThroughlineError,
} from "../lib/index.ts";
import { claudeCode } from "./dialects/claude-code.ts";
import type { Dialect, DialectName, RowReader, TranscriptEntry } from "./model.ts";
import { mayNeedTranslation, translatorFor } from "./translate.ts";

const CHUNK_BYTES = 256 * 1024;
const SNIFF_BYTES = 8 * 1024;
const NEWLINE = 0x0a;

interface ByteLine {
  /** The line without its newline, valid until the next line is asked for; undefined when it is over the cap. */
  readonly bytes: Buffer | undefined;
  /** Counted from 1 where the scan began; empty lines count. */
  readonly line: number;
  readonly start: number;
  /** Offset behind the newline: a later scan can go on here. */
  readonly end: number;
  /** False for a last line that no newline closes. */
  readonly closed: boolean;
}

interface OpenText {
  readonly handle: FileHandle;
  readonly size: number;
  /** Its first bytes. */
  readonly head: string;
}

/** Opens a text file, or throws `not-found`, `not-a-file`, `not-text` or `io-failed`. The caller closes it. */
async function openText(file: string): Promise<OpenText> {
  try {
    // Asked before opening: opening a named pipe would wait for its writer.
    const facts = await stat(file);
    if (!facts.isFile()) {
      throw new ThroughlineError(
        "not-a-file",
        `${file} is not a file.`,
        "Name one transcript file (….jsonl), not the folder that holds it.",
      );
    }
    const handle = await open(file, "r");
    try {
      return { handle, size: facts.size, head: await textHead(handle, file) };
    } catch (error) {
      await handle.close();
      throw error;
    }
  } catch (error) {
    throw readFailure(file, error);
  }
}

/** The first bytes; throws `not-text` for a binary file. */
async function textHead(handle: FileHandle, file: string) {
  const head = Buffer.alloc(SNIFF_BYTES);
  const { bytesRead } = await handle.read(head, 0, SNIFF_BYTES, 0);
  const read = head.subarray(0, bytesRead);
  // A crash may leave a hole of zero bytes among good lines: those lines are still read.
  if (!read.includes(0) || /(^|\n)(\u00ef\u00bb\u00bf)?\s*\{"/.test(read.toString("latin1")))
    return read.toString("latin1");
  const isUtf16 = ["fffe", "feff"].includes(read.toString("hex", 0, 2));
  throw new ThroughlineError(
    "not-text",
    isUtf16 ? `${file} is UTF-16 text, not UTF-8.` : `${file} holds binary data, not lines of JSON.`,
    isUtf16 ? "iconv -f UTF-16 -t UTF-8 FILE > COPY.jsonl" : "Name a transcript in UTF-8 (….jsonl).",
  );
}

function readFailure(file: string, error: unknown) {
  if (error instanceof ThroughlineError) return error;
  const code = systemErrorCode(error);
  if (code === "ENOENT" || code === "ENOTDIR") {
    return notFoundError(`${file} does not exist.`, {
      fix: "Check the path; Claude Code keeps transcripts in ~/.claude/projects/.",
      cause: error,
    });
  }
  return new ThroughlineError("io-failed", `${file} cannot be read: ${errorText(error)}`, {
    fix: "Check that the file and its folder are readable by you.",
    cause: error,
  });
}

/** The part of a line that earlier chunks held. Past the cap only its length is kept. */
class Unfinished {
  readonly #cap: number;
  #parts: Buffer[] = [];
  #length = 0;

  constructor(cap: number) {
    this.#cap = cap;
  }

  get empty() {
    return this.#length === 0;
  }

  /** Copies `bytes`: they belong to a chunk that is read over. */
  add(bytes: Buffer) {
    this.#length += bytes.length;
    if (this.#length > this.#cap) this.#parts = [];
    else this.#parts.push(Buffer.from(bytes));
  }

  /** The whole line, given its last part; begins the next one. */
  close(last: Buffer) {
    const whole = this.#length + last.length > this.#cap ? undefined : this.empty ? last : this.#join(last);
    this.#parts = [];
    this.#length = 0;
    return whole;
  }

  #join(last: Buffer): Buffer {
    return Buffer.concat([...this.#parts, last]);
  }
}

/** Every line from byte `from` on. Throws `io-failed` when the system refuses a read. */
async function* byteLines(
  { handle }: OpenText,
  file: string,
  from: number,
  maxLineBytes: number,
): AsyncGenerator<ByteLine> {
  const chunk = Buffer.allocUnsafe(CHUNK_BYTES);
  const unfinished = new Unfinished(maxLineBytes);
  let line = 0;
  let start = from;
  for (let offset = from; ; ) {
    const length = await readChunk(handle, file, chunk, offset);
    if (length === 0) break;
    const read = chunk.subarray(0, length);
    let begin = 0;
    for (;;) {
      const newline = read.indexOf(NEWLINE, begin);
      if (newline < 0) break;
      const end = offset + newline + 1;
      line += 1;
      yield { bytes: unfinished.close(read.subarray(begin, newline)), line, start, end, closed: true };
      begin = newline + 1;
      start = end;
    }
    if (begin < length) unfinished.add(read.subarray(begin));
    offset += length;
  }
  if (unfinished.empty) return;
  const bytes = unfinished.close(Buffer.alloc(0));
  yield { bytes, line: line + 1, start, end: start + (bytes?.length ?? 0), closed: false };
}

async function readChunk(handle: FileHandle, file: string, chunk: Buffer, offset: number) {
  try {
    return (await handle.read(chunk, 0, chunk.length, offset)).bytesRead;
  } catch (error) {
    throw readFailure(file, error);
  }
}

const MEGABYTE = 1024 * 1024;
const DEFAULT_MAX_LINE_BYTES = 64 * MEGABYTE;

/** A row with its place in the file. */
export interface ScannedRow {
  /** As it is in a file of Claude Code; of another agent that is translated, in that form. */
  readonly row: JsonObject;
  /** The dialect that it was translated from. */
  readonly dialect?: DialectName;
  /** Counted from 1 where the scan began. */
  readonly line: number;
  readonly start: number;
  /** Pass it as `from` to go on behind this row. */
  readonly end: number;
}

/** Options of `scanRows` and `scanEntries`. */
export interface ScanOptions {
  /** Byte offset to begin at: 0, or an `end` of an earlier scan of the same file. */
  readonly from?: number;
  /** Longer lines are skipped and reported. Default 64 MB. */
  readonly maxLineBytes?: number;
  /** Called for every line that cannot be read. */
  readonly onProblem?: (problem: Problem) => void;
}

const problemTexts: Partial<Record<ProblemKind, string>> = {
  "broken-line": "is not JSON",
  "not-an-object": "is JSON but not an object",
  "line-too-long": "is longer than the reader accepts",
  "torn-tail": "is not finished yet",
};

/** The translator of a file, knowing what its first row says; undefined for a file that is read as it is. */
async function openTranslator(text: OpenText, file: string, maxLineBytes: number) {
  if (!mayNeedTranslation(text.head)) return undefined;
  for await (const line of byteLines(text, file, 0, maxLineBytes)) {
    const first = parseLine(line);
    const found = isObject(first) ? translatorFor(first) : undefined;
    if (!isObject(first) || found === undefined) return undefined;
    const translate = found.open();
    translate(first, line.start);
    return { dialect: found.dialect, translate };
  }
  return undefined;
}

/**
 * Every row that is a JSON object, in file order. Holds one chunk and one line in memory.
 * Throws only for the file as a whole (`not-found`, `not-a-file`, `not-text`, `io-failed`).
 * A torn last line is neither yielded nor passed: the last `end` stays before it.
 */
export async function* scanRows(file: string, options: ScanOptions = {}): AsyncGenerator<ScannedRow> {
  const from = options.from ?? 0;
  const text = await openText(file);
  try {
    if (from > text.size) {
      const message = `The file is ${text.size} bytes long and cannot be read on from byte ${from}.`;
      options.onProblem?.({ kind: "shrunk", message });
      return;
    }
    const { maxLineBytes = DEFAULT_MAX_LINE_BYTES } = options;
    const translator = await openTranslator(text, file, maxLineBytes);
    for await (const line of byteLines(text, file, from, maxLineBytes)) {
      const parsed = parseLine(line);
      const place = { line: line.line, start: line.start, end: line.end };
      if (isObject(parsed)) {
        if (translator === undefined) yield { row: parsed, ...place };
        else
          for (const row of translator.translate(parsed, line.start))
            yield { row, dialect: translator.dialect, ...place };
      } else if (parsed !== "empty") options.onProblem?.(problemAt(line, parsed));
    }
  } finally {
    await text.handle.close();
  }
}

function parseLine({ bytes, start, closed }: ByteLine): JsonObject | ProblemKind | "empty" {
  if (!bytes) return closed ? "line-too-long" : "torn-tail";
  let text = bytes.toString("utf8");
  if (start === 0 && text.startsWith("\uFEFF")) text = text.slice(1);
  const value = parseJson(text);
  if (isObject(value)) return value;
  if (text.trim() === "") return "empty";
  if (!closed) return "torn-tail";
  return value === undefined ? "broken-line" : "not-an-object";
}

function problemAt({ line, start, end }: ByteLine, kind: ProblemKind): Problem {
  const resume = kind === "torn-tail" ? start : end;
  const message = `Line ${line} ${problemTexts[kind]}.`;
  return { kind, message, place: { line, start, end: resume } };
}

const dialects: readonly Dialect[] = [claudeCode];

/** The entries of one row, with its place in the file. */
interface ScannedEntries {
  /** What the row says; most rows say one thing. */
  readonly entries: readonly TranscriptEntry[];
  /** Undefined until a row was understood. */
  readonly dialect: DialectName | undefined;
  readonly start: number;
  /** Pass it as `from` to go on behind this row. */
  readonly end: number;
}

/** Every row of a file in order. Throws and reports as `scanRows` does. */
export async function* scanEntries(file: string, options: ScanOptions = {}): AsyncGenerator<ScannedEntries> {
  let dialect: Dialect | undefined;
  let read: RowReader = () => [{ kind: "unknown" }];
  for await (const { row, start, end, dialect: translated } of scanRows(file, options)) {
    if (!dialect) {
      dialect = translated ? claudeCode : dialects.find((candidate) => candidate.understands(row));
      if (dialect) read = dialect.open();
    }
    yield { entries: read(row, start), dialect: translated ?? dialect?.name, start, end };
  }
}

/** What can be wrong with a line. */
type ProblemKind =
  /** A line that is not JSON. */
  | "broken-line"
  /** A line of JSON that is not an object. */
  | "not-an-object"
  /** A line over the size cap; skipped unread. */
  | "line-too-long"
  /** A last line that its writer has not finished; a later scan finds it whole. */
  | "torn-tail"
  /** The file is shorter than the offset to go on from. */
  | "shrunk"
  /** No row is in a form this reader knows. */
  | "unknown-dialect"
  /** A subagent's transcript could not be read. */
  | "subagent-unreadable";

/** Something in a transcript that could not be read. */
export interface Problem {
  readonly kind: ProblemKind;
  readonly message: string;
  /** Where in the file: the line counted from where the scan began, and its bytes. */
  readonly place?: { readonly line: number; readonly start: number; readonly end: number };
  /** The other file that is meant, when it is not the transcript itself. */
  readonly file?: string;
}

/** A broken file can have a problem per line: the first ones are kept, all are counted. */
const KEPT_PROBLEMS = 200;

export class Problems {
  readonly list: Problem[] = [];
  readonly #counts = new Map<ProblemKind, number>();

  add(problem: Problem) {
    this.#counts.set(problem.kind, this.count(problem.kind) + 1);
    if (this.list.length < KEPT_PROBLEMS) this.list.push(problem);
  }

  count(kind: ProblemKind) {
    return this.#counts.get(kind) ?? 0;
  }
}
