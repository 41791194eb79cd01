// The SQLite library in use: Node's own where it has one, the same interface from a package where it has not.

import { createRequire } from "node:module";
import { setImmediate } from "node:timers/promises";
import { collectGarbage, isObject, ThroughlineError } from "../../lib/index.ts";
import type { Row, Value } from "../portable/rows.ts";

export interface Statement {
  run(...values: Value[]): { readonly changes: number | bigint };
  get(...values: Value[]): Row | undefined;
  all(...values: Value[]): Row[];
  iterate(...values: Value[]): Iterable<Row>;
}

export interface Database {
  readonly isTransaction: boolean;
  prepare(sql: string): Statement;
  exec(sql: string): void;
  /** Extensions can be loaded only between `true` and `false`. */
  enableLoadExtension(allow: boolean): void;
  loadExtension(file: string): void;
  close(): void;
}

type OpenDatabase = (file: string, options: { readonly readOnly: boolean }) => Database;

type Constructor = new (
  file: string,
  options: { readonly readOnly: boolean; readonly allowExtension?: boolean },
) => Database;

const isConstructor = (value: unknown): value is Constructor => typeof value === "function";

interface Driver {
  readonly open: OpenDatabase;
  /** Whether closing a database ends its statements. */
  readonly endsStatements: boolean;
}

let driver: Driver | undefined;

/** Chosen on first use, so that importing the module costs nothing. */
async function chosenDriver() {
  if (driver) return driver;
  const own = builtin();
  const Class = own ?? (await packaged());
  const open: OpenDatabase = (file, options) => {
    const database = new Class(file, { ...options, allowExtension: true });
    // Nothing that is written in SQL may load code.
    database.enableLoadExtension(false);
    return database;
  };
  driver = { open, endsStatements: own !== undefined };
  return driver;
}

/** An optional dependency: a user of the pipeline alone may leave it out. */
async function packaged() {
  try {
    return (await import("@photostructure/sqlite")).DatabaseSync;
  } catch (cause) {
    throw new ThroughlineError(
      "database-failed",
      `Node ${process.versions.node} has no SQLite with full-text search, and @photostructure/sqlite cannot be loaded`,
      { fix: "npm install @photostructure/sqlite, or use Node 22.16 or newer", cause },
    );
  }
}

export async function loadDriver() {
  return (await chosenDriver()).open;
}

/** Node's own, where it is complete: some versions of 22 have it without full-text search. */
function builtin() {
  const sqlite = quietly(() => process.getBuiltinModule("node:sqlite"));
  const Class = isObject(sqlite) && isConstructor(sqlite.DatabaseSync) ? sqlite.DatabaseSync : undefined;
  return Class && isComplete(Class) ? Class : undefined;
}

/** Asks a database and not the class: Node gives `isTransaction` to each object, not to the prototype. */
function isComplete(Class: Constructor) {
  const memory = new Class(":memory:", { readOnly: false });
  const answer = memory.prepare("SELECT sqlite_compileoption_used('ENABLE_FTS5') AS used").get();
  const complete = "isTransaction" in memory && answer?.used === 1;
  memory.close();
  return complete;
}

/** Suppresses the warning of Node 22 on stderr that its SQLite is experimental. */
function quietly(load: () => unknown) {
  const emit = process.emitWarning;
  process.emitWarning = () => undefined;
  try {
    return load();
  } finally {
    process.emitWarning = emit;
  }
}

/**
 * Waits until closed databases have released their files. The package cannot finalize a statement: a database
 * that was closed stays open underneath until its statements are collected, and until then its file cannot be replaced.
 */
export async function releaseClosed() {
  if ((await chosenDriver()).endsStatements) return;
  collectGarbage();
  await setImmediate();
}

/** False where the package, its build for this platform, or the permission to load it is missing. */
export function loadVectorFunctions(database: Database) {
  try {
    const sqliteVec: unknown = createRequire(import.meta.url)("sqlite-vec");
    if (!isObject(sqliteVec) || typeof sqliteVec.getLoadablePath !== "function") return false;
    const file: unknown = sqliteVec.getLoadablePath();
    database.enableLoadExtension(true);
    try {
      database.loadExtension(String(file));
    } finally {
      database.enableLoadExtension(false);
    }
    return true;
  } catch {
    return false;
  }
}
