// Changes and deletes single rows for a user, and undoes that.
import type { Correction } from "../../model.ts";
import {
  assignments,
  correctedColumns,
  correctedRow,
  correctionEvent,
  deletionId,
  editIds,
  restoredColumns,
  textColumns,
} from "../../portable/corrections.ts";
import type { Columns } from "../../portable/rows.ts";
import { instant } from "../../time.ts";
import type { Connection } from "../connection.ts";
import { openSession } from "../events/sessions.ts";
import { indexedTables } from "../schema/schema.ts";
import { indexRows } from "../search/entries.ts";
import { insertRow } from "./lists.ts";

function editsOf(db: Connection, uid: string) {
  const { first, end } = editIds(uid);
  return db.number("SELECT count(*) FROM events WHERE id >= ? AND id < ?", first, end);
}

export const isDeleted = (db: Connection, uid: string | undefined) =>
  uid !== undefined && db.get("SELECT 1 FROM events WHERE id = ?", deletionId(uid)) !== undefined;

/** A user's words are not replaced by a model's. */
export const isEdited = (db: Connection, uid: string) => editsOf(db, uid) > 0;

function rewrite(db: Connection, kind: Correction["kind"], id: number, columns: Columns) {
  db.run(
    `UPDATE ${indexedTables[kind]} SET ${assignments(columns)} WHERE id = ?`,
    ...Object.values(columns),
    id,
  );
  indexRows(db, kind, [id]);
}

/** A row that was changed here is sent from here; a restored one is not withdrawn any more. */
function takeBack(db: Connection, kind: Correction["kind"], uid: string) {
  db.run("DELETE FROM received WHERE kind = ? AND uid = ? AND person IS NULL", kind, uid);
  const mark = db.get("DELETE FROM withdrawn WHERE kind = ? AND uid = ? RETURNING id", kind, uid);
  if (mark) db.run("DELETE FROM feed WHERE kind = 'withdrawn' AND ref = ?", Number(mark.id));
}

export function correct(db: Connection, correction: Correction): boolean {
  const { kind, id } = correction;
  const table = indexedTables[kind];
  return db.transaction(() => {
    const row = db.get(`SELECT * FROM ${table} WHERE id = ?`, id);
    if (!row) return false;
    insertRow(db, "events", correctionEvent(correction, row, editsOf(db, String(row.uid))));
    const columns = correctedColumns(correction);
    takeBack(db, kind, String(row.uid));
    if (columns) rewrite(db, kind, id, columns);
    else {
      db.run(`DELETE FROM ${table} WHERE id = ?`, id);
      db.run("DELETE FROM feed WHERE kind = ? AND ref = ?", kind, id);
      db.run("INSERT OR IGNORE INTO withdrawn (kind, uid) VALUES (?, ?)", kind, String(row.uid));
    }
    return true;
  });
}

/** The newest edit of a row that is there, or the deletion of one that is not. */
function newestCorrection(db: Connection, { kind, id }: Pick<Correction, "kind" | "id">) {
  const row = db.get(`SELECT uid FROM ${indexedTables[kind]} WHERE id = ?`, id);
  if (row) {
    const { first, end } = editIds(String(row.uid));
    return db.get("SELECT * FROM events WHERE id >= ? AND id < ? ORDER BY id DESC LIMIT 1", first, end);
  }
  return db.get(
    `SELECT * FROM events WHERE kind = 'correction' AND json_extract(payload, '$.kind') = ?
       AND json_extract(payload, '$.row.id') = ? ORDER BY id LIMIT 1`,
    kind,
    id,
  );
}

export function undoCorrection(db: Connection, wanted: Pick<Correction, "kind" | "id">): boolean {
  return db.transaction(() => {
    const event = newestCorrection(db, wanted);
    const held = event && correctedRow(event);
    if (!event || !held) return false;
    takeBack(db, wanted.kind, held.row.uid);
    if (event.id === deletionId(held.row.uid)) {
      const { claudeSessionId, project, createdAtEpoch, id } = held.row;
      const session = openSession(db, claudeSessionId, project, instant(createdAtEpoch));
      const own = held.kind === "observation" ? { session_id: session.id } : {};
      insertRow(db, indexedTables[held.kind], { ...restoredColumns(held), ...own });
      indexRows(db, held.kind, [id]);
    } else rewrite(db, wanted.kind, wanted.id, textColumns(held));
    db.run("DELETE FROM events WHERE id = ?", String(event.id));
    db.run("DELETE FROM feed WHERE kind = 'event' AND ref = ?", Number(event.seq));
    return true;
  });
}
