// Changes and deletes single rows of a person, and undoes that.
import type { Correction } from "../model.ts";
import {
  assignments,
  correctedColumns,
  correctedRow,
  correctionEvent,
  deletionId,
  restoredColumns,
  textColumns,
} from "../portable/corrections.ts";
import { type Columns, indexedRowFrom, type Row } from "../portable/rows.ts";
import { instant } from "../time.ts";
import type { Writer } from "./connection.ts";
import { addRow, editsIn, kinds } from "./record.ts";
import { moveToFeedEnd, reindexRow } from "./revise.ts";
import type { Visibility } from "./schema.ts";
import { indexRows, removeEntries } from "./search/entries.ts";
import { openSessions } from "./sessions.ts";
import { withdrawRows } from "./withdraw.ts";

type CorrectedPlace = Pick<Correction, "kind" | "id">;

const rowAt = (on: Writer, { kind, id }: CorrectedPlace) =>
  on.get(`SELECT * FROM ${kinds[kind].table} WHERE person_id = ? AND id = ?`, on.space.person, id);

async function rewrite(on: Writer, { kind, id }: CorrectedPlace, columns: Columns) {
  const row = await on.get(
    `UPDATE ${kinds[kind].table} SET ${assignments(columns)} WHERE person_id = ? AND id = ? RETURNING *`,
    ...Object.values(columns),
    on.space.person,
    id,
  );
  if (!row) return;
  await reindexRow(on, kind, row);
  await moveToFeedEnd(on, kind, [row]);
}

/** A restored row is not withdrawn any more. */
async function takeBackWithdrawal(on: Writer, kind: CorrectedPlace["kind"], uid: string) {
  const { team, person } = on.space;
  const mark = await on.get(
    "DELETE FROM withdrawn WHERE team_id = ? AND person_id = ? AND kind = ? AND uid = ? RETURNING id",
    ...[team, person, kind, uid],
  );
  if (mark) await removeFeed(on, "withdrawn", Number(mark.id));
}

const removeFeed = (on: Writer, kind: string, ref: number) =>
  on.run("DELETE FROM feed WHERE team_id = ? AND kind = ? AND ref = ?", on.space.team, kind, ref);

export async function correct(on: Writer, correction: Correction): Promise<boolean> {
  const { kind, id } = correction;
  const row = await rowAt(on, correction);
  if (!row) return false;
  const edits = await editsIn(on, String(row.claude_session_id), String(row.uid));
  await addRow(on, "event", correctionEvent(correction, row, edits.length));
  const columns = correctedColumns(correction);
  if (columns) await rewrite(on, correction, columns);
  else {
    await withdrawRows(on, kind, [row], true);
    await on.run(`DELETE FROM ${kinds[kind].table} WHERE person_id = ? AND id = ?`, on.space.person, id);
    await removeEntries(on, kind, [id]);
    await removeFeed(on, kind, id);
  }
  return true;
}

/** The newest edit of a row that is there, or the deletion of one that is not. */
async function newestCorrection(on: Writer, place: CorrectedPlace) {
  const row = await rowAt(on, place);
  if (row) return (await editsIn(on, String(row.claude_session_id), String(row.uid))).at(-1);
  const all = await on.all(
    "SELECT * FROM events WHERE person_id = ? AND kind = 'correction' AND id LIKE ? ORDER BY seq DESC",
    on.space.person,
    `${deletionId("")}%`,
  );
  const isMeant = (event: Row) => {
    const held = correctedRow(event);
    return held?.kind === place.kind && held.row.id === place.id;
  };
  return all.find(isMeant);
}

async function restore(on: Writer, held: NonNullable<ReturnType<typeof correctedRow>>) {
  const { claudeSessionId, project, createdAtEpoch, id } = held.row;
  const sessions = await openSessions(on, [claudeSessionId]);
  const session = sessions.open(claudeSessionId, project, instant(createdAtEpoch));
  await sessions.writeAll();
  const own: Columns = held.kind === "observation" ? { session_id: session.id } : {};
  const visibility = (held.visibility ?? "private") as Visibility;
  const columns = { ...restoredColumns(held), ...own };
  await takeBackWithdrawal(on, held.kind, held.row.uid);
  await on.insert(kinds[held.kind].table, [{ ...columns, visibility }]);
  await indexRows(on, [indexedRowFrom(held.kind, columns)], visibility);
  await on.insert("feed", [{ id: on.next("feed"), kind: held.kind, ref: id, project, visibility }]);
}

export async function undoCorrection(on: Writer, place: CorrectedPlace): Promise<boolean> {
  const event = await newestCorrection(on, place);
  const held = event && correctedRow(event);
  if (!event || !held) return false;
  if (event.id === deletionId(held.row.uid)) await restore(on, held);
  else await rewrite(on, place, textColumns(held));
  await on.run("DELETE FROM events WHERE person_id = ? AND seq = ?", on.space.person, Number(event.seq));
  await removeFeed(on, "event", Number(event.seq));
  return true;
}
