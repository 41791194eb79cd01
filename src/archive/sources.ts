// The files of one session, read together in the order of time: its transcript and those of its subagents.
import { readdirSync, statSync } from "node:fs";
import path from "node:path";
import { type ScannedEntries, scanEntries } from "../transcript/index.ts";

export interface Source {
  readonly name: string;
  readonly file: string;
  readonly size: number;
  /** The subagent whose file it is. */
  readonly agent?: string;
}

const MAIN = "main";

/** The transcript first. A subagent's file is `<transcript without its ending>/subagents/agent-<id>.jsonl`. */
export function sourcesOf(transcript: string): Source[] {
  const folder = path.join(transcript.replace(/\.jsonl$/, ""), "subagents");
  const agents = namesIn(folder).flatMap((name) => {
    const agent = /^agent-(.+)\.jsonl$/.exec(name)?.[1];
    return agent === undefined ? [] : { name: `agent-${agent}`, file: path.join(folder, name), agent };
  });
  return [{ name: MAIN, file: transcript }, ...agents].map((source) => ({
    ...source,
    size: statSync(source.file, { throwIfNoEntry: false })?.size ?? 0,
  }));
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder).sort();
  } catch {
    // Most sessions have no subagents.
    return [];
  }
}

export interface Row extends ScannedEntries {
  readonly source: Source;
}

interface Reading {
  readonly source: Source;
  readonly rows: AsyncGenerator<ScannedEntries>;
  next: ScannedEntries | undefined;
  at: number;
}

async function advance(reading: Reading): Promise<void> {
  const { done, value } = await reading.rows.next();
  reading.next = done ? undefined : value;
  // A row that tells no time happened with the one before it.
  reading.at = (done ? undefined : value.entries.find(({ at }) => at !== undefined)?.at) ?? reading.at;
}

/** Rows of all sources, each source in its own order; between them the earlier row comes first. */
export async function* readTogether(
  sources: readonly Source[],
  from: (source: Source) => number,
): AsyncGenerator<Row> {
  const readings: Reading[] = sources.map((source) => {
    const rows = scanEntries(source.file, { from: from(source) });
    return { source, rows, next: undefined, at: Number.NEGATIVE_INFINITY };
  });
  try {
    for (const reading of readings) await advance(reading);
    for (;;) {
      let first: Reading | undefined;
      for (const reading of readings)
        if (reading.next !== undefined && (first === undefined || reading.at < first.at)) first = reading;
      if (first?.next === undefined) return;
      yield { ...first.next, source: first.source };
      await advance(first);
    }
  } finally {
    for (const { rows } of readings) await rows.return(undefined);
  }
}
