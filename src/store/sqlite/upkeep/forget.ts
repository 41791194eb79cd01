// Deletes rows with everything that belongs to them, and keeps what was forgotten from coming back.

import { sha256 } from "../../../lib/index.ts";
import type { Scope } from "../../model.ts";
import { instant } from "../../time.ts";
import type { Counts, Forgotten } from "../../upkeep.ts";
import { removeAutomaticBackups } from "../backup/autoBackup.ts";
import type { Connection } from "../connection.ts";
import type { Row } from "../driver.ts";
import { CLOSING_KIND, writeStatus } from "../events/sessions.ts";
import { fullTextTables } from "../schema/schema.ts";
import { type Condition, nothing, requireScope, within } from "./scope.ts";

/** Tables of rows by the name they are counted under. */
const rowTables = {
  events: "events",
  prompts: "user_prompts",
  observations: "observations",
  summaries: "session_summaries",
  messages: "messages",
} as const;

type RowTable = keyof typeof rowTables;

const rowTableNames = Object.keys(rowTables) as RowTable[];

/** Which rows of each table are deleted; a table that is not named keeps its rows. */
export interface RowRemoval {
  readonly rows: Partial<Record<RowTable, Condition>>;
  /** Sessions and jobs that are meant even if no row of theirs is. */
  readonly sessions?: Condition;
  readonly jobs?: Condition;
}

function removalOf(scope: Scope): RowRemoval {
  const condition = within(scope);
  return {
    rows: Object.fromEntries(rowTableNames.map((name) => [name, condition])),
    sessions: within(scope, "last_activity_epoch"),
    jobs: condition,
  };
}

/** Work on an event goes with it. */
function jobsOf({ rows, jobs = nothing }: RowRemoval): Condition {
  const events = rows.events ?? nothing;
  return {
    sql: `(${jobs.sql}) OR key IN (SELECT id FROM events WHERE ${events.sql})`,
    values: [...jobs.values, ...events.values],
  };
}

function count(db: Connection, table: string, { sql, values }: Condition): number {
  return db.number(`SELECT count(*) FROM ${table} WHERE ${sql}`, ...values);
}

/** Every session of which at least one row goes, or which is meant itself. */
function touchedSessions(db: Connection, { rows, sessions = nothing }: RowRemoval): string[] {
  const found = new Set<string>();
  const look = (table: string, { sql, values }: Condition): void => {
    const matching = db.prepare(`SELECT DISTINCT claude_session_id AS id FROM ${table} WHERE ${sql}`);
    for (const { id } of matching.all(...values)) found.add(String(id));
  };
  for (const name of rowTableNames) look(rowTables[name], rows[name] ?? nothing);
  look("sdk_sessions", sessions);
  return [...found];
}

function hasRowsOutside(db: Connection, session: string, { rows }: RowRemoval): boolean {
  return rowTableNames.some((name) => {
    const { sql, values } = rows[name] ?? nothing;
    const other = db.prepare(
      `SELECT 1 FROM ${rowTables[name]} WHERE claude_session_id = ? AND NOT (${sql}) LIMIT 1`,
    );
    return other.get(session, ...values) !== undefined;
  });
}

/** What `remove` would delete. */
export function countRemoval(db: Connection, removal: RowRemoval): Counts {
  const of = (name: RowTable) => count(db, rowTables[name], removal.rows[name] ?? nothing);
  return {
    sessions: touchedSessions(db, removal).filter((session) => !hasRowsOutside(db, session, removal)).length,
    events: of("events"),
    prompts: of("prompts"),
    observations: of("observations"),
    summaries: of("summaries"),
    messages: of("messages"),
    jobs: count(db, "queue", jobsOf(removal)),
  };
}

/** When the last of the rows that go happened, to the millisecond; undefined when none go. */
function newestOf(db: Connection, { rows }: RowRemoval): number | undefined {
  const times = rowTableNames.flatMap((name) => {
    const { sql, values } = rows[name] ?? nothing;
    const newest = db.prepare(`SELECT max(created_at_epoch) AS at FROM ${rowTables[name]} WHERE ${sql}`);
    const at = newest.get(...values)?.at;
    return typeof at === "number" ? at : [];
  });
  return times.length === 0 ? undefined : Math.max(...times);
}

