// The lines of an export, made of rows; and the tables in the order in which an import needs them.
import { defined, isoTime } from "../../lib/index.ts";
import type { Observation, Scope, Summary } from "../model.ts";
import { EXPORT_VERSION, type LineOf } from "./exportFormat.ts";
import {
  eventFrom,
  jobFrom,
  messageFrom,
  observationFrom,
  promptFrom,
  type Row,
  sessionFrom,
  summaryFrom,
} from "./rows.ts";

type ExportLine = { readonly type: string; readonly [field: string]: unknown };

/** Tables in the order in which an import needs them: sessions before what belongs to them. */
export const exportedTables: readonly {
  readonly table: string;
  readonly time?: string;
  readonly line: (row: Row) => ExportLine;
}[] = [
  { table: "sdk_sessions", time: "last_activity_epoch", line: sessionExportLine },
  { table: "events", line: (row) => ({ type: "event", ...eventFrom(row) }) },
  { table: "user_prompts", line: (row) => ({ ...portable(promptFrom(row)), type: "prompt" }) },
  { table: "observations", line: observationLine },
  { table: "session_summaries", line: (row) => ({ ...portable(summaryFrom(row)), type: "summary" }) },
  { table: "messages", line: messageLine },
  { table: "queue", line: jobLine },
];

export const exportHeader = (scope: Scope, now: number) =>
  JSON.stringify({ throughline: "export", version: EXPORT_VERSION, at: isoTime(now), scope });

export const exportEnd = (lines: number) => JSON.stringify({ type: "end", lines } satisfies LineOf<"end">);

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
