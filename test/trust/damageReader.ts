// Which rows SQLite itself still returns from a damaged file: an independent reader, after the header was put right.
import {
  closeSync,
  copyFileSync,
  existsSync,
  mkdtempSync,
  openSync,
  readSync,
  rmSync,
  statSync,
  writeSync,
} from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { type Database, loadDriver, releaseClosed } from "../../src/store/sqlite/driver.ts";
import type { Pages } from "./damageKinds.ts";

const PAGE = 4096;

/** What makes a row of a table the same row elsewhere. */
export const keyColumns = {
  sdk_sessions: "claude_session_id",
  events: "id",
  user_prompts: "uid",
  observations: "uid",
  session_summaries: "uid",
  messages: "claude_session_id || ' ' || uuid",
} as const;

type Table = keyof typeof keyColumns;
export const tables = Object.keys(keyColumns) as Table[];

export type Keys = Readonly<Record<Table, ReadonlySet<string>>>;
/** Every row of a whole database: its number. Made before the damage. */
export type RowList = Readonly<Record<Table, readonly number[]>>;

const perTable = <T>(make: (table: Table) => T): Record<Table, T> =>
  Object.fromEntries(tables.map((table) => [table, make(table)])) as Record<Table, T>;

export async function listRows(database: string): Promise<RowList> {
  const open = await loadDriver();
  const db = open(database, { readOnly: true });
  const list = perTable((table) =>
    db
      .prepare(`SELECT rowid AS id FROM ${table}`)
      .all()
      .map(({ id }) => Number(id)),
  );
  db.close();
  await releaseClosed();
  return list;
}

export async function allKeys(database: string): Promise<Keys> {
  const open = await loadDriver();
  const db = open(database, { readOnly: true });
  const keys = perTable(
    (table) =>
      new Set(
        db
          .prepare(`SELECT ${keyColumns[table]} AS key FROM ${table}`)
          .all()
          .map(({ key }) => String(key)),
      ),
  );
  db.close();
  await releaseClosed();
  return keys;
}

function copyBytes(from: string, to: string, at: number, length: number): void {
  const [source, target] = [openSync(from, "r"), openSync(to, "r+")];
  const bytes = Buffer.alloc(length);
  readSync(source, bytes, 0, length, at);
  writeSync(target, bytes, 0, length, at);
  closeSync(source);
  closeSync(target);
}

/** The number of pages is that of the file, and there is no list of free ones. */
function setCounts(file: string): void {
  const fd = openSync(file, "r+");
  const header = Buffer.alloc(100);
  readSync(fd, header, 0, 100, 0);
  header.writeUInt32BE(Math.ceil(statSync(file).size / PAGE), 28);
  header.fill(0, 32, 40);
  header.copy(header, 92, 24, 28);
  writeSync(fd, header, 0, 100, 0);
  closeSync(fd);
}

function works(db: Database): boolean {
  try {
    db.prepare("SELECT count(*) FROM sqlite_schema").get();
    return tables.every((table) => db.prepare(`SELECT * FROM ${table} LIMIT 0`).all().length === 0);
  } catch {
    return false;
  }
}

/** Opens a copy as it is, else with the header of the whole file, else with all pages of its schema. */
function openRepaired(
  copy: string,
  whole: string,
  pages: Pages,
  open: (file: string) => Database,
): Database | undefined {
  const schema = [1, ...pages("sqlite_schema", "leaf"), ...pages("sqlite_schema", "internal")];
  const repairs = [
    () => undefined,
    () => {
      copyBytes(whole, copy, 0, 100);
      setCounts(copy);
    },
    () => {
      for (const page of schema) copyBytes(whole, copy, (page - 1) * PAGE, PAGE);
      setCounts(copy);
    },
  ];
  for (const repair of repairs) {
    repair();
    const db = openIfPossible(copy, open);
    if (db !== undefined && works(db)) return db;
    db?.close();
  }
  return undefined;
}

function openIfPossible(copy: string, open: (file: string) => Database): Database | undefined {
  try {
    return open(copy);
  } catch {
    return undefined;
  }
}

function readTable(db: Database, table: Table, rows: readonly number[]): Set<string> {
  const keys = new Set<string>();
  const seen = new Set<number>();
  const select = `SELECT rowid AS salvage_id, ${keyColumns[table]} AS salvage_key, * FROM ${table}`;
  const take = (row: Readonly<Record<string, unknown>>): void => {
    seen.add(Number(row.salvage_id));
    if (typeof row.salvage_key === "string" && row.salvage_key !== "") keys.add(row.salvage_key);
  };
  for (const order of ["ASC", "DESC"])
    untilError(() => {
      for (const row of db.prepare(`${select} ORDER BY rowid ${order}`).iterate()) take(row);
    });
  const byId = db.prepare(`${select} WHERE rowid = ?`);
  for (const id of rows)
    if (!seen.has(id))
      untilError(() => {
        const row = byId.get(id);
        if (row !== undefined) take(row);
      });
  return keys;
}

function untilError(work: () => void): boolean {
  try {
    work();
    return true;
  } catch {
    return false;
  }
}

/**
 * Reads a copy, and gives the keys of rows that were there before: a flipped bit can make SQLite return columns that are
 * shifted, and such a key is no row's. No keys where there is no file to read.
 */
export async function readableKeys(
  database: string,
  whole: string,
  { rows, pages, before }: { readonly rows: RowList; readonly pages: Pages; readonly before: Keys },
): Promise<Keys> {
  const none = perTable(() => new Set<string>());
  if (!existsSync(database) || !statSync(database).isFile()) return none;
  const folder = mkdtempSync(path.join(tmpdir(), "throughline-readable-"));
  const copy = path.join(folder, "copy.db");
  copyFileSync(database, copy);
  if (existsSync(`${database}-wal`)) copyFileSync(`${database}-wal`, `${copy}-wal`);
  const open = await loadDriver();
  const db = openRepaired(copy, whole, pages, (file) => open(file, { readOnly: false }));
  const keys =
    db === undefined
      ? none
      : perTable((table) => {
          const read = readTable(db, table, rows[table]);
          return new Set([...read].filter((key) => before[table].has(key)));
        });
  db?.close();
  await releaseClosed();
  rmSync(folder, { recursive: true, force: true });
  return keys;
}
