// Deletes rows with everything that belongs to them, and keeps what was forgotten from coming back.

import { sha256 } from "../../../lib/index.ts";
import type { Scope } from "../../model.ts";
import { forgottenBy, requireScope } from "../../portable/scope.ts";
import { instant } from "../../time.ts";
import type { Counts, Forgotten } from "../../upkeep.ts";
import { removeAutomaticBackups } from "../backup/autoBackup.ts";
import type { Connection } from "../connection.ts";
import { CLOSING_KIND, writeStatus } from "../events/sessions.ts";
import { fullTextTables, rowTables } from "../schema/schema.ts";
import { type Condition, nothing, within } from "./scope.ts";

type RowTable = keyof typeof rowTables;

const rowTableNames = Object.keys(rowTables) as RowTable[];

/** Which rows of each table are deleted. */
interface RowRemoval {
  readonly rows: Readonly<Record<RowTable, Condition>>;
  /** Sessions and jobs that are meant even if no row of theirs is. */
  readonly sessions?: Condition;
  readonly jobs?: Condition;
}

function removalOf(scope: Scope): RowRemoval {
  const meant = within(scope);
  return {
    rows: { events: meant, prompts: meant, observations: meant, summaries: meant, messages: meant },
    sessions: within(scope, "last_activity_epoch"),
    jobs: meant,
  };
}

/** Deleting an event deletes its job. */
function jobsOf({ rows: { events }, jobs = nothing }: RowRemoval) {
  return {
    sql: `(${jobs.sql}) OR key IN (SELECT id FROM events WHERE ${events.sql})`,
    values: [...jobs.values, ...events.values],
  };
}

/** Every session of which at least one row goes, or which is meant itself. */
function touchedSessions(db: Connection, { rows, sessions = nothing }: RowRemoval) {
  const touched = (table: string, { sql, values }: Condition) =>
    db
      .all(`SELECT DISTINCT claude_session_id AS id FROM ${table} WHERE ${sql}`, ...values)
      .map(({ id }) => String(id));
  return new Set([
    ...rowTableNames.flatMap((name) => touched(rowTables[name], rows[name])),
    ...touched("sdk_sessions", sessions),
  ]);
}

function hasRowsOutside(db: Connection, session: string, { rows }: RowRemoval) {
  return rowTableNames.some((name) => {
    const { sql, values } = rows[name];
    const other = `SELECT 1 FROM ${rowTables[name]} WHERE claude_session_id = ? AND NOT (${sql}) LIMIT 1`;
    return db.get(other, session, ...values) !== undefined;
  });
}

/** What `remove` would delete. */
export function countRemoval(db: Connection, removal: RowRemoval): Counts {
  const count = (table: string, { sql, values }: Condition) =>
    db.number(`SELECT count(*) FROM ${table} WHERE ${sql}`, ...values);
  const of = (name: RowTable) => count(rowTables[name], removal.rows[name]);
  return {
    sessions: [...touchedSessions(db, removal)].filter((session) => !hasRowsOutside(db, session, removal))
      .length,
    events: of("events"),
    prompts: of("prompts"),
    observations: of("observations"),
    summaries: of("summaries"),
    messages: of("messages"),
    jobs: count("queue", jobsOf(removal)),
  };
}

/** When the last of the rows that go happened, to the millisecond; 0 when none go. */
const newestOf = (db: Connection, { rows }: RowRemoval) =>
  Math.max(
    ...rowTableNames.map((name) =>
      db.number(
        `SELECT max(created_at_epoch) FROM ${rowTables[name]} WHERE ${rows[name].sql}`,
        ...rows[name].values,
      ),
    ),
  );

