// Exports a person's rows as lines of one instant, and imports such lines.
import { randomUUID } from "node:crypto";
import { createWriteStream } from "node:fs";
import { mkdir, rename, rm, stat } from "node:fs/promises";
import path from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { ThroughlineError } from "../../../lib/index.ts";
import type { Added, Scope } from "../../model.ts";
import type { DataLine, LineOf } from "../../portable/exportFormat.ts";
import { exportEnd, exportedTables, exportHeader } from "../../portable/exportLines.ts";
import type { ImportedTable, ImportTotals } from "../../portable/importLines.ts";
import { instantOf } from "../../time.ts";
import type { Database, Transaction, Writer } from "../connection.ts";
import { addJobs } from "../newJobs.ts";
import { addEvents, addMessages, addObservations, addPrompts, addSummaries } from "../record.ts";
import { both, within } from "../scope.ts";
import { forgottenFilter } from "../sessions.ts";

const ROWS_AT_ONCE = 500;

/** The number of the rows that is the order of an export. */
const orderOf = (table: string) => (table === "events" ? "seq" : "id");

/**
 * The rows up to the numbers that were given when it began, read in parts: a transaction that stays open for as long as its
 * reader takes would keep the server from cleaning up.
 */
export async function* exportLines(db: Database, scope: Scope, now: number): AsyncGenerator<string> {
  yield exportHeader(scope, now);
  let lines = 0;
  for (const { table, time, line } of exportedTables) {
    const order = orderOf(table);
    const own = (on: Transaction) =>
      both(
        { sql: "team_id = ? AND person_id = ?", values: [on.space.team, on.space.person] },
        within(scope, time),
      );
    for (let after = 0; ; ) {
      const rows = await db.transaction((on) => {
        const where = own(on);
        return on.all(
          `SELECT * FROM ${table} WHERE ${where.sql} AND ${order} > ? ORDER BY ${order} LIMIT ?`,
          ...where.values,
          after,
          ROWS_AT_ONCE,
        );
      });
      for (const row of rows) {
        lines += 1;
        yield JSON.stringify(line(row));
      }
      if (rows.length < ROWS_AT_ONCE) break;
      after = Number(rows.at(-1)?.[order]);
    }
  }
  yield exportEnd(lines);
}

export async function keepBatch(on: Writer, batch: readonly DataLine[], totals: ImportTotals, now: number) {
  const of = <T extends DataLine["type"]>(type: T) =>
    batch.filter((line): line is LineOf<T> => line.type === type);
  const count = (table: ImportedTable, { added, known }: Added) => {
    totals.added[table] += added.length;
    totals.known[table] += known.length;
  };
  count("sessions", await addSessions(on, of("session"), now));
  const events = await addEvents(
    on,
    of("event").map(({ type: _type, ...event }) => ({ v: 1 as const, ...event })),
    now,
  );
  for (const id of events.added) totals.newEvents.add(id);
  count("events", events);
  count("prompts", await addPrompts(on, of("prompt"), now));
  const observations = of("observation").map(({ type: _type, observationType, ...rest }) => ({
    ...rest,
    type: observationType,
  }));
  count("observations", await addObservations(on, observations, now));
  count("summaries", await addSummaries(on, of("summary"), now));
  count("messages", await addMessages(on, of("message"), now));
  const jobs = of("job");
  const added = await addJobs(
    on,
    jobs.filter(({ key }) => totals.newEvents.has(key)),
    now,
  );
  totals.added.jobs += added;
  totals.known.jobs += jobs.length - added;
}

async function addSessions(on: Writer, lines: readonly LineOf<"session">[], now: number): Promise<Added> {
  const answer = { added: [] as string[], known: [] as string[] };
  const isForgotten = await forgottenFilter(on);
  const rows = await on.all("SELECT claude_session_id AS session, sdk_session_id AS model FROM sdk_sessions");
  const there = new Set(rows.map(({ session }) => String(session)));
  const models = new Set(rows.map(({ model }) => String(model)));
  for (const line of lines) {
    const [first, last] = [instantOf(line.at, now), instantOf(line.lastActivityAt, now)];
    if (there.has(line.session) || isForgotten(line.session, line.project, last.epoch)) {
      answer.known.push(line.session);
      continue;
    }
    const completed = line.completedAt === undefined ? undefined : instantOf(line.completedAt, now);
    const model =
      line.sdkSessionId !== undefined && !models.has(line.sdkSessionId) ? line.sdkSessionId : null;
    await on.insert("sdk_sessions", [
      {
        ...{
          id: on.next("sessions"),
          claude_session_id: line.session,
          project: line.project,
          sdk_session_id: model,
        },
        ...{ prompt_counter: line.promptCounter, status: line.status },
        ...{ created_at: first.iso, created_at_epoch: first.epoch },
        ...{ completed_at: completed?.iso ?? null, completed_at_epoch: completed?.epoch ?? null },
        ...{ last_activity_at: last.iso, last_activity_epoch: last.epoch },
      },
    ]);
    there.add(line.session);
    if (model !== null) models.add(model);
    answer.added.push(line.session);
  }
  return answer;
}

/** A whole export in a file, which appears under its name when it is complete. */
export async function backup(lines: AsyncIterable<string>, file: string) {
  if ((await stat(file).catch(() => undefined)) !== undefined)
    throw new ThroughlineError("usage", `${file} exists already`, "name a file that does not exist");
  await mkdir(path.dirname(file), { recursive: true, mode: 0o700 });
  const unfinished = `${file}.${randomUUID()}`;
  async function* withEnds() {
    for await (const line of lines) yield `${line}\n`;
  }
  try {
    await pipeline(Readable.from(withEnds()), createWriteStream(unfinished, { mode: 0o600, flush: true }));
    await rename(unfinished, file);
  } finally {
    await rm(unfinished, { force: true });
  }
  return { bytes: (await stat(file)).size };
}
