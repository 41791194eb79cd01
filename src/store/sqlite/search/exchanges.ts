// Assigns entries to exchanges: a message of the user and everything after it in the session, up to the next one.
import { rowClassOf } from "../../../terms/index.ts";
import { indexedRowFrom } from "../../rows.ts";
import { type IndexedRow, searchableText } from "../../searchableText.ts";
import type { EntryKind } from "../../searchIndex.ts";
import type { Connection } from "../connection.ts";
import { indexedTables } from "../schema/schema.ts";

/** A longer exchange is continued in another one: what stands so far apart has little to do with each other. */
const MOST_ENTRIES = 100;

export const speakerOf = ({ kind, row }: IndexedRow) => {
  if (kind === "message") return row.role;
  return kind === "prompt" ? "user" : "";
};

/** The entry waits for its exchange until `placeEntries`. */
export function addPlace(db: Connection, entry: number, indexed: IndexedRow, text: string) {
  const rowClass = rowClassOf(speakerOf(indexed), text);
  db.run("INSERT INTO entry_places (entry, row_class, exchange) VALUES (?, ?, NULL)", entry, rowClass);
}

const isOfUser = (rowClass: unknown) => rowClass === "user" || rowClass === "pasted";

interface OpenExchange {
  id: number;
  entries: number;
  /** So far it has only what the user said. A prompt and its message are two entries and open one exchange. */
  isAsking: boolean;
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
  return { id, entries: members.length, isAsking: members.every(({ row_class }) => isOfUser(row_class)) };
}

function placeSession(db: Connection, session: string, since: number) {
  let open = openBefore(db, session, since);
  const assign = db.prepare("UPDATE entry_places SET exchange = ? WHERE entry = ?");
  const rows = db.all(
    `SELECT entry, row_class, exchange FROM entries JOIN entry_places ON entry = id
       WHERE claude_session_id = ? AND created_at_epoch >= ? ORDER BY created_at_epoch, id`,
    session,
    since,
  );
  for (const { entry, row_class, exchange } of rows) {
    const isAsking = isOfUser(row_class);
    if (open === undefined || open.entries >= MOST_ENTRIES || (isAsking && !open.isAsking))
      open = { id: Number(entry), entries: 0, isAsking: true };
    open.entries += 1;
    open.isAsking &&= isAsking;
    if (exchange !== open.id) assign.run(open.id, Number(entry));
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
    addPlace(db, Number(id), indexed, searchableText(indexed));
  }
  placeEntries(db);
}
