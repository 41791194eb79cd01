// Deletes rows of PostgreSQL with everything that belongs to them, and keeps what was forgotten from coming back.
import { defined, sha256 } from "../../../lib/index.ts";
import type { Scope } from "../../model.ts";
import { requireScope } from "../../portable/scope.ts";
import type { ForgottenMark } from "../../sync.ts";
import { instant } from "../../time.ts";
import type { Counts, Forgotten } from "../../upkeep.ts";
import type { Transaction, Writer } from "../connection.ts";
import { both, type Condition, nothing, within } from "../scope.ts";
import { removeEntries } from "../search/entries.ts";
import { CLOSING_KIND, writeStatus } from "../sessions.ts";
import { isShared, withdrawRows } from "../withdraw.ts";

export const rowTables = {
  events: { table: "events", kind: "event", key: "seq" },
  prompts: { table: "user_prompts", kind: "prompt", key: "id" },
  observations: { table: "observations", kind: "observation", key: "id" },
  summaries: { table: "session_summaries", kind: "summary", key: "id" },
  messages: { table: "messages", kind: "message", key: "id" },
} as const;

type RowTable = keyof typeof rowTables;

const rowTableNames = Object.keys(rowTables) as RowTable[];

/** Which rows of each table are deleted; only those of the person. */
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

const own = (on: Transaction, condition: Condition) =>
  both({ sql: "team_id = ? AND person_id = ?", values: [on.space.team, on.space.person] }, condition);

/** Deleting an event deletes its job. */
const jobsOf = (on: Transaction, { rows: { events }, jobs = nothing }: RowRemoval) => {
  const meant = own(on, events);
  return own(on, {
    sql: `(${jobs.sql}) OR key IN (SELECT id FROM events WHERE ${meant.sql})`,
    values: [...jobs.values, ...meant.values],
  });
};

/** Every session of which at least one row goes, or which is meant itself. */
async function touchedSessions(on: Transaction, { rows, sessions = nothing }: RowRemoval) {
  const touched = new Set<string>();
  const look = async (table: string, condition: Condition) => {
    const { sql, values } = own(on, condition);
    for (const { id } of await on.all(
      `SELECT DISTINCT claude_session_id AS id FROM ${table} WHERE ${sql}`,
      ...values,
    ))
      touched.add(String(id));
  };
  for (const name of rowTableNames) await look(rowTables[name].table, rows[name]);
  await look("sdk_sessions", sessions);
  return [...touched];
}

async function countEmptied(on: Transaction, sessions: readonly string[], { rows }: RowRemoval) {
  const left = new Set<string>();
  for (const name of rowTableNames) {
    const { sql, values } = rows[name];
    const others = await on.all(
      `SELECT DISTINCT claude_session_id AS id FROM ${rowTables[name].table}
         WHERE team_id = ? AND person_id = ? AND claude_session_id = ANY(?) AND NOT (${sql})`,
      on.space.team,
      on.space.person,
      sessions,
      ...values,
    );
    for (const { id } of others) left.add(String(id));
  }
  return sessions.length - left.size;
}

/** What `remove` would delete. */
export async function countRemoval(on: Transaction, removal: RowRemoval): Promise<Counts> {
  const count = async (table: string, condition: Condition) => {
    const { sql, values } = own(on, condition);
    return on.number(`SELECT count(*) FROM ${table} WHERE ${sql}`, ...values);
  };
  const of = (name: RowTable) => count(rowTables[name].table, removal.rows[name]);
  const jobs = jobsOf(on, removal);
  return {
    sessions: await countEmptied(on, await touchedSessions(on, removal), removal),
    events: await of("events"),
    prompts: await of("prompts"),
    observations: await of("observations"),
    summaries: await of("summaries"),
    messages: await of("messages"),
    jobs: await on.number(`SELECT count(*) FROM queue WHERE ${jobs.sql}`, ...jobs.values),
  };
}

