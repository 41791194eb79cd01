// The files of one session, read together in the order of time: its transcript and those of its subagents.
import { readdirSync } from "node:fs";
import path from "node:path";
import { fileSize } from "../lib/index.ts";

/** A transcript file of a session. */
export interface SessionFile {
  readonly name: string;
  readonly file: string;
  readonly size: number;
  /** The subagent whose file it is. */
  readonly agent?: string;
}

const MAIN_AGENT = "main";

/** The transcript first. A subagent's file is `<transcript without its ending>/subagents/agent-<id>.jsonl`. */
export function sessionFiles(transcript: string): SessionFile[] {
  const folder = path.join(transcript.replace(/\.jsonl$/, ""), "subagents");
  const agents = sortedNamesIn(folder).flatMap((name) => {
    const agent = /^agent-(.+)\.jsonl$/.exec(name)?.[1];
    return agent === undefined ? [] : { name: `agent-${agent}`, file: path.join(folder, name), agent };
  });
  return [{ name: MAIN_AGENT, file: transcript }, ...agents].map((source) => ({
    ...source,
    size: fileSize(source.file),
  }));
}

function sortedNamesIn(folder: string) {
  try {
    return readdirSync(folder).sort();
  } catch {
    // Most sessions have no subagents.
    return [];
  }
}

interface SourceReading<F, T> {
  readonly source: F;
  readonly rows: AsyncGenerator<T>;
  next: T | undefined;
  at: number;
}

/** Options of `readTogether`. */
interface Together<F, T> {
  /** Reads one source, row by row. */
  readonly open: (source: F) => AsyncGenerator<T>;
  /** Milliseconds since the epoch; undefined for a row that tells none. */
  readonly timeOf: (row: T) => number | undefined;
}

/** Rows of all sources, each source in its own order; between them the earlier row comes first. */
export async function* readTogether<F, T>(
  sources: readonly F[],
  { open, timeOf }: Together<F, T>,
): AsyncGenerator<{ readonly source: F; readonly row: T }> {
  const advance = async (reading: SourceReading<F, T>) => {
    const { done, value } = await reading.rows.next();
    reading.next = done ? undefined : value;
    // A row that tells no time happened with the one before it.
    reading.at = (done ? undefined : timeOf(value)) ?? reading.at;
  };
  const readings: SourceReading<F, T>[] = sources.map((source) => ({
    source,
    rows: open(source),
    next: undefined,
    at: Number.NEGATIVE_INFINITY,
  }));
  try {
    for (const reading of readings) await advance(reading);
    for (;;) {
      let first: SourceReading<F, T> | undefined;
      for (const reading of readings)
        if (reading.next !== undefined && (!first || reading.at < first.at)) first = reading;
      if (first?.next === undefined) return;
      yield { source: first.source, row: first.next };
      await advance(first);
    }
  } finally {
    for (const { rows } of readings) await rows.return(undefined);
  }
}