/** Deletes in one transaction and gives what was deleted. */
export function remove(db: Connection, removal: RowRemoval): Counts {
  return db.transaction(() => {
    const counts = countRemoval(db, removal);
    const sessions = touchedSessions(db, removal);
    const drop = (table: string, { sql, values }: Condition): void => {
      db.run(`DELETE FROM ${table} WHERE ${sql}`, ...values);
    };
    drop("queue", jobsOf(removal));
    for (const name of rowTableNames) drop(rowTables[name], removal.rows[name] ?? nothing);
    for (const session of sessions) refreshSession(db, session);
    dropLooseFeed(db);
    return counts;
  });
}

const allRows = rowTableNames
  .map((name) => `SELECT created_at_epoch AS at, project FROM ${rowTables[name]} WHERE claude_session_id = ?`)
  .join(" UNION ALL ");

/** A session without rows goes; another says no more than its rows still say. */
function refreshSession(db: Connection, session: string): void {
  const ids = rowTableNames.map(() => session);
  const first: Row | undefined = db.get(`${allRows} ORDER BY at LIMIT 1`, ...ids);
  if (first === undefined) {
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
  if (db.get(ended, session, CLOSING_KIND) !== undefined) writeStatus(db, session);
}

function dropLooseFeed(db: Connection): void {
  db.exec(`
    DELETE FROM feed WHERE kind = 'event' AND ref NOT IN (SELECT seq FROM events);
    DELETE FROM feed WHERE kind = 'prompt' AND ref NOT IN (SELECT id FROM user_prompts);
    DELETE FROM feed WHERE kind = 'observation' AND ref NOT IN (SELECT id FROM observations);
    DELETE FROM feed WHERE kind = 'summary' AND ref NOT IN (SELECT id FROM session_summaries);`);
}

/** Covers what happened before `until`; what the same session or project does later is kept again. */
function markForgotten(db: Connection, scope: Scope, until: number): void {
  const to = scope.to === undefined ? until : Math.min(Date.parse(scope.to), until);
  db.run(
    "INSERT INTO forgotten (session_hash, project_hash, from_epoch, to_epoch) VALUES (?, ?, ?, ?)",
    scope.session === undefined ? null : sha256(scope.session),
    scope.project === undefined ? null : sha256(scope.project),
    scope.from === undefined ? null : Date.parse(scope.from),
    to,
  );
}

type IsForgotten = (session: string, project: string, epoch: number) => boolean;

/** Costs nothing while nothing was ever forgotten. */
export function forgottenFilter(db: Connection): IsForgotten {
  const marks = db.all("SELECT * FROM forgotten");
  if (marks.length === 0) return () => false;
  return (session, project, epoch) => {
    const hashes = { session: sha256(session), project: sha256(project) };
    return marks.some(
      (mark) =>
        (mark.session_hash === null || mark.session_hash === hashes.session) &&
        (mark.project_hash === null || mark.project_hash === hashes.project) &&
        (mark.from_epoch === null || epoch >= Number(mark.from_epoch)) &&
        epoch < Number(mark.to_epoch),
    );
  };
}

export function previewForget(db: Connection, scope: Scope): Counts {
  requireScope(scope);
  return countRemoval(db, removalOf(scope));
}

export function forget(db: Connection, scope: Scope, now: number): Forgotten {
  requireScope(scope);
  const deleted = db.transaction(() => {
    const removal = removalOf(scope);
    // A clock may have been ahead when a row was written; the mark covers that row too.
    const until = Math.max(now, (newestOf(db, removal) ?? 0) + 1);
    const counts = remove(db, removal);
    markForgotten(db, scope, until);
    return counts;
  });
  removeAutomaticBackups(db.file);
  return { deleted, left: previewForget(db, scope), erased: emptyJournal(db) };
}

/** Empties the journal, which still holds deleted pages. False while a reader needs it. */
export function emptyJournal(db: Connection): boolean {
  // Merging rewrites the full-text index from what is left of it.
  for (const table of fullTextTables) db.exec(`INSERT INTO ${table}(${table}) VALUES ('optimize')`);
  return db.number("PRAGMA wal_checkpoint(TRUNCATE)") === 0;
}