/** Deletes, and gives what was deleted. */
export async function remove(on: Writer, removal: RowRemoval): Promise<Counts> {
  const counts = await countRemoval(on, removal);
  const sessions = await touchedSessions(on, removal);
  const jobs = jobsOf(on, removal);
  await on.run(`DELETE FROM queue WHERE ${jobs.sql}`, ...jobs.values);
  for (const name of rowTableNames) {
    const { table, kind, key } = rowTables[name];
    const { sql, values } = own(on, removal.rows[name]);
    const gone = await on.all(`DELETE FROM ${table} WHERE ${sql} RETURNING *`, ...values);
    const refs = gone.map((row) => Number(row[key]));
    if (kind === "observation" || kind === "summary")
      await withdrawRows(on, kind, gone.filter(isShared), true);
    await on.run(
      "DELETE FROM feed WHERE team_id = ? AND kind = ? AND ref = ANY(?)",
      on.space.team,
      kind,
      refs,
    );
    if (kind !== "event") await removeEntries(on, kind, refs);
  }
  for (const session of sessions) await refreshSession(on, session);
  return counts;
}

const allRows = rowTableNames
  .map(
    (name) => `SELECT created_at_epoch AS at, project FROM ${rowTables[name].table}
    WHERE team_id = ? AND person_id = ? AND claude_session_id = ?`,
  )
  .join(" UNION ALL ");

/** Deletes a session without rows; derives the project and times of another from the rows it still has. */
async function refreshSession(on: Writer, session: string) {
  const ids = rowTableNames.flatMap(() => [on.space.team, on.space.person, session]);
  const first = await on.get(`${allRows} ORDER BY at LIMIT 1`, ...ids);
  if (first === undefined) {
    await on.run("DELETE FROM accounts WHERE claude_session_id = ?", session);
    await on.run("DELETE FROM sdk_sessions WHERE claude_session_id = ?", session);
    return;
  }
  const created = instant(Number(first.at));
  const last = instant(await on.number(`SELECT max(at) FROM (${allRows}) AS all_rows`, ...ids));
  await on.run(
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
  if ((await on.get(ended, session, CLOSING_KIND)) !== undefined) await writeStatus(on, [session]);
}

/** When the last of the rows that go happened; 0 when none go. */
async function newestOf(on: Transaction, { rows }: RowRemoval) {
  let newest = 0;
  for (const name of rowTableNames) {
    const { sql, values } = own(on, rows[name]);
    const at = await on.number(
      `SELECT max(created_at_epoch) FROM ${rowTables[name].table} WHERE ${sql}`,
      ...values,
    );
    newest = Math.max(newest, at);
  }
  return newest;
}

export async function previewForget(on: Transaction, scope: Scope): Promise<Counts> {
  requireScope(scope);
  return countRemoval(on, removalOf(scope));
}

/** The server reuses the space of deleted rows when it vacuums; until then, and in its log, their bytes remain. */
export async function forget(on: Writer, scope: Scope, now: number): Promise<Forgotten> {
  requireScope(scope);
  const removal = removalOf(scope);
  // A clock may have been ahead when a row was written; the mark covers that row too.
  const until = Math.max(now, (await newestOf(on, removal)) + 1);
  const deleted = await remove(on, removal);
  await keepMark(on, {
    to: scope.to === undefined ? until : Math.min(Date.parse(scope.to), until),
    ...defined({
      sessionHash: scope.session === undefined ? undefined : sha256(scope.session),
      projectHash: scope.project === undefined ? undefined : sha256(scope.project),
      from: scope.from === undefined ? undefined : Date.parse(scope.from),
    }),
  });
  return { deleted, left: await previewForget(on, scope), erased: false };
}

/** Gives whether the mark is new. */
export async function keepMark(on: Writer, mark: ForgottenMark) {
  const columns = {
    session_hash: mark.sessionHash ?? null,
    project_hash: mark.projectHash ?? null,
    from_epoch: mark.from ?? null,
    to_epoch: mark.to,
  };
  const same = Object.entries(columns).map(([name, value]) =>
    value === null ? `${name} IS NULL` : `${name} = ?`,
  );
  const known = await on.get(
    `SELECT 1 FROM forgotten WHERE person_id = ? AND ${same.join(" AND ")}`,
    on.space.person,
    ...Object.values(columns).filter((value) => value !== null),
  );
  if (known !== undefined) return false;
  const id = on.next("marks");
  await on.insert("forgotten", [{ id, ...columns }]);
  await on.insert("feed", [{ id: on.next("feed"), kind: "forgotten", ref: id, project: "" }]);
  return true;
}
