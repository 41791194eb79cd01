// Prepares the new store, and inserts rows of a damaged database or a backup: under their old ids, each once.
import { isObject, observationTypes, optionalString, parseJson } from "../../lib/index.ts";
import type { Row, Value } from "../portable/rows.ts";
import type { EntryKind } from "../searchIndex.ts";
import { type HeldState, keepHeld } from "../sqlite/backup/held.ts";
import { type Connection, connect, numberFrom } from "../sqlite/connection.ts";
import { openStore } from "../sqlite/engine.ts";
import { openSessions, touch } from "../sqlite/events/sessions.ts";
import { insertionInto } from "../sqlite/knowledge/lists.ts";
import { indexedTables } from "../sqlite/schema/schema.ts";
import { indexRows } from "../sqlite/search/entries.ts";
import { forgottenFilter } from "../sqlite/upkeep/forget.ts";
import { instant } from "../time.ts";
import { type NamedRow, type SalvagedName, salvagedNames } from "./tables.ts";

/** What makes two rows of a table the same. */
const keyColumns: Readonly<Record<SalvagedName, readonly string[]>> = {
  sdk_sessions: ["claude_session_id"],
  events: ["id"],
  user_prompts: ["uid"],
  observations: ["uid"],
  session_summaries: ["uid"],
  messages: ["claude_session_id", "uuid"],
  queue: ["kind", "key"],
  accounts: ["claude_session_id"],
  forgotten: ["session_hash", "project_hash", "from_epoch", "to_epoch"],
};

const textOrEmpty = (value: Value | undefined) => optionalString(value) ?? "";

function findSame(db: Connection, table: SalvagedName, row: NamedRow, columns = "1") {
  const names = keyColumns[table];
  const where = names.map((name) => `${name} IS ?`).join(" AND ");
  const values = names.map((name) => row[name] ?? null);
  return db.get(`SELECT ${columns} FROM ${table} WHERE ${where}`, ...values);
}

/** Inserts the row under its id, or under a new one where another row has that. Gives its id. */
function insertKeepingId(db: Connection, table: SalvagedName, row: NamedRow) {
  const put = (values: NamedRow) =>
    db.get(`${insertionInto(table, values)} RETURNING rowid AS id`, ...Object.values(values));
  const { [table === "events" ? "seq" : "id"]: _, ...rest } = row;
  return numberFrom(put(row) ?? put(rest));
}

/** Rows that continue a session were numbered from 1 while its beginning was not there yet. */
function shiftPrompts(db: Connection, session: string, by: number) {
  for (const table of ["events", "user_prompts", "observations", "session_summaries"])
    db.run(
      `UPDATE ${table} SET prompt_number = prompt_number + ? WHERE claude_session_id = ? AND prompt_number > 0`,
      by,
      session,
    );
  for (const [kind, table] of Object.entries(indexedTables)) {
    if (table === "messages") continue;
    const rows = db.all(`SELECT id FROM ${table} WHERE claude_session_id = ?`, session);
    const ids = rows.map(({ id }) => Number(id));
    indexRows(db, kind as EntryKind, ids);
  }
}

/** A session that went on in the new store gets its beginning back: once, which is seen from when it began. */
function mergeSession(db: Connection, there: Row, row: NamedRow) {
  const counter = Number(row.prompt_counter);
  const isContinued = Number(there.created_at_epoch) > Number(row.created_at_epoch);
  if (isContinued && counter > 0) shiftPrompts(db, textOrEmpty(row.claude_session_id), counter);
  const prompts = isContinued
    ? Number(there.prompt_counter) + counter
    : Math.max(Number(there.prompt_counter), counter);
  const created = instant(Math.min(Number(there.created_at_epoch), Number(row.created_at_epoch)));
  const last = instant(Math.max(Number(there.last_activity_epoch), Number(row.last_activity_epoch)));
  db.run(
    `UPDATE OR IGNORE sdk_sessions SET prompt_counter = ?, created_at = ?, created_at_epoch = ?, last_activity_at = ?,
       last_activity_epoch = ?, sdk_session_id = coalesce(sdk_session_id, ?) WHERE id = ?`,
    prompts,
    created.iso,
    created.epoch,
    last.iso,
    last.epoch,
    row.sdk_session_id ?? null,
    Number(there.id),
  );
}

function placeSession(db: Connection, row: NamedRow) {
  const there = findSame(db, "sdk_sessions", row, "*");
  if (!there) {
    const status = row.status === "completed" ? "completed" : "active";
    const whole = { ...row, status };
    if (insertKeepingId(db, "sdk_sessions", whole) === 0)
      insertKeepingId(db, "sdk_sessions", { ...whole, sdk_session_id: null });
  } else mergeSession(db, there, row);
}

const hasSession = (db: Connection, row: NamedRow) => findSame(db, "sdk_sessions", row) !== undefined;

type OpenSessions = ReturnType<typeof openSessions>;

/** Places a row that belongs to a session. Creates the session if it could not be read. */
function placeBelonging(db: Connection, table: SalvagedName, row: NamedRow, sessions: OpenSessions) {
  const at = instant(Number(row.created_at_epoch));
  const session = textOrEmpty(row.claude_session_id);
  const isMade = !hasSession(db, row);
  const open = sessions.open(session, textOrEmpty(row.project), at);
  touch(open, isMade && table === "events" ? textOrEmpty(row.kind) : "", at.epoch);
  if (table === "user_prompts") open.promptCounter = Math.max(open.promptCounter, Number(row.prompt_number));
  if (table !== "observations") return insertKeepingId(db, table, row);
  const type = observationTypes.find((one) => one === row.type) ?? "change";
  return insertKeepingId(db, table, { ...row, session_id: open.id, type });
}

