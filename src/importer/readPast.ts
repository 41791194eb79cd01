// Reads a past session from its first row to its last, all files together, and hands over what may be kept, a bounded piece at a time.
import path from "node:path";
import { fairTurns, messageReader, type SaidMessage, type SeenEvent } from "../intake/index.ts";
import { sumOf } from "../lib/index.ts";
import { type Problem, readTogether, type ScannedRow, scanRows } from "../transcript/index.ts";
import { Interrupted, unreadable, type Watch } from "./model.ts";
import type { PastSession } from "./pastSession.ts";

/** Keeps what happened and what was said, in the order of time. */
export type KeepPiece = (events: readonly SeenEvent[], said: readonly SaidMessage[]) => Promise<void>;

export interface PastReading {
  /** What was not handed over: rows of pauses and of excluded folders. */
  readonly leftOut: number;
  /** Lines that could not be used, the first of them. */
  readonly problems: readonly string[];
  readonly problemCount: number;
}

const SHOWN_PROBLEMS = 5;
/** What is handed over together, and kept while other work waits. Rows can be megabytes long, so there is a bound for both. */
const PIECE_ROWS = 40;
const PIECE_BYTES = 256 * 1024;

/** `end` follows the last row of a file. */
type PastRow = ScannedRow | "end";

async function* pastRows(
  file: string,
  from: number,
  onProblem: (problem: Problem) => void,
): AsyncGenerator<PastRow> {
  try {
    yield* scanRows(file, { from, onProblem });
  } catch (error) {
    unreadable(error);
  }
  yield "end";
}

function inPieces(keep: KeepPiece) {
  let [events, said]: [SeenEvent[], SaidMessage[]] = [[], []];
  let bytes = 0;
  const flush = async () => {
    const piece = [events, said] as const;
    [events, said, bytes] = [[], [], 0];
    await keep(...piece);
  };
  return {
    flush,
    async add(happened: readonly SeenEvent[], words: readonly SaidMessage[], size: number) {
      events.push(...happened);
      said.push(...words);
      bytes += size;
      if (events.length + said.length >= PIECE_ROWS || bytes >= PIECE_BYTES) await flush();
    },
  };
}

function problemList({ isOver }: PastSession) {
  const shown: string[] = [];
  let count = 0;
  return {
    note(file: string, { kind, message }: Problem) {
      // While the session is written to, the last line may be incomplete.
      if (kind === "torn-tail" && !isOver) return;
      count += 1;
      if (shown.length < SHOWN_PROBLEMS) shown.push(`${path.basename(file)}: ${message}`);
    },
    summary: () => ({ problems: shown, problemCount: count }),
  };
}

/** Throws `UnreadableSource`, `Interrupted`, and what `keep` throws. */
export async function readPast(
  past: PastSession,
  keep: KeepPiece,
  { signal, onProgress }: Watch,
): Promise<PastReading> {
  const problems = problemList(past);
  const pieces = inPieces(keep);
  const talks = new Map(past.files.map(({ file }) => [file, messageReader(past.session)]));
  const turn = fairTurns();
  const size = sumOf(past.files, (one) => one.size) || 1;
  let done = sumOf(past.files, ({ from }) => from);
  let leftOut = 0;
  const wanted = <T extends { readonly at: number }>(items: readonly T[], cwd: (item: T) => unknown) => {
    const own = items.filter(({ at }) => past.isOwn(at));
    const kept = own.filter((item) => past.isWanted({ at: item.at, cwd: cwd(item) }));
    leftOut += own.length - kept.length;
    return kept;
  };
  const rows = readTogether(past.files, {
    open: ({ file, from }) => pastRows(file, from, (problem) => problems.note(file, problem)),
    timeOf: (row) => (row === "end" ? undefined : Date.parse(String(row.row.timestamp))) || undefined,
  });
  for await (const { source, row } of rows) {
    if (signal.aborted) throw new Interrupted();
    const isEnd = row === "end";
    const events = isEnd ? source.reader.end(past.isOver) : source.reader.read(row.row, row.start);
    const said = isEnd ? [] : (talks.get(source.file)?.read(row.row) ?? []);
    const bytes = isEnd ? 0 : row.end - row.start;
    const kept = wanted(events, ({ payload }) => payload.cwd);
    const words = wanted(said, ({ cwd }) => cwd);
    await pieces.add(kept, words, bytes);
    done += bytes;
    onProgress(Math.min(1, done / size));
    await turn();
  }
  await pieces.flush();
  return { leftOut, ...problems.summary() };
}