/** Deletes in one transaction and gives what was deleted. */
export function remove(db: Connection, removal: RowRemoval): Counts {
  return db.transaction(() => {
    const counts = countRemoval(db, removal);
    const sessions = touchedSessions(db, removal);
    const drop = (table: string, { sql, values }: Condition) =>
      db.run(`DELETE FROM ${table} WHERE ${sql}`, ...values);
    drop("queue", jobsOf(removal));
    for (const name of rowTableNames) drop(rowTables[name], removal.rows[name]);
    for (const session of sessions) refreshSession(db, session);
    dropLooseFeed(db);
    return counts;
  });
}

const allRows = rowTableNames
  .map((name) => `SELECT created_at_epoch AS at, project FROM ${rowTables[name]} WHERE claude_session_id = ?`)
  .join(" UNION ALL ");

/** Deletes a session without rows; derives the project and times of another from the rows it still has. */
function refreshSession(db: Connection, session: string) {
  const ids = rowTableNames.map(() => session);
  const first = db.get(`${allRows} ORDER BY at LIMIT 1`, ...ids);
  if (!first) {
    db.run("DELETE FROM sdk_sessions WHERE claude_session_id = ?", session);
    return;
  }
  const created = instant(Number(first.at));
  const last = instant(db.number(`SELECT max(at) FROM (${allRows})`, ...ids));
  db.run(
    `UPDATE sdk_sessions SET project = ?, created_at = ?, created_at_epoch = ?, last_activity_at = ?,
       last_activity_epoch = ? WHERE claude_session_id = ?`,
    String(first.project),
    created.iso,
    created.epoch,
    last.iso,
    last.epoch,
    session,
  );
  // An end that is gone, to retention say, does not open the session again.
  const ended = "SELECT 1 FROM events WHERE claude_session_id = ? AND kind = ? LIMIT 1";
  if (db.get(ended, session, CLOSING_KIND)) writeStatus(db, session);
}

function dropLooseFeed(db: Connection) {
  db.exec(`
    DELETE FROM feed WHERE kind = 'event' AND ref NOT IN (SELECT seq FROM events);
    DELETE FROM feed WHERE kind = 'prompt' AND ref NOT IN (SELECT id FROM user_prompts);
    DELETE FROM feed WHERE kind = 'observation' AND ref NOT IN (SELECT id FROM observations);
    DELETE FROM feed WHERE kind = 'summary' AND ref NOT IN (SELECT id FROM session_summaries);`);
}

/** Covers what happened before `until`; what the same session or project does later is kept again. */
function markForgotten(db: Connection, scope: Scope, until: number) {
  const to = scope.to === undefined ? until : Math.min(Date.parse(scope.to), until);
  db.run(
    "INSERT INTO forgotten (session_hash, project_hash, from_epoch, to_epoch) VALUES (?, ?, ?, ?)",
    scope.session === undefined ? null : sha256(scope.session),
    scope.project === undefined ? null : sha256(scope.project),
    scope.from === undefined ? null : Date.parse(scope.from),
    to,
  );
}

export const forgottenFilter = (db: Connection) => forgottenBy(db.all("SELECT * FROM forgotten"));

export function previewForget(db: Connection, scope: Scope): Counts {
  requireScope(scope);
  return countRemoval(db, removalOf(scope));
}

export function forget(db: Connection, scope: Scope, now: number): Forgotten {
  requireScope(scope);
  const deleted = db.transaction(() => {
    const removal = removalOf(scope);
    // A clock may have been ahead when a row was written; the mark covers that row too.
    const until = Math.max(now, newestOf(db, removal) + 1);
    const counts = remove(db, removal);
    markForgotten(db, scope, until);
    return counts;
  });
  removeAutomaticBackups(db.file);
  return { deleted, left: previewForget(db, scope), erased: emptyJournal(db) };
}

/** Empties the journal, which still holds deleted pages. False while a reader needs it. */
export function emptyJournal(db: Connection) {
  // Merging rewrites the full-text index from what is left of it.
  for (const table of fullTextTables) db.exec(`INSERT INTO ${table}(${table}) VALUES ('optimize')`);
  return db.number("PRAGMA wal_checkpoint(TRUNCATE)") === 0;
}
