// Exports rows as lines, all of one instant, while other processes write.
import { defined, isoTime } from "../../../lib/index.ts";
import { EXPORT_VERSION, type LineOf } from "../../exportFormat.ts";
import type { Observation, Scope, Summary } from "../../model.ts";
import { connectReadOnly } from "../connection.ts";
import type { Row } from "../driver.ts";
import {
  eventFrom,
  jobFrom,
  messageFrom,
  observationFrom,
  promptFrom,
  sessionFrom,
  summaryFrom,
} from "../knowledge/rows.ts";
import { within } from "./scope.ts";

type ExportLine = { readonly type: string; readonly [field: string]: unknown };

/** Tables in the order in which an import needs them: sessions before what belongs to them. */
const exportedTables: readonly {
  readonly sql: string;
  readonly time?: string;
  readonly line: (row: Row) => ExportLine;
}[] = [
  { sql: "sdk_sessions", time: "last_activity_epoch", line: sessionExportLine },
  { sql: "events", line: (row) => ({ type: "event", ...eventFrom(row) }) },
  { sql: "user_prompts", line: (row) => ({ ...portable(promptFrom(row)), type: "prompt" }) },
  { sql: "observations", line: observationLine },
  { sql: "session_summaries", line: (row) => ({ ...portable(summaryFrom(row)), type: "summary" }) },
  { sql: "messages", line: messageLine },
  { sql: "queue", line: jobLine },
];

export async function* exportLines(file: string, scope: Scope, now: number): AsyncGenerator<string> {
  // A connection of its own, so that its snapshot blocks no writer.
  const db = await connectReadOnly(file);
  db.exec("BEGIN");
  try {
    yield JSON.stringify({
      throughline: "export",
      version: EXPORT_VERSION,
      at: isoTime(now),
      scope,
    });
    let lines = 0;
    for (const { sql, time, line } of exportedTables) {
      const where = within(scope, time);
      for (const row of db.iterate(`SELECT * FROM ${sql} WHERE ${where.sql} ORDER BY 1`, ...where.values)) {
        lines += 1;
        yield JSON.stringify(line(row));
      }
    }
    yield JSON.stringify({ type: "end", lines } satisfies LineOf<"end">);
  } finally {
    // Before closing: a snapshot that is still open keeps the journal from being emptied.
    db.exec("ROLLBACK");
    db.close();
  }
}

function sessionExportLine(row: Row): LineOf<"session"> {
  const session = sessionFrom(row);
  return {
    type: "session",
    session: session.claudeSessionId,
    project: session.project,
    at: session.createdAt,
    promptCounter: session.promptCounter,
    status: session.status,
    lastActivityAt: session.lastActivityAt,
    ...defined({ sdkSessionId: session.sdkSessionId, completedAt: session.completedAt }),
  };
}

/** Numbers of this database mean nothing in another one; `uid` does. */
function portable<T extends Omit<Observation | Summary, "type" | "title">>(item: T) {
  const { id: _id, sdkSessionId: _sdk, claudeSessionId, createdAt, createdAtEpoch: _epoch, ...rest } = item;
  return { ...rest, session: claudeSessionId, at: createdAt };
}

function observationLine(row: Row): ExportLine {
  const { type: observationType, ...rest } = observationFrom(row);
  return { ...portable(rest), type: "observation", observationType };
}

function messageLine(row: Row): ExportLine {
  const { id: _id, atEpoch: _epoch, ...message } = messageFrom(row);
  return { type: "message", ...message };
}

function jobLine(row: Row): ExportLine {
  const { kind, key, session, project, payload } = jobFrom(row);
  return { type: "job", kind, key, session, project, payload };
}
