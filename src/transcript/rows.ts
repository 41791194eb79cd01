// Streams the JSON rows of a JSONL file: reports and skips bad lines, and resumes at any row.
import { isObject, type JsonObject, parseJson } from "../lib/index.ts";
import { claudeCode } from "./dialects/claude-code.ts";
import { pi } from "./dialects/pi.ts";
import { type ByteLine, byteLines, openText } from "./lines.ts";
import type { Dialect, DialectName, RowReader, TranscriptEntry } from "./model.ts";

const MEGABYTE = 1024 * 1024;
const DEFAULT_MAX_LINE_BYTES = 64 * MEGABYTE;

/** A row with its place in the file. */
export interface ScannedRow {
  readonly row: JsonObject;
  /** Counted from 1 where the scan began. */
  readonly line: number;
  readonly start: number;
  /** Pass it as `from` to go on behind this row. */
  readonly end: number;
}

export interface ScanOptions {
  /** Byte offset to begin at: 0, or an `end` of an earlier scan of the same file. */
  readonly from?: number;
  /** Longer lines are skipped and reported. Default 64 MB. */
  readonly maxLineBytes?: number;
  readonly onProblem?: (problem: Problem) => void;
}

const problemTexts: Partial<Record<ProblemKind, string>> = {
  "broken-line": "is not JSON",
  "not-an-object": "is JSON but not an object",
  "line-too-long": "is longer than the reader accepts",
  "torn-tail": "is not finished yet",
};

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
    for await (const line of byteLines(text, file, from, options.maxLineBytes ?? DEFAULT_MAX_LINE_BYTES)) {
      const parsed = parseLine(line);
      if (isObject(parsed)) yield { row: parsed, line: line.line, start: line.start, end: line.end };
      else if (parsed !== "empty") options.onProblem?.(problemAt(line, parsed));
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

const dialects: readonly Dialect[] = [claudeCode, pi];

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
  for await (const { row, start, end } of scanRows(file, options)) {
    if (!dialect) {
      dialect = dialects.find((candidate) => candidate.understands(row));
      if (dialect) read = dialect.open();
    }
    yield { entries: read(row, start), dialect: dialect?.name, start, end };
  }
}

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

  add(problem: Problem): void {
    this.#counts.set(problem.kind, this.count(problem.kind) + 1);
    if (this.list.length < KEPT_PROBLEMS) this.list.push(problem);
  }

  count(kind: ProblemKind): number {
    return this.#counts.get(kind) ?? 0;
  }
}
