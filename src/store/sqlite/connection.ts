// One open database: private files, settings that make a commit final, prepared statements, transactions.

import { chmodSync, closeSync, existsSync, openSync, statSync } from "node:fs";
import path from "node:path";
import {
  ensureFolder,
  PRIVATE_FILE,
  syncFolder,
  syncPlace,
  systemErrorCode,
  type ThroughlineError,
} from "../../lib/index.ts";
import type { Row, Value } from "../portable/rows.ts";
import { type Database, loadDriver, loadVectorFunctions, type Statement } from "./driver.ts";
import { classifyErrors } from "./failures.ts";

export interface Connection {
  readonly file: string;
  /** Prepared once and kept. */
  prepare(sql: string): Statement;
  /** The statements below are prepared and run in one call. */
  all(sql: string, ...values: Value[]): Row[];
  get(sql: string, ...values: Value[]): Row | undefined;
  iterate(sql: string, ...values: Value[]): Iterable<Row>;
  /** The first column of the first row, such as a count; 0 when there is none. */
  number(sql: string, ...values: Value[]): number;
  /** The number that SQLite has for a setting or a count of its own. */
  pragma(name: string): number;
  /** Gives the number of rows that were changed. */
  run(sql: string, ...values: Value[]): number;
  exec(sql: string): void;
  /** All of `work` or nothing of it; a transaction inside another is part of it. */
  transaction<T>(work: () => T): T;
  /** As `transaction`, without waiting for the disk: survives the end of the process, not a loss of power. */
  lightTransaction<T>(work: () => T): T;
  /** Calls the listener after each commit of a `transaction`. */
  afterCommit(listener: () => void): void;
  /** Called with each failure that means damage. */
  onDamage?: ((error: ThroughlineError) => void) | undefined;
  /** Whether SQL has the functions of sqlite-vec; loaded when first asked for, where it can be. */
  canCompareVectors(): boolean;
  close(): void;
}

/**
 * A commit must survive a loss of power, because the spool file of an event is deleted right after it: hence
 * `synchronous = FULL` (and `fullfsync` for macOS, whose plain sync stops at the drive's cache). Events come in
 * batches, so that this costs one sync for many. Freed pages are overwritten; nothing temporary reaches a disk.
 */
const pragmas = [
  "PRAGMA busy_timeout = 5000",
  "PRAGMA journal_mode = WAL",
  "PRAGMA synchronous = FULL",
  "PRAGMA fullfsync = ON",
  "PRAGMA foreign_keys = ON",
  "PRAGMA secure_delete = ON",
  "PRAGMA temp_store = MEMORY",
  "PRAGMA trusted_schema = OFF",
  "PRAGMA cache_size = -4000",
  "PRAGMA journal_size_limit = 16777216",
];

/** Opens the file and makes it where it is missing, readable to its owner alone from the start. */
export async function connect(file: string): Promise<Connection> {
  const open = await loadDriver();
  return classifyErrors(file, () => {
    makePrivate(file);
    return prepared(file, open(file, { readOnly: false }), pragmas);
  });
}

/** Opens a file that is there, and changes nothing in it. */
export async function connectReadOnly(file: string): Promise<Connection> {
  const open = await loadDriver();
  const settings = ["PRAGMA busy_timeout = 5000", "PRAGMA temp_store = MEMORY"];
  return classifyErrors(file, () => prepared(file, open(file, { readOnly: true }), settings));
}

/** Closes the connection after use. */
export async function withConnection<T>(
  opening: Promise<Connection>,
  use: (db: Connection) => T | Promise<T>,
) {
  const db = await opening;
  try {
    return await classifyErrors(db.file, () => use(db));
  } finally {
    db.close();
  }
}

/** Reads a file that is there. */
export const withDatabaseFile = <T>(file: string, use: (db: Connection) => T | Promise<T>) =>
  withConnection(connectReadOnly(file), use);

