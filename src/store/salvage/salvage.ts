// Brings the rows of a damaged database over into the store: page by page in short transactions, to be continued at any page.
import { setTimeout as sleep } from "node:timers/promises";
import type { Connection } from "../sqlite/connection.ts";
import { connect, connectReadOnly, numberFrom } from "../sqlite/connection.ts";
import {
  countsFrom,
  type HeldCounts,
  type HeldState,
  type HeldTable,
  heldTables,
  keepHeld,
} from "../sqlite/held.ts";
import { findLeaves } from "./leaves.ts";
import { openPages, type PageSource } from "./pages.ts";
import { placeRows } from "./place.ts";
import { rowsOn } from "./records.ts";
import { type NamedRow, namedRow, type SalvagedName, type SalvagedTable, salvagedTables } from "./tables.ts";

/** Where to go on. `salvaged` counts what was taken over up to there. */
export interface SalvagePosition {
  readonly stage: "reading" | "filling";
  /** Of `salvagedNames`. */
  readonly table: number;
  /** Leaf pages of the table that are done; rows of a backup: the last id that is done. */
  readonly done: number;
  readonly salvaged: HeldCounts;
  /** Cells that could not be read. */
  readonly unreadable: number;
  /** From 0 to 1. */
  readonly share: number;
}

const noRows: HeldCounts = countsFrom(() => 0);

export const salvageStart: SalvagePosition = {
  ...{ stage: "reading", table: 0, done: 0, unreadable: 0, share: 0 },
  salvaged: noRows,
};

export interface SalvageRequest {
  /** The store that the rows go into. */
  readonly database: string;
  /** The damaged file; its journal lies beside it. */
  readonly damaged: string;
  readonly held?: HeldState | undefined;
  /** A whole database that has what the damaged one may have lost. */
  readonly backup?: string | undefined;
  readonly from: SalvagePosition;
  readonly now: () => number;
  /** Called after each commit. */
  readonly onProgress: (position: SalvagePosition) => void;
}

/** A transaction is this short, and the pause after it as long: the worker writes into the same store. */
const SLICE_MS = 25;
const MOST_ROWS = 200;

const nameOf = (table: SalvagedName): HeldTable | undefined =>
  (Object.keys(heldTables) as HeldTable[]).find((name) => heldTables[name] === table);

function plus(counts: HeldCounts, table: SalvagedName, rows: number): HeldCounts {
  const name = nameOf(table);
  return name === undefined ? counts : { ...counts, [name]: counts[name] + rows };
}

/** Resolves when everything that can be read is in the store. Throws what the system refuses. */
export async function salvage(request: SalvageRequest): Promise<SalvagePosition> {
  const db = await connect(request.database);
  const held = keepHeld(db, request.now);
  try {
    const read = request.from.stage === "reading" ? await readDamaged(db, request) : request.from;
    return await fill(db, request, read);
  } finally {
    held.finish(() => db.close());
  }
}

async function readDamaged(db: Connection, request: SalvageRequest): Promise<SalvagePosition> {
  const tables = salvagedTables(db);
  const source = openPages(request.damaged, request.held?.pageSize);
  if (source === undefined) return { ...request.from, stage: "filling", table: 0, done: 0, share: 1 };
  try {
    return await readLeaves(db, source, tables, request);
  } finally {
    source.close();
  }
}

async function readLeaves(
  db: Connection,
  source: PageSource,
  tables: readonly SalvagedTable[],
  { held, from, onProgress }: SalvageRequest,
): Promise<SalvagePosition> {
  const leaves = findLeaves(source, tables, held?.roots ?? {});
  const all = [...leaves.values()].reduce((sum, list) => sum + list.length, 0);
  let before = 0;
  let position = from;
  let batch = MOST_ROWS;
  for (const [index, table] of tables.entries()) {
    const list = leaves.get(table.name) ?? [];
    const first = index < from.table ? list.length : index === from.table ? from.done : 0;
    for (let at = first; at < list.length; ) {
      const rows: NamedRow[] = [];
      let unreadable = 0;
      while (at < list.length && rows.length < batch) {
        const found = rowsOn(source, list[at++] ?? 0);
        rows.push(...found.rows.map((row) => namedRow(table, row)));
        unreadable += found.unreadable;
      }
      const began = performance.now();
      const { present } = placeRows(db, table.name, rows);
      position = {
        ...{ stage: "reading", table: index, done: at, share: (before + at) / Math.max(1, all) },
        salvaged: plus(position.salvaged, table.name, present),
        unreadable: position.unreadable + unreadable,
      };
      onProgress(position);
      const took = performance.now() - began;
      batch = Math.min(MOST_ROWS, Math.max(1, Math.round((rows.length * SLICE_MS) / took)));
      await sleep(Math.min(took, 2 * SLICE_MS));
    }
    before += list.length;
  }
  return { ...position, stage: "filling", table: 0, done: 0, share: 1 };
}

