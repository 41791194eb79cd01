// The tables whose rows are salvaged: their columns in this version, and the leaf pages that belong to each.

import type { Value } from "../portable/rows.ts";
import type { Connection } from "../sqlite/connection.ts";
import type { PageSource } from "./pages.ts";
import { childrenOf, INTERIOR_TABLE, LEAF_TABLE, type RawRow, rowsOn, typeOf } from "./records.ts";

interface SalvagedColumn {
  readonly name: string;
  readonly type: string;
  readonly isNullable: boolean;
  /** Its values are the row's own number and are not in the record. */
  readonly isRowid: boolean;
}

export interface SalvagedTable {
  readonly name: SalvagedName;
  readonly columns: readonly SalvagedColumn[];
}

/**
 * In this order: what must not come back, the sessions that everything belongs to, what is injected into new sessions, and the
 * bulk last. Everything that is not here follows from these: indexes, counts, mentions, vectors.
 */
export const salvagedNames = [
  "forgotten",
  "sdk_sessions",
  "session_summaries",
  "observations",
  "user_prompts",
  "queue",
  "accounts",
  "messages",
  "events",
] as const;

export type SalvagedName = (typeof salvagedNames)[number];

/** Columns as the store has them that the rows go into. */
export function salvagedTables(db: Connection): SalvagedTable[] {
  return salvagedNames.map((name) => ({ name, columns: columnsOf(db, name) }));
}

function columnsOf(db: Connection, table: string): SalvagedColumn[] {
  return db.all(`PRAGMA table_info(${table})`).map((row) => {
    const isRowid = Number(row.pk) === 1 && row.type === "INTEGER";
    const isNullable = Number(row.notnull) === 0 && Number(row.pk) === 0;
    return { name: String(row.name), type: String(row.type), isNullable, isRowid };
  });
}

const fitsType: Readonly<Record<string, (value: Value) => boolean>> = {
  TEXT: (value) => typeof value === "string",
  INTEGER: (value) => Number.isInteger(value),
  REAL: (value) => typeof value === "number",
  BLOB: (value) => value instanceof Uint8Array,
};

const fitsColumn = ({ type, isNullable, isRowid }: SalvagedColumn, value: Value) => {
  if (isRowid) return value === null;
  return value === null ? isNullable : (fitsType[type]?.(value) ?? false);
};

/** Whether a record could be a row of the table. Every table is strict, so that most tables differ in their types. */
function couldBe({ name, columns }: SalvagedTable, { values }: RawRow) {
  if (values.length !== columns.length) return false;
  if (!columns.every((column, index) => fitsColumn(column, values[index] ?? null))) return false;
  return name !== "events" || isPayload(values[columns.findIndex((column) => column.name === "payload")]);
}

/** A summary has as many columns as an event, and text where an event has a JSON object. */
const isPayload = (value: Value | undefined) => typeof value === "string" && value.startsWith("{");

export type NamedRow = Readonly<Record<string, Value>>;

/**
 * The row by the names of its columns. A value of another type than its column has, which SQLite reads all the same, is
 * turned into that type; columns that an older layout did not have are left out.
 */
export function namedRow({ columns }: SalvagedTable, { rowid, values }: RawRow): NamedRow {
  const named: Record<string, Value> = {};
  columns.forEach((column, index) => {
    if (column.isRowid) named[column.name] = rowid;
    else if (index < values.length) named[column.name] = cast(column, values[index] ?? null);
  });
  return named;
}

function cast(column: SalvagedColumn, value: Value) {
  if (fitsColumn(column, value) || (value === null && column.isNullable)) return value;
  if (column.type === "TEXT")
    return value instanceof Uint8Array ? Buffer.from(value).toString("utf8") : String(value ?? "");
  const number = Number(value instanceof Uint8Array ? Number.NaN : value);
  if (Number.isNaN(number)) return column.isNullable ? null : 0;
  return column.type === "INTEGER" ? Math.trunc(number) : number;
}

/** How many rows of a page are sampled to find the table it belongs to. */
const SAMPLED_ROWS = 5;

type Children = ReadonlyMap<number, readonly number[]>;

interface PageSurvey {
  /** What every interior page of a table leads to. */
  readonly children: Children;
  readonly leaves: ReadonlySet<number>;
}

function survey(source: PageSource): PageSurvey {
  const children = new Map<number, readonly number[]>();
  const leaves = new Set<number>();
  for (let page = 1; page <= source.count; page++) {
    const bytes = source.read(page);
    const type = typeOf(bytes, page);
    if (type === LEAF_TABLE) leaves.add(page);
    if (type === INTERIOR_TABLE) children.set(page, childrenOf(bytes, page));
  }
  return { children, leaves };
}

function below(root: number, { children, leaves }: PageSurvey, visit: (leaf: number) => void) {
  const seen = new Set<number>();
  const open = [root];
  for (let page = open.pop(); page !== undefined; page = open.pop()) {
    if (seen.has(page)) continue;
    seen.add(page);
    if (leaves.has(page)) visit(page);
    open.push(...(children.get(page) ?? []));
  }
}

/** Roots of tables as the file's own schema names them. */
function statedRoots(source: PageSource, found: PageSurvey) {
  const roots = new Map<string, number>();
  below(1, found, (leaf) => {
    for (const { values } of rowsOn(source, leaf).rows) {
      const [type, name, , root] = values;
      if (type === "table" && typeof name === "string" && typeof root === "number") roots.set(name, root);
    }
  });
  return roots;
}

/** `known` are the roots that the store had when it was whole. */
export function findLeaves(
  source: PageSource,
  tables: readonly SalvagedTable[],
  known: Readonly<Record<string, number>>,
) {
  const found = survey(source);
  const isRoot = (page: number) => found.leaves.has(page) || found.children.has(page);
  const roots = new Map([...Object.entries(known), ...statedRoots(source, found)]);
  for (const [name, root] of roots) {
    const before = known[name];
    if (!isRoot(root) && before !== undefined) roots.set(name, before);
  }
  const owners = new Map<number, string>();
  const disputed = new Set<number>();
  for (const [name, root] of new Map([["sqlite_schema", 1], ...roots]))
    below(root, found, (leaf) => {
      if (owners.has(leaf)) disputed.add(leaf);
      else owners.set(leaf, name);
    });
  const leaves = new Map<string, number[]>(tables.map(({ name }) => [name, []]));
  for (const leaf of found.leaves) {
    const owner = owners.get(leaf);
    const likely = owner === undefined || disputed.has(leaf) ? likelyOwner(source, leaf, tables) : undefined;
    leaves.get(likely ?? owner ?? "")?.push(leaf);
  }
  return leaves;
}

/** The table that most rows of an ownerless page fit. */
function likelyOwner(source: PageSource, leaf: number, tables: readonly SalvagedTable[]) {
  const rows = rowsOn(source, leaf).rows.slice(0, SAMPLED_ROWS);
  const votes = tables.map((table) => rows.filter((row) => couldBe(table, row)).length);
  const most = Math.max(...votes);
  if (most === 0 || most * 2 < rows.length) return undefined;
  // Events fit the shape of summaries as well, and are recognised by their payload.
  const candidates = tables.filter((_, index) => votes[index] === most);
  return (candidates.find(({ name }) => name === "events") ?? candidates[0])?.name;
}
