// Imports lines of an export into SQLite, in batches; known rows are left as they are.

import type { Added } from "../../model.ts";
import type { DataLine, LineOf } from "../../portable/exportFormat.ts";
import { type ImportedTable, type ImportTotals, readImport } from "../../portable/importLines.ts";
import { instantOf } from "../../time.ts";
import type { ImportOptions } from "../../upkeep.ts";
import type { Connection } from "../connection.ts";
import { insertEvent } from "../events/record.ts";
import { openSession } from "../events/sessions.ts";
import { addJobs } from "../jobQueue.ts";
import { addAll, addMessages, addObservations, addPrompts, addSummaries } from "../knowledge/knowledge.ts";
import { forgottenFilter } from "./forget.ts";

export const importLines = (
  db: Connection,
  lines: AsyncIterable<string>,
  options: ImportOptions & { readonly now: number },
) => readImport(lines, options, (batch, totals) => keepBatch(db, batch, totals, options.now));

function keepBatch(db: Connection, batch: readonly DataLine[], totals: ImportTotals, now: number) {
  const of = <T extends DataLine["type"]>(type: T) =>
    batch.filter((line): line is LineOf<T> => line.type === type);
  const count = (table: ImportedTable, { added, known }: Added) => {
    totals.added[table] += added.length;
    totals.known[table] += known.length;
  };
  db.transaction(() => {
    count("sessions", addSessions(db, of("session"), now));
    const events = addEvents(db, of("event"), now);
    for (const id of events.added) totals.newEvents.add(id);
    count("events", events);
    count("prompts", addPrompts(db, of("prompt"), now));
    const observations = of("observation").map(({ type: _type, observationType, ...rest }) => ({
      ...rest,
      type: observationType,
    }));
    count("observations", addObservations(db, observations, now));
    count("summaries", addSummaries(db, of("summary"), now));
    count("messages", addMessages(db, of("message"), now));
    const jobs = of("job");
    const due = jobs.filter(({ key }) => totals.newEvents.has(key));
    const added = addJobs(db, due, now);
    totals.added.jobs += added;
    totals.known.jobs += jobs.length - added;
  });
}

function addSessions(db: Connection, lines: readonly LineOf<"session">[], now: number): Added {
  const added: string[] = [];
  const known: string[] = [];
  const isForgotten = forgottenFilter(db);
  const exists = db.prepare("SELECT 1 FROM sdk_sessions WHERE claude_session_id = ?");
  for (const line of lines) {
    const last = instantOf(line.lastActivityAt, now);
    if (exists.get(line.session) || isForgotten(line.session, line.project, last.epoch)) {
      known.push(line.session);
      continue;
    }
    const { id } = openSession(db, line.session, line.project, instantOf(line.at, now));
    const completed = line.completedAt === undefined ? undefined : instantOf(line.completedAt, now);
    db.run(
      `UPDATE OR IGNORE sdk_sessions SET prompt_counter = ?, status = ?, completed_at = ?, completed_at_epoch = ?,
         last_activity_at = ?, last_activity_epoch = ?, sdk_session_id = ? WHERE id = ?`,
      line.promptCounter,
      line.status,
      completed?.iso ?? null,
      completed?.epoch ?? null,
      last.iso,
      last.epoch,
      line.sdkSessionId ?? null,
      id,
    );
    added.push(line.session);
  }
  return { added, known };
}

/** Events keep the number of their prompt; the prompts themselves come as lines of their own. */
const addEvents = (db: Connection, lines: readonly LineOf<"event">[], now: number) =>
  addAll(db, lines, now, {
    nameOf: ({ id }) => id,
    insert: ({ type: _type, promptNumber, ...event }, _id, at) =>
      insertEvent(db, { v: 1, ...event }, at, promptNumber),
  });