/** Whether the damaged file gave back all rows of a table; what a backup has beyond that was deleted on purpose. */
function isWhole(table: SalvagedName, salvaged: HeldCounts, held: HeldState | undefined): boolean {
  // The work of then is done, or follows from events that come back.
  if (table === "queue") return true;
  const name = nameOf(table);
  return name !== undefined && held !== undefined && salvaged[name] >= held.counts[name];
}

async function fill(
  db: Connection,
  request: SalvageRequest,
  from: SalvagePosition,
): Promise<SalvagePosition> {
  const { backup, held, onProgress } = request;
  let position = from;
  if (backup === undefined) return position;
  const source = await connectReadOnly(backup);
  try {
    const tables = salvagedTables(db);
    for (const [index, table] of tables.entries()) {
      if (index < from.table || isWhole(table.name, from.salvaged, held)) continue;
      let after = index === from.table ? from.done : 0;
      for (;;) {
        const began = performance.now();
        const rows = backupRows(source, table, after);
        if (rows.length === 0) break;
        after = rows.at(-1)?.rowid ?? after;
        placeRows(db, table.name, wantedRows(table, rows, held));
        position = { ...position, table: index, done: after };
        onProgress(position);
        await sleep(Math.max(1, performance.now() - began));
      }
    }
  } finally {
    source.close();
  }
  return position;
}

interface BackupRow {
  readonly rowid: number;
  readonly row: NamedRow;
}

function backupRows(source: Connection, { name, columns }: SalvagedTable, after: number): BackupRow[] {
  const there = new Set(
    source
      .prepare(`PRAGMA table_info(${name})`)
      .all()
      .map((column) => String(column.name)),
  );
  const names = columns.map((column) => column.name).filter((column) => there.has(column));
  if (names.length === 0) return [];
  return source
    .prepare(
      `SELECT rowid AS salvaged_rowid, ${names.join(", ")} FROM ${name} WHERE rowid > ? ORDER BY rowid LIMIT ${MOST_ROWS}`,
    )
    .all(after)
    .map(({ salvaged_rowid, ...row }) => ({ rowid: Number(salvaged_rowid), row: row as NamedRow }));
}

function wantedRows(
  { name }: SalvagedTable,
  rows: readonly BackupRow[],
  held: HeldState | undefined,
): NamedRow[] {
  const counted = nameOf(name);
  const oldest = counted === undefined ? undefined : held?.oldest[counted];
  return rows
    .map(({ row }) => row)
    .filter((row) => oldest === undefined || Number(row.created_at_epoch) >= oldest);
}

/** How many rows there are of what happened up to a time. */
export async function countUntil(database: string, at: number): Promise<HeldCounts> {
  const db = await connectReadOnly(database);
  try {
    return countsFrom((table) =>
      numberFrom(db.prepare(`SELECT count(*) FROM ${heldTables[table]} WHERE created_at_epoch <= ?`).get(at)),
    );
  } finally {
    db.close();
  }
}

/** The transcripts that the store's events name, each with its session. */
export async function namedTranscripts(
  database: string,
): Promise<{ readonly session: string; readonly file: string }[]> {
  const db = await connectReadOnly(database);
  try {
    return db
      .prepare(
        "SELECT DISTINCT claude_session_id AS session, transcript AS file FROM events WHERE transcript IS NOT NULL",
      )
      .all()
      .map(({ session, file }) => ({ session: String(session), file: String(file) }));
  } finally {
    db.close();
  }
}