/** SQLite gives its journals the mode of the main file, so that one is made first. */
function makePrivate(file: string) {
  if (existsSync(file)) {
    const { mode } = statSync(file);
    // Exactly these bits: no access for others, and full access for the owner.
    if (process.platform !== "win32" && (mode & 0o777) !== PRIVATE_FILE) setPrivate(file, mode);
    return;
  }
  ensureFolder(path.dirname(file));
  closeSync(openSync(file, "a", PRIVATE_FILE));
  syncFile(file);
}

/** A file of another owner keeps its mode; whether it can be used is found out by opening it. */
function setPrivate(file: string, mode: number) {
  try {
    chmodSync(file, PRIVATE_FILE);
  } catch (error) {
    if ((mode & 0o077) !== 0 || systemErrorCode(error) !== "EPERM") throw error;
  }
}

function prepared(file: string, database: Database, pragmas: readonly string[]): Connection {
  try {
    for (const pragma of pragmas) database.exec(pragma);
  } catch (error) {
    database.close();
    throw error;
  }
  const statements = new Map<string, Statement>();
  let comparesVectors: boolean | undefined;
  let onCommit: () => void = () => undefined;
  const prepare = (sql: string) => {
    const statement = statements.get(sql) ?? withWholeTexts(database.prepare(sql));
    statements.set(sql, statement);
    return statement;
  };
  return {
    file,
    prepare,
    all: (sql, ...values) => prepare(sql).all(...values),
    get: (sql, ...values) => prepare(sql).get(...values),
    iterate: (sql, ...values) => prepare(sql).iterate(...values),
    number: (sql, ...values) => numberFrom(prepare(sql).get(...values)),
    pragma: (name) => numberFrom(prepare(`PRAGMA ${name}`).get()),
    run: (sql, ...values) => Number(prepare(sql).run(...values).changes),
    exec: (sql) => database.exec(sql),
    transaction: (work) => {
      if (database.isTransaction) return work();
      const result = classifyErrors(file, () => inTransaction(database, work));
      onCommit();
      return result;
    },
    afterCommit: (listener) => {
      onCommit = listener;
    },
    lightTransaction: (work) =>
      database.isTransaction ? work() : classifyErrors(file, () => withoutWaiting(database, work)),
    canCompareVectors: () => {
      comparesVectors ??= loadVectorFunctions(database);
      return comparesVectors;
    },
    close: () => {
      statements.clear();
      database.close();
    },
  };
}

/** Replaces zero characters: SQLite ends a text at the first one and would drop the rest. */
function withWholeTexts(statement: Statement): Statement {
  const whole = (value: Value) =>
    typeof value === "string" && value.includes("\0") ? value.replaceAll("\0", "\ufffd") : value;
  return {
    run: (...values) => statement.run(...values.map(whole)),
    get: (...values) => statement.get(...values.map(whole)),
    all: (...values) => statement.all(...values.map(whole)),
    iterate: (...values) => statement.iterate(...values.map(whole)),
  };
}

function inTransaction<T>(database: Database, work: () => T) {
  // Takes the write lock first: a transaction that begins by reading could be refused half-way.
  database.exec("BEGIN IMMEDIATE");
  try {
    const result = work();
    database.exec("COMMIT");
    return result;
  } catch (error) {
    // A full disk has rolled back already.
    if (database.isTransaction) database.exec("ROLLBACK");
    throw error;
  }
}

function withoutWaiting<T>(database: Database, work: () => T) {
  database.exec("PRAGMA synchronous = NORMAL");
  try {
    return inTransaction(database, work);
  } finally {
    database.exec("PRAGMA synchronous = FULL");
  }
}

/** The single number of a query such as `SELECT count(*)`. */
export function numberFrom(row: Row | undefined) {
  const value = row && Object.values(row)[0];
  return typeof value === "number" || typeof value === "bigint" ? Number(value) : 0;
}

/** Puts a file on disk, and its name too. */
export function syncFile(file: string) {
  syncPlace(file, "r+");
  syncFolder(path.dirname(path.resolve(file)));
}
