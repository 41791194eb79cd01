// Creates the schema of a new store and brings an existing one up to it. `openStore` makes a backup before a change.
import { isoTime, ThroughlineError } from "../../../lib/index.ts";
import { type Connection, withDatabaseFile } from "../connection.ts";
import { lost } from "../failures.ts";
import { exchangesMigration } from "./exchanges.ts";
import { originsMigration } from "./origins.ts";
import { schema } from "./schema.ts";
import { syncMigration } from "./sync.ts";

interface Migration {
  /** Recorded in the database; never changed once it has shipped. */
  readonly name: string;
  readonly sql: string;
  /** What SQL alone cannot compute, in the same transaction. */
  readonly fill?: (db: Connection) => void;
}

/** The first creates a new store; each later one is a change of the schema, applied to new and existing stores alike. */
export const migrations: readonly Migration[] = [
  { name: "2026-11-schema", sql: schema },
  exchangesMigration,
  originsMigration,
  syncMigration,
];

/** Stores of version 0.1.0 and after it were made by these, which together give the tables of `2026-11-schema`. */
const bridged = [
  "2026-11-first-tables",
  "2026-11-search-index",
  "2026-11-vectors",
  "2026-11-overview",
  "2026-11-accounts",
  "2026-11-imported",
  "2026-11-questions",
  "2026-11-queue-order",
];

/** Marks the file as ours: "Thrl". */
const APPLICATION_ID = 0x5468726c;

/**
 * Refuses a database of another program, of a newer version, or with a schema that no version released, and changes
 * nothing in it. `known` is a parameter so that a test can be older or newer than the program.
 */
export const checkDatabase = (file: string, known = migrations) =>
  withDatabaseFile(file, (db) => refuseUnknown(db, known));

function refuseUnknown(db: Connection, known: readonly Migration[]) {
  const isEmpty = db.number("SELECT count(*) FROM sqlite_schema") === 0;
  if (!isEmpty && db.pragma("application_id") !== APPLICATION_ID) {
    throw new ThroughlineError(
      "database-unusable",
      `${db.file} is a database of another program`,
      "move it away, or set THROUGHLINE_HOME to another folder",
    );
  }
  const names = [...bridged, ...known.map(({ name }) => name)];
  const unknown = appliedMigrations(db).filter((name) => !names.includes(name));
  if (unknown.length === 0) return;
  throw new ThroughlineError(
    "database-newer",
    `${db.file} was changed by a newer version of Throughline (${unknown.join(", ")})`,
    "upgrade: npm install -g throughline@latest; or go back to a backup of this version: throughline data restore FILE",
  );
}

/** The names of the migrations that the database lists. */
export function appliedMigrations(db: Connection) {
  const exists = db.get("SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = 'migrations'");
  if (!exists) return [];
  return db.all("SELECT name FROM migrations ORDER BY rowid").map(({ name }) => String(name));
}

export function isUpToDate(db: Connection, known = migrations) {
  const before = appliedMigrations(db);
  return known.every(({ name }) => before.includes(name));
}

/** Whether the file has the tables of an earlier version, which a migration would change. */
export function isOlder(db: Connection, known = migrations) {
  return appliedMigrations(db).length > 0 && !isUpToDate(db, known);
}

/** Applies the missing migrations, each in its own transaction. */
export function migrate(db: Connection, now: number, known = migrations) {
  for (const { name, sql, fill } of known)
    db.transaction(() => {
      const before = appliedMigrations(db);
      // Another process may have applied it since; it held the lock that this one holds now.
      if (before.includes(name)) return;
      const isBridge = sql === schema && before.length > 0;
      if (isBridge) requireBridged(db, before);
      db.exec(
        `PRAGMA application_id = ${APPLICATION_ID};
         CREATE TABLE IF NOT EXISTS migrations (name TEXT PRIMARY KEY, applied_at TEXT NOT NULL) STRICT;
         ${isBridge ? "" : sql}`,
      );
      fill?.(db);
      db.run("INSERT INTO migrations(name, applied_at) VALUES (?, ?)", name, isoTime(now));
    });
}

/** Only a store that has every table, index and trigger of the schema is recorded as having it. */
function requireBridged(db: Connection, applied: readonly string[]) {
  if (!bridged.every((name) => applied.includes(name))) {
    throw new ThroughlineError(
      "database-unusable",
      `${db.file} has a schema of no released version (${applied.join(", ")})`,
      "throughline data restore FILE puts a backup in its place; throughline worker start sets the file aside and brings its rows into a new store",
    );
  }
  const found = new Set(db.all("SELECT name FROM sqlite_schema").map(({ name }) => name));
  const absent = [...schema.matchAll(/^ *CREATE (?:VIRTUAL )?(?:TABLE|INDEX|TRIGGER) (\w+)/gm)].find(
    ([, name]) => !found.has(name),
  );
  if (absent) throw lost(db.file, `lists its migrations, but has no ${absent[1]}`);
}
