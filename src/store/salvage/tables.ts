// The tables whose rows are brought over, with their columns as this program lays them out.
import type { Connection } from "../sqlite/connection.ts";
import type { Value } from "../sqlite/driver.ts";
import type { RawRow } from "./records.ts";

interface Column {
  readonly name: string;
  readonly type: string;
  readonly isNullable: boolean;
  /** Its values are the row's own number and are not in the record. */
  readonly isRowid: boolean;
}

export interface SalvagedTable {
  readonly name: SalvagedName;
  readonly columns: readonly Column[];
}

/**
 * In this order: what must not come back, the sessions that everything belongs to, what new sessions are told, and the
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

function columnsOf(db: Connection, table: string): Column[] {
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

const fits = ({ type, isNullable, isRowid }: Column, value: Value): boolean => {
  if (isRowid) return value === null;
  return value === null ? isNullable : (fitsType[type]?.(value) ?? false);
};

/** Whether a record could be a row of the table. Every table is strict, so that types tell most tables apart. */
export function couldBe({ name, columns }: SalvagedTable, { values }: RawRow): boolean {
  if (values.length !== columns.length) return false;
  if (!columns.every((column, index) => fits(column, values[index] ?? null))) return false;
  return name !== "events" || isPayload(values[columns.findIndex((column) => column.name === "payload")]);
}

/** A summary has as many columns as an event, and text where an event has a JSON object. */
const isPayload = (value: Value | undefined): boolean => typeof value === "string" && value.startsWith("{");

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

function cast(column: Column, value: Value): Value {
  if (fits(column, value) || (value === null && column.isNullable)) return value;
  if (column.type === "TEXT")
    return value instanceof Uint8Array ? Buffer.from(value).toString("utf8") : String(value ?? "");
  const number = Number(value instanceof Uint8Array ? Number.NaN : value);
  if (Number.isNaN(number)) return column.isNullable ? null : 0;
  return column.type === "INTEGER" ? Math.trunc(number) : number;
}
