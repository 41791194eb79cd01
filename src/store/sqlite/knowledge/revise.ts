// New words for rows that are there already: the row keeps its ids, its time and its place, and is indexed anew.

import type { Revisions } from "../../queue.ts";
import type { EntryKind } from "../../searchIndex.ts";
import type { Connection } from "../connection.ts";
import { indexedTables } from "../schema/schema.ts";
import { indexNewRows } from "../search/entries.ts";
import { type Columns, observationColumns, summaryColumns } from "./knowledge.ts";

/** Inside the transaction of the work that gave the words. */
export function revise(db: Connection, { observations = [], summaries = [] }: Revisions): void {
  for (const { uid, ...text } of observations) reviseRow(db, "observation", uid, observationColumns(text));
  for (const { uid, ...text } of summaries) reviseRow(db, "summary", uid, summaryColumns(text));
}

function reviseRow(db: Connection, kind: EntryKind, uid: string, columns: Columns): void {
  const table = indexedTables[kind];
  const assignments = Object.keys(columns).map((name) => `${name} = ?`);
  const row = db
    .prepare(`UPDATE ${table} SET ${assignments.join(", ")} WHERE uid = ? RETURNING id`)
    .get(...Object.values(columns).map((value) => value ?? null), uid);
  if (row !== undefined) indexNewRows(db, kind, Number(row.id) - 1);
}
