// Brings the rows of a damaged database over into the store: page by page in short transactions, to be continued at any page.
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { errorText, sumOf, ThroughlineError } from "../../lib/index.ts";
import { rowReader } from "../portable/rows.ts";
import { requireIntact } from "../sqlite/backup/autoBackup.ts";
import {
  countsFrom,
  type HeldCounts,
  type HeldState,
  type HeldTable,
  heldTables,
  keepHeld,
} from "../sqlite/backup/held.ts";
import { type Connection, connect, withDatabaseFile } from "../sqlite/connection.ts";
import { classifyErrors, isStoreTrouble } from "../sqlite/failures.ts";
import { openPages, type PageSource } from "./pages.ts";
import { placeRows } from "./place.ts";
import { rowsOn } from "./records.ts";
import {
  findLeaves,
  type NamedRow,
  namedRow,
  type SalvagedName,
  type SalvagedTable,
  salvagedTables,
} from "./tables.ts";

/** Where the salvage resumes. `salvaged` counts the rows taken from the damaged file so far. */
export interface SalvagePosition {
  readonly stage: "reading" | "filling";
  /** Of `salvagedNames`. */
  readonly table: number;
  /** Leaf pages of the table that are done. */
  readonly done: number;
  /** The file name of the backup that these pages belong to. */
  readonly backup?: string;
  readonly salvaged: HeldCounts;
  /** Cells of the damaged file that could not be read, and rows of it that the store refused. */
  readonly unreadable: number;
  /** From 0 to 1. */
  readonly share: number;
  /** Sources that could not be read in whole, each with the reason. */
  readonly notes?: readonly string[];
}

const noRows: HeldCounts = countsFrom(() => 0);

export const salvageStart: SalvagePosition = {
  ...{ stage: "reading", table: 0, done: 0, unreadable: 0, share: 0 },
  salvaged: noRows,
};

/** The position after the last page of the damaged file. */
export const withFileRead = (position: SalvagePosition): SalvagePosition => ({
  ...position,
  ...{ stage: "filling", table: 0, done: 0, share: 1 },
});

export function withNote(position: SalvagePosition, note: string) {
  const notes = position.notes ?? [];
  return notes.includes(note) ? position : { ...position, notes: [...notes, note] };
}

export interface SalvageRequest {
  /** The store that the rows go into. */
  readonly database: string;
  /** The damaged file; its journal lies beside it. */
  readonly damaged: string;
  readonly held?: HeldState | undefined;
  /** Databases that have what the damaged one may have lost, newest first. One that is damaged too is followed by the next. */
  readonly backups?: readonly string[];
  readonly from: SalvagePosition;
  readonly now: () => number;
  /** Called after each commit. */
  readonly onProgress: (position: SalvagePosition) => void;
}

/** A transaction is this short, and the pause after it as long: the worker writes into the same store. */
const SLICE_MS = 25;
const LARGEST_BATCH = 200;

const heldTableOf = (table: SalvagedName) =>
  (Object.keys(heldTables) as HeldTable[]).find((name) => heldTables[name] === table);

function plus(counts: HeldCounts, table: SalvagedName, rows: number) {
  const name = heldTableOf(table);
  return name === undefined ? counts : { ...counts, [name]: counts[name] + rows };
}

/**
 * Resolves when everything that can be read is in the store. Throws a `ThroughlineError` for what is wrong with the store,
 * and what the system refuses about the damaged file.
 */
export async function salvage(request: SalvageRequest) {
  const db = await connect(request.database);
  const held = keepHeld(db, request.now);
  try {
    const tables = classifyErrors(db.file, () => salvagedTables(db));
    const read = request.from.stage === "reading" ? await readDamaged(db, tables, request) : request.from;
    return await fillFromBackups(db, tables, request, read);
  } finally {
    held.finish(() => db.close());
  }
}

async function readDamaged(
  db: Connection,
  tables: readonly SalvagedTable[],
  { damaged, held, from, onProgress }: SalvageRequest,
) {
  const source = openPages(damaged, held?.pageSize);
  if (!source) return withFileRead(from);
  try {
    const read = await copyRows(db, source, {
      ...{ tables, roots: held?.roots ?? {}, from, onProgress },
      choose: () => () => true,
      advance: (position, { table, present, unreadable, share }) => ({
        ...{ ...position, share },
        salvaged: plus(position.salvaged, table, present),
        unreadable: position.unreadable + unreadable,
      }),
    });
    return withFileRead(read);
  } finally {
    source.close();
  }
}

interface SalvageBatch {
  readonly table: SalvagedName;
  readonly present: number;
  readonly unreadable: number;
  readonly share: number;
}

interface RowCopy {
  readonly tables: readonly SalvagedTable[];
  /** The roots of tables that are used where the file does not state its own. */
  readonly roots: Readonly<Record<string, number>>;
  readonly from: SalvagePosition;
  readonly onProgress: SalvageRequest["onProgress"];
  /** Which rows of a table are wanted; undefined when none are. */
  readonly choose: (table: SalvagedName) => ((row: NamedRow) => boolean) | undefined;
  /** What a batch changes in the position, apart from table and page. */
  readonly advance: (position: SalvagePosition, batch: SalvageBatch) => SalvagePosition;
}

