// Writes the index of rows: an entry each, and its passages.
import { sha256 } from "../../../lib/index.ts";
import { newEntry } from "../../portable/newEntry.ts";
import { indexedRowFrom } from "../../portable/rows.ts";
import type { IndexedRow } from "../../searchableText.ts";
import type { EntryKind } from "../../searchIndex.ts";
import type { Connection } from "../connection.ts";
import { indexedTables } from "../schema/schema.ts";
import { addPlace, placeEntries } from "./exchanges.ts";

/** Twelve digits are enough to distinguish projects; letters and digits only, so that it is one token. */
const token = (name: string) => sha256(name).slice(0, 12);

export const projectToken = (project: string) => `p${token(project)}`;
export const kindToken = (kind: EntryKind) => `k${kind}`;

/** Indexes the rows of a kind that have no entry yet, from `ref` on. Called in the transaction that added them. */
export function indexNewRows(db: Connection, kind: EntryKind, after: number) {
  const rows = db.all(
    `SELECT * FROM ${indexedTables[kind]} WHERE id > ? AND NOT EXISTS
         (SELECT 1 FROM entries WHERE kind = '${kind}' AND ref = ${indexedTables[kind]}.id) ORDER BY id`,
    after,
  );
  for (const row of rows) addEntry(db, indexedRowFrom(kind, row));
  placeEntries(db);
  return rows.length;
}

/** Indexes these rows, which have no entry. */
export function indexRows(db: Connection, kind: EntryKind, ids: readonly number[]) {
  const row = db.prepare(`SELECT * FROM ${indexedTables[kind]} WHERE id = ?`);
  for (const id of ids) {
    const found = row.get(id);
    if (found) addEntry(db, indexedRowFrom(kind, found));
  }
  placeEntries(db);
}

export function newestRow(db: Connection, kind: EntryKind) {
  return db.number(`SELECT coalesce(max(id), 0) FROM ${indexedTables[kind]}`);
}

function addEntry(db: Connection, indexed: IndexedRow) {
  const { passages, rowClass, ...entry } = newEntry(indexed);
  const row = db.get(
    `INSERT INTO entries (kind, ref, claude_session_id, project, speaker, title, is_code, is_standing, is_question,
         parts, length, created_at_epoch) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) RETURNING id`,
    entry.kind,
    entry.ref,
    entry.session,
    entry.project,
    entry.speaker,
    entry.title,
    Number(entry.isCode),
    Number(entry.isStanding),
    Number(entry.isQuestion),
    passages.length,
    entry.length,
    entry.atEpoch,
  );
  addPlace(db, Number(row?.id), rowClass);
  const place = `${projectToken(entry.project)} ${kindToken(entry.kind)}`;
  const insert = db.prepare(
    "INSERT INTO passages (entry, start, ending, sequence, extra, place) VALUES (?, ?, ?, ?, ?, ?)",
  );
  for (const { start, end, sequence, extra } of passages)
    insert.run(Number(row?.id), start, end, sequence, extra, place);
}
