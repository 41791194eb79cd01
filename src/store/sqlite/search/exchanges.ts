// Assigns entries to exchanges: a message of the user and everything after it in the session, up to the next one.
import { type RowClass, rowClassOf } from "../../../terms/index.ts";
import { exchangeOf, exchangesOf, type OpenExchange } from "../../portable/exchanges.ts";
import { speakerOf } from "../../portable/newEntry.ts";
import { indexedRowFrom } from "../../portable/rows.ts";
import { searchableText } from "../../searchableText.ts";
import type { EntryKind } from "../../searchIndex.ts";
import type { Connection } from "../connection.ts";
import { indexedTables } from "../schema/schema.ts";

/** The entry waits for its exchange until `placeEntries`. */
export function addPlace(db: Connection, entry: number, rowClass: RowClass) {
  db.run("INSERT INTO entry_places (entry, row_class, exchange) VALUES (?, ?, NULL)", entry, rowClass);
}

/** The exchange that was open before this time. */
function openBefore(db: Connection, session: string, since: number): OpenExchange | undefined {
  const last = db.get(
    `SELECT exchange FROM entries JOIN entry_places ON entry = id
       WHERE claude_session_id = ? AND created_at_epoch < ? ORDER BY created_at_epoch DESC, id DESC LIMIT 1`,
    session,
    since,
  );
  if (last === undefined || last.exchange === null) return undefined;
  const id = Number(last.exchange);
  const members = db.all(
    `SELECT row_class FROM entries JOIN entry_places ON entry = id
       WHERE claude_session_id = ? AND created_at_epoch < ? AND exchange = ?`,
    session,
    since,
    id,
  );
  return exchangeOf(
    id,
    members.map(({ row_class }) => row_class),
  );
}

function placeSession(db: Connection, session: string, since: number) {
  const assign = db.prepare("UPDATE entry_places SET exchange = ? WHERE entry = ?");
  const rows = db
    .all(
      `SELECT entry, row_class, exchange FROM entries JOIN entry_places ON entry = id
       WHERE claude_session_id = ? AND created_at_epoch >= ? ORDER BY created_at_epoch, id`,
      session,
      since,
    )
    .map((row) => ({ entry: Number(row.entry), rowClass: row.row_class, exchange: row.exchange }));
  for (const [at, exchange] of exchangesOf(openBefore(db, session, since), rows).entries()) {
    const row = rows[at];
    if (row !== undefined && row.exchange !== exchange) assign.run(exchange, row.entry);
  }
}

/** Called in the transaction that added the entries. Entries after them in their sessions may change their exchange. */
export function placeEntries(db: Connection) {
  const sessions = db.all(
    `SELECT claude_session_id AS session, min(created_at_epoch) AS since FROM entry_places JOIN entries ON id = entry
       WHERE exchange IS NULL GROUP BY claude_session_id`,
  );
  for (const { session, since } of sessions) placeSession(db, String(session), Number(since));
}

/** For entries that an earlier version wrote. */
export function placeAllEntries(db: Connection) {
  const entries = db.all("SELECT id, kind, ref FROM entries ORDER BY id");
  for (const { id, kind, ref } of entries) {
    const table = indexedTables[kind as EntryKind];
    const row = db.get(`SELECT * FROM ${table} WHERE id = ?`, Number(ref));
    if (row === undefined) continue;
    const indexed = indexedRowFrom(kind as EntryKind, row);
    addPlace(db, Number(id), rowClassOf(speakerOf(indexed), searchableText(indexed)));
  }
  placeEntries(db);
}