/** Copies rows into the store, leaf page by leaf page from the position on. */
async function copyRows(db: Connection, source: PageSource, copying: RowCopy) {
  const { tables, roots, from, onProgress, choose, advance } = copying;
  const leaves = findLeaves(source, tables, roots);
  const all = sumOf([...leaves.values()], ({ length }) => length);
  let before = 0;
  let position = from;
  let batch = LARGEST_BATCH;
  for (const [index, table] of tables.entries()) {
    const list = leaves.get(table.name) ?? [];
    const isWanted = choose(table.name);
    const isDone = index < from.table || isWanted === undefined;
    for (let at = isDone ? list.length : index === from.table ? from.done : 0; at < list.length; ) {
      const rows: NamedRow[] = [];
      let unreadable = 0;
      while (at < list.length && rows.length < batch) {
        const found = rowsOn(source, list[at++] ?? 0);
        rows.push(...found.rows.map((row) => namedRow(table, row)));
        unreadable += found.unreadable;
      }
      const began = performance.now();
      const { present, refused } = placeTolerantly(
        db,
        table.name,
        rows.filter((row) => isWanted?.(row)),
      );
      const share = (before + at) / Math.max(1, all);
      const done = { table: table.name, present, unreadable: unreadable + refused, share };
      position = { ...advance(position, done), table: index, done: at };
      onProgress(position);
      const took = performance.now() - began;
      batch = Math.min(LARGEST_BATCH, Math.max(1, Math.round((rows.length * SLICE_MS) / took)));
      await sleep(Math.min(took, 2 * SLICE_MS));
    }
    before += list.length;
  }
  return position;
}

/** When a batch fails, its rows are placed one by one, and the row that fails is left out. */
function placeTolerantly(
  db: Connection,
  table: SalvagedName,
  rows: readonly NamedRow[],
): { readonly present: number; readonly refused: number } {
  try {
    return { present: placeRows(db, table, rows), refused: 0 };
  } catch (error) {
    if (isStoreTrouble(error)) throw error;
    if (rows.length === 1) return { present: 0, refused: 1 };
    const each = rows.map((row) => placeTolerantly(db, table, [row]));
    return {
      present: sumOf(each, ({ present }) => present),
      refused: sumOf(each, ({ refused }) => refused),
    };
  }
}

/** Whether the damaged file gave back all rows of a table; what a backup has beyond that was deleted on purpose. */
function isFullySalvaged(table: SalvagedName, salvaged: HeldCounts, held: HeldState | undefined) {
  // The work of then is done, or follows from events that come back.
  if (table === "queue") return true;
  const name = heldTableOf(table);
  return name !== undefined && held !== undefined && salvaged[name] >= held.counts[name];
}

/** Takes rows from the newest backup, and from the next older one as long as the one before could not be read in whole. */
async function fillFromBackups(
  db: Connection,
  tables: readonly SalvagedTable[],
  request: SalvageRequest,
  from: SalvagePosition,
) {
  const backups = request.backups ?? [];
  const begun = backups.findIndex((file) => path.basename(file) === from.backup);
  let position = from;
  for (const file of backups.slice(Math.max(0, begun))) {
    const backup = path.basename(file);
    if (backup !== position.backup) position = { ...position, backup, table: 0, done: 0 };
    let problem = await problemOf(file);
    try {
      position = await fillFrom(db, tables, request, { file, from: position });
    } catch (error) {
      // Of the store; everything else is the backup's.
      if (error instanceof ThroughlineError) throw error;
      problem = `cannot be read: ${errorText(error)}`;
    }
    if (problem === undefined) break;
    position = withNote(position, `backup ${backup} ${problem}`);
  }
  return position;
}

async function problemOf(backup: string) {
  try {
    await requireIntact(backup);
    return undefined;
  } catch (error) {
    // SQLite begins with a headline of its own.
    return errorText(error)
      .replace(`${backup} `, "")
      .replace(/\*{3} in database \w+ \*{3}/, "")
      .replace(/\s+/g, " ");
  }
}

async function fillFrom(
  db: Connection,
  tables: readonly SalvagedTable[],
  { held, onProgress }: SalvageRequest,
  { file, from }: { readonly file: string; readonly from: SalvagePosition },
) {
  // The roots come from the backup's own schema: its pages are in another order than those of the damaged file.
  const source = openPages(file);
  if (!source) return from;
  try {
    return await copyRows(db, source, {
      ...{ tables, roots: {}, from, onProgress },
      choose: (table) =>
        isFullySalvaged(table, from.salvaged, held) ? undefined : isYoungEnough(table, held),
      advance: (position) => position,
    });
  } finally {
    source.close();
  }
}

/** Rows that are older than the oldest one that was held were deleted on purpose. */
function isYoungEnough(table: SalvagedName, held: HeldState | undefined): (row: NamedRow) => boolean {
  const name = heldTableOf(table);
  const oldest = name === undefined ? undefined : held?.oldest[name];
  return (row) => oldest === undefined || Number(row.created_at_epoch) >= oldest;
}

/** How many rows there are of what happened up to a time. */
export async function countUntil(database: string, at: number): Promise<HeldCounts> {
  return withDatabaseFile(database, (db) =>
    countsFrom((table) =>
      db.number(`SELECT count(*) FROM ${heldTables[table]} WHERE created_at_epoch <= ?`, at),
    ),
  );
}

/** The transcripts that the store's events name, each with its session. */
export async function namedTranscripts(
  database: string,
): Promise<{ readonly session: string; readonly file: string }[]> {
  const sql =
    "SELECT DISTINCT claude_session_id, transcript AS file FROM events WHERE transcript IS NOT NULL";
  return withDatabaseFile(database, (db) => db.all(sql).map(rowReader({ session: String, file: String })));
}
