// Changes rows of PostgreSQL: new texts, who sees them, and observations that are taken away. Each comes again in the feed.
import { isDeepStrictEqual } from "node:util";
import type { Revisions } from "../jobQueue.ts";
import { textColumns } from "../portable/changes.ts";
import { assignments } from "../portable/corrections.ts";
import {
  type Columns,
  columnsFor,
  indexedRowFrom,
  observationColumns,
  observationFrom,
  type Row,
  summaryFields,
  summaryFrom,
} from "../portable/rows.ts";
import { instantOf } from "../time.ts";
import type { Writer } from "./connection.ts";
import { addRow, editsIn, eventColumns, kinds } from "./record.ts";
import type { Visibility } from "./schema.ts";
import { indexRows, removeEntries } from "./search/entries.ts";
import { isShared, withdrawRows } from "./withdraw.ts";

export async function reindexRow(on: Writer, kind: "observation" | "summary", row: Row) {
  await removeEntries(on, kind, [Number(row.id)]);
  await indexRows(on, [indexedRowFrom(kind, row)], row.visibility as Visibility);
}

export type RedactRow = <T extends object>(row: T) => T;

/** In the transaction that shares the rows, so that others never see them as they were. */
async function redactRows(
  on: Writer,
  kind: "observation" | "summary",
  rows: readonly Row[],
  redact: RedactRow,
) {
  const columnsOf = (row: Row, clean: RedactRow) =>
    kind === "observation"
      ? textColumns.observation(clean(observationFrom(row)))
      : textColumns.summary(clean(summaryFrom(row)));
  for (const row of rows) {
    const columns = columnsOf(row, redact);
    if (
      isDeepStrictEqual(
        columns,
        columnsOf(row, (same) => same),
      )
    )
      continue;
    await on.run(
      `UPDATE ${kinds[kind].table} SET ${assignments(columns)} WHERE person_id = ? AND uid = ?`,
      ...Object.values(columns),
      on.space.person,
      String(row.uid),
    );
  }
}

/**
 * Lets others see rows of this person, or takes that back; gives how many changed. A shared row comes in the feed of its readers.
 */
export async function share(
  on: Writer,
  kind: "observation" | "summary",
  uids: readonly string[],
  visibility: Visibility,
  redact?: RedactRow,
): Promise<number> {
  const { table } = kinds[kind];
  const seen = await on.all(
    `SELECT * FROM ${table} WHERE team_id = ? AND person_id = ? AND uid = ANY(?) AND visibility <> ?`,
    on.space.team,
    on.space.person,
    uids,
    visibility,
  );
  await withdrawRows(on, kind, seen.filter(isShared), false);
  if (redact && visibility !== "private") await redactRows(on, kind, seen, redact);
  const rows = await on.all(
    `UPDATE ${table} SET visibility = ? WHERE team_id = ? AND person_id = ? AND uid = ANY(?) AND visibility <> ? RETURNING *`,
    visibility,
    on.space.team,
    on.space.person,
    uids,
    visibility,
  );
  for (const row of rows) await reindexRow(on, kind, row);
  await moveToFeedEnd(on, kind, rows);
  return rows.length;
}

export async function moveToFeedEnd(on: Writer, kind: "observation" | "summary", rows: readonly Row[]) {
  await on.run(
    "DELETE FROM feed WHERE team_id = ? AND person_id = ? AND kind = ? AND ref = ANY(?)",
    on.space.team,
    on.space.person,
    kind,
    rows.map(({ id }) => Number(id)),
  );
  await on.insert(
    "feed",
    rows.map((row) => ({
      ...{ id: on.next("feed"), kind, ref: Number(row.id), project: String(row.project) },
      visibility: String(row.visibility),
    })),
  );
}

/** A user's words are not replaced by a model's. */
async function isEdited(on: Writer, kind: "observation" | "summary", uid: string) {
  const row = await on.get(
    `SELECT claude_session_id FROM ${kinds[kind].table} WHERE person_id = ? AND uid = ?`,
    on.space.person,
    uid,
  );
  return row !== undefined && (await editsIn(on, String(row.claude_session_id), uid)).length > 0;
}

/** Called in the transaction that completes the job which gave the new texts. */
export async function revise(on: Writer, { observations = [], summaries = [], by }: Revisions) {
  const worded = by === undefined ? {} : { sdk_session_id: by.modelSession };
  const reviseRow = async (kind: "observation" | "summary", uid: string, texts: Columns) => {
    if (await isEdited(on, kind, uid)) return;
    const columns = { ...texts, ...worded };
    const row = await on.get(
      `UPDATE ${kinds[kind].table} SET ${assignments(columns)} WHERE person_id = ? AND uid = ? RETURNING *`,
      ...Object.values(columns),
      on.space.person,
      uid,
    );
    if (row === undefined) return;
    await reindexRow(on, kind, row);
    // A changed text comes again in the feed.
    await moveToFeedEnd(on, kind, [row]);
  };
  for (const item of observations) await reviseRow("observation", item.uid, observationColumns(item));
  for (const item of summaries) await reviseRow("summary", item.uid, columnsFor(summaryFields, item));
}

/** Takes rows away with their index entries. An event keeps each with the reason, at the time of the row. */
export async function dropObservations(on: Writer, dropped: NonNullable<Revisions["dropped"]>, now: number) {
  for (const { uid, reason } of dropped) {
    if (await isEdited(on, "observation", uid)) continue;
    const row = await on.get(
      "DELETE FROM observations WHERE person_id = ? AND uid = ? RETURNING *",
      on.space.person,
      uid,
    );
    if (row === undefined) continue;
    const observation = observationFrom(row);
    await withdrawRows(on, "observation", [row], true);
    await removeEntries(on, "observation", [observation.id]);
    await on.run("DELETE FROM feed WHERE kind = 'observation' AND ref = ?", observation.id);
    const { claudeSessionId: session, project, promptNumber, createdAt } = observation;
    const at = instantOf(createdAt, now);
    const event = {
      v: 1,
      id: `ev_dropped_${uid}`,
      kind: "observation-dropped",
      lane: "worker",
      writer: "refine",
    } as const;
    const place = { session, project, at: at.iso, payload: { reason, observation } };
    await addRow(on, "event", eventColumns({ ...event, ...place }, at, promptNumber));
  }
}
