// Reads the tables of another program's database, and never changes a byte of it.
import { existsSync } from "node:fs";
import { pathToFileURL } from "node:url";
import { fileSize, removeFile } from "../../lib/index.ts";
import type { Row, Value } from "../portable/rows.ts";
import { loadDriver } from "./driver.ts";
import { classifyErrors } from "./failures.ts";

export type ForeignRow = Row;

export interface ForeignDatabase {
  /** The names of the columns by the name of their table. */
  readonly tables: ReadonlyMap<string, ReadonlySet<string>>;
  /** The rows in which a column has a value, in the order of their ids. The names must be of `tables`. */
  rows(table: string, column: string, value: Value): ForeignRow[];
  /** Every value that a column has, in the order in which they came. */
  values(table: string, column: string): Value[];
  /** How many rows there are, and the highest id: together they show whether something was added. */
  extent(table: string): { readonly rows: number; readonly newest: number };
  close(): void;
}

/** Throws `database-damaged`, `permission-denied` or `io-failed` for what is no database, or cannot be read. */
export async function openForeign(file: string): Promise<ForeignDatabase> {
  const open = await loadDriver();
  return classifyErrors(file, () => {
    // Without a journal no process has it open: opened as immutable, SQLite makes no file beside it. With one, the
    // newest rows are in there, and are read by the rules of the one who writes.
    const isStill = fileSize(`${file}-wal`) === 0;
    const index = `${file}-shm`;
    const hadIndex = existsSync(index);
    const place = isStill ? `${pathToFileURL(file).href}?immutable=1` : file;
    const database = open(place, { readOnly: true });
    const close = () => {
      database.close();
      if (!isStill && !hadIndex) removeFile(index);
    };
    try {
      return { ...reading(file, (sql) => database.prepare(sql)), close };
    } catch (error) {
      close();
      throw error;
    }
  });
}

function reading(
  file: string,
  prepare: (sql: string) => { all(...values: Value[]): Row[]; get(...values: Value[]): Row | undefined },
): Omit<ForeignDatabase, "close"> {
  const names = prepare("SELECT name FROM sqlite_schema WHERE type = 'table'").all();
  const tables = new Map(
    names.map(({ name }) => {
      const columns = prepare("SELECT name FROM pragma_table_info(?)").all(String(name));
      return [String(name), new Set(columns.map((column) => String(column.name)))] as const;
    }),
  );
  /** Only names that are there come into a statement, so that none can carry anything else. */
  const known = (table: string, column = "id") => {
    if (!tables.get(table)?.has(column)) throw new Error(`${file} has no ${table}.${column}`);
  };
  return {
    tables,
    rows: (table, column, value) => {
      known(table, column);
      return classifyErrors(file, () =>
        prepare(`SELECT * FROM "${table}" WHERE "${column}" = ? ORDER BY id`).all(value),
      );
    },
    values: (table, column) => {
      known(table, column);
      return classifyErrors(file, () =>
        prepare(`SELECT "${column}" AS value FROM "${table}" GROUP BY 1 ORDER BY min(id)`)
          .all()
          .map(({ value }) => value as Value),
      );
    },
    extent: (table) => {
      known(table);
      const row = prepare(`SELECT count(*) AS rows, max(id) AS newest FROM "${table}"`).get();
      return { rows: Number(row?.rows), newest: Number(row?.newest) };
    },
  };
}