function placeOther(db: Connection, table: SalvagedName, row: NamedRow) {
  if (table === "accounts") return hasSession(db, row) ? insertKeepingId(db, table, row) : 0;
  if (table !== "queue") return insertKeepingId(db, table, row);
  const state = row.state === "dead" ? "dead" : "ready";
  return insertKeepingId(db, table, { ...row, state, leased_by: null, lease_until: null });
}

const belongs = ["events", "user_prompts", "observations", "session_summaries", "messages"];

/** A time within what a date can be; rows of a damaged page may say anything. */
const hasTime = (row: NamedRow, column: string) => Math.abs(Number(row[column])) <= 8.64e15;

function isPlaceable(table: SalvagedName, row: NamedRow) {
  if (table === "forgotten") return Number.isInteger(row.to_epoch);
  if (keyColumns[table].some((name) => textOrEmpty(row[name]) === "")) return false;
  if (table === "sdk_sessions")
    return hasTime(row, "created_at_epoch") && hasTime(row, "last_activity_epoch");
  return (
    !belongs.includes(table) ||
    (textOrEmpty(row.claude_session_id) !== "" && hasTime(row, "created_at_epoch"))
  );
}

/** A row whose time is not readable gets the latest time of its session. */
function withTime(db: Connection, table: SalvagedName, row: NamedRow) {
  if (!belongs.includes(table) || hasTime(row, "created_at_epoch")) return row;
  const epoch = findSame(db, "sdk_sessions", row, "last_activity_epoch AS epoch")?.epoch;
  if (epoch === undefined) return row;
  const at = instant(Number(epoch));
  return { ...row, created_at: at.iso, created_at_epoch: at.epoch };
}

/** SQLite's codes for a row that breaks a rule of its table: ERROR, TOOBIG, CONSTRAINT, MISMATCH. */
const rowFaults = [1, 18, 19, 20];

/** 0 for a row that the table does not take. */
function unlessRefused(work: () => number) {
  try {
    return work();
  } catch (error) {
    const code = isObject(error) ? Number(error.errcode) & 0xff : 0;
    if (rowFaults.includes(code)) return 0;
    throw error;
  }
}

const lists = ["facts", "concepts", "files_read", "files_modified"];

/** Columns that hold JSON are read as such by others: what is no JSON any more is kept as a text inside of some. */
function withValidJson(row: NamedRow): NamedRow {
  const changed: Record<string, Value> = {};
  for (const name of lists) {
    const value = row[name];
    if (typeof value === "string" && !Array.isArray(parseJson(value)))
      changed[name] = JSON.stringify([value]);
  }
  if (typeof row.payload === "string" && !isObject(parseJson(row.payload)))
    changed.payload = JSON.stringify({ unreadable: row.payload });
  return { ...row, ...changed };
}

/** In one transaction; gives how many of the rows are in the store now. The feed does not get them: they are not new. */
export function placeRows(db: Connection, table: SalvagedName, rows: readonly NamedRow[]) {
  return db.transaction(() => {
    const head = db.number("SELECT seq FROM sqlite_sequence WHERE name = 'feed'");
    const sessions = openSessions(db);
    const isForgotten = forgottenFilter(db);
    const added: number[] = [];
    let present = 0;
    for (const read of rows) {
      const row = withTime(db, table, read);
      if (!isPlaceable(table, row)) continue;
      const at = Number(table === "sdk_sessions" ? row.last_activity_epoch : row.created_at_epoch);
      const session = textOrEmpty(row.claude_session_id);
      if (session !== "" && isForgotten(session, textOrEmpty(row.project), at)) continue;
      if (table === "sdk_sessions") placeSession(db, row);
      else if (!findSame(db, table, row)) {
        const id = unlessRefused(() =>
          belongs.includes(table)
            ? placeBelonging(db, table, withValidJson(row), sessions)
            : placeOther(db, table, row),
        );
        if (id === 0) continue;
        added.push(id);
      }
      present += 1;
    }
    sessions.writeAll();
    const kind = (Object.keys(indexedTables) as EntryKind[]).find((kind) => indexedTables[kind] === table);
    if (kind !== undefined) indexRows(db, kind, added);
    db.run("DELETE FROM feed WHERE id > ?", head);
    return present;
  });
}

/** Ids that the damaged database may have given after its state was last written down. */
const MARGIN = 10_000;
/** Where nothing is known of the ids that were given. */
const UNKNOWN = 1_000_000;

/**
 * New rows get ids above those of the rows that come back; what was forgotten is known before the first event arrives; and
 * the store is the one that it was. Can be done again.
 */
export async function prepareStore(database: string, held: HeldState | undefined) {
  await (await openStore({ file: database })).close();
  const db = await connect(database);
  try {
    const named = [...salvagedNames, "feed", "entries", "passages"];
    const floors = held?.sequences ?? Object.fromEntries(named.map((name) => [name, UNKNOWN]));
    db.transaction(() => {
      for (const [table, highest] of Object.entries(floors)) raise(db, table, highest + MARGIN);
      const marks = (held?.forgotten ?? []).map((mark) => ({ ...mark }));
      placeRows(db, "forgotten", marks);
    });
    if (held) db.exec(`PRAGMA user_version = ${Math.trunc(held.identity)}`);
  } finally {
    keepHeld(db, Date.now).finish(() => db.close());
  }
}

function raise(db: Connection, table: string, to: number) {
  // The table of SQLite has no unique key for an upsert.
  if (db.run("UPDATE sqlite_sequence SET seq = max(seq, ?) WHERE name = ?", to, table) === 0)
    db.run("INSERT INTO sqlite_sequence (seq, name) VALUES (?, ?)", to, table);
}
