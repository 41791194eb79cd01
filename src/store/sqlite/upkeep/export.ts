// Exports rows as lines, all of one instant, while other processes write.

import type { Scope } from "../../model.ts";
import { exportEnd, exportedTables, exportHeader } from "../../portable/exportLines.ts";
import { connectReadOnly } from "../connection.ts";
import { within } from "./scope.ts";

export async function* exportLines(file: string, scope: Scope, now: number): AsyncGenerator<string> {
  // A connection of its own, so that its snapshot blocks no writer.
  const db = await connectReadOnly(file);
  db.exec("BEGIN");
  try {
    yield exportHeader(scope, now);
    let lines = 0;
    for (const { table, time, line } of exportedTables) {
      const where = within(scope, time);
      for (const row of db.iterate(`SELECT * FROM ${table} WHERE ${where.sql} ORDER BY 1`, ...where.values)) {
        lines += 1;
        yield JSON.stringify(line(row));
      }
    }
    yield exportEnd(lines);
  } finally {
    // Before closing: a snapshot that is still open keeps the journal from being emptied.
    db.exec("ROLLBACK");
    db.close();
  }
}
