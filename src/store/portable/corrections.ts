// The events that hold rows as they were before a user changed or deleted them.
import { isObject, parseJson } from "../../lib/index.ts";
import type { Correction, Observation, Summary } from "../model.ts";
import {
  type Columns,
  columnsFor,
  eventFields,
  indexedRowFrom,
  observationColumns,
  type Row,
  summaryFields,
} from "./rows.ts";

/** There is one while the row is deleted. */
export const deletionId = (uid: string) => `ev_deleted_${uid}`;

/** The ids of the edits of a row are from `first` on and before `end`, in their order. */
export const editIds = (uid: string) => ({ first: `ev_edited_${uid}.`, end: `ev_edited_${uid}/` });

const ORDER_DIGITS = 6;

/** The event of a row's next correction. It lies at the time of the row, so that both are forgotten together. */
export function correctionEvent({ kind, text }: Correction, row: Row, edits: number): Columns {
  const uid = String(row.uid);
  const edited = editIds(uid).first + String(edits).padStart(ORDER_DIGITS, "0");
  const visibility = typeof row.visibility === "string" ? { visibility: row.visibility } : {};
  return {
    ...columnsFor(eventFields, {
      id: text === null ? deletionId(uid) : edited,
      kind: "correction",
      lane: "worker",
      writer: "user",
      session: row.claude_session_id,
      project: row.project,
      promptNumber: row.prompt_number,
      at: row.created_at,
      payload: { kind, row: indexedRowFrom(kind, row).row, ...visibility },
    }),
    created_at_epoch: Number(row.created_at_epoch),
  };
}

type CorrectedRow = { readonly visibility?: string } & (
  | { readonly kind: "observation"; readonly row: Observation }
  | { readonly kind: "summary"; readonly row: Summary }
);

/** The row that an event of a correction holds. */
export function correctedRow({ payload }: Row) {
  const held = parseJson(String(payload));
  return isObject(held) && isObject(held.row) ? (held as unknown as CorrectedRow) : undefined;
}

/** The columns of the texts of a row as it was. */
export const textColumns = ({ kind, row }: CorrectedRow) =>
  kind === "summary" ? columnsFor(summaryFields, row) : observationColumns(row);

/** All columns of a row as it was. */
export const restoredColumns = (held: CorrectedRow): Columns => ({
  id: held.row.id,
  uid: held.row.uid,
  sdk_session_id: held.row.sdkSessionId ?? null,
  claude_session_id: held.row.claudeSessionId,
  project: held.row.project,
  prompt_number: held.row.promptNumber,
  created_at: held.row.createdAt,
  created_at_epoch: held.row.createdAtEpoch,
  ...textColumns(held),
});

/** The columns of a new text; undefined deletes the row. */
export function correctedColumns({ kind, text }: Correction) {
  if (text === null) return undefined;
  return kind === "summary" ? columnsFor(summaryFields, text) : observationColumns(text);
}

/** `SET` of an update. */
export const assignments = (columns: Columns) =>
  Object.keys(columns)
    .map((name) => `${name} = ?`)
    .join(", ");
