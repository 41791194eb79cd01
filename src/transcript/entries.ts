// Entries of a transcript, streamed: what each row says in terms all agents share, from any finished line on.
import type { Dialect, Entry, RowReader } from "./dialect.ts";
import { claudeCode } from "./dialects/claude-code.ts";
import { pi } from "./dialects/pi.ts";
import type { DialectName } from "./model.ts";
import { type ScanOptions, scanRows } from "./rows.ts";

const dialects: readonly Dialect[] = [claudeCode, pi];

interface ScannedEntries {
  /** What the row says; most rows say one thing. */
  readonly entries: readonly Entry[];
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
