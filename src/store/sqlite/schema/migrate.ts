// Brings a database to the layout this program knows: by name and forward only. `openStore` makes a backup before.
import { ThroughlineError } from "../../../lib/index.ts";
import { type Connection, connectReadOnly, numberFrom } from "../connection.ts";
import { explained } from "../failures.ts";
import { accountTables } from "../knowledge/accounts.ts";
import { rebuildIndex } from "../search/entries.ts";
import { importTables } from "./importSchema.ts";
import { indexTables, questionColumn } from "./indexSchema.ts";
import { overviewTables } from "./overviewSchema.ts";
import { queueOrder } from "./queueSchema.ts";
import { firstTables } from "./schema.ts";
import { vectorTables } from "./vectorSchema.ts";

interface Migration {
  /** Recorded in the database; never changed once it has shipped. */
  readonly name: string;
  readonly sql: string;
  /** What SQL cannot do; in the same transaction. */
  readonly afterwards?: (db: Connection) => void;
}

export const migrations: readonly Migration[] = [
  { name: "2026-11-first-tables", sql: firstTables },
  { name: "2026-11-search-index", sql: indexTables },
  { name: "2026-11-vectors", sql: vectorTables },
  { name: "2026-11-overview", sql: overviewTables },
  { name: "2026-11-accounts", sql: accountTables },
  { name: "2026-11-imported", sql: importTables },
  { name: "2026-11-questions", sql: questionColumn, afterwards: rebuildIndex },
  { name: "2026-11-queue-order", sql: queueOrder },
];

/** Marks the file as ours: "Thrl". */
const APPLICATION_ID = 0x5468726c;

/**
 * Refuses what is not ours, or newer than we are, without changing a byte of it.
 * `known` is a parameter so that a test can be older or newer than the program.
 */
export async function checkDatabase(file: string, known = migrations): Promise<void> {
  const db = await connectReadOnly(file);
  try {
    explained(file, () => refuseStranger(db, known));
  } finally {
    db.close();
  }
}

function refuseStranger(db: Connection, known: readonly Migration[]): void {
  const isEmpty = numberFrom(db.prepare("SELECT count(*) FROM sqlite_schema").get()) === 0;
  if (!isEmpty && numberFrom(db.prepare("PRAGMA application_id").get()) !== APPLICATION_ID) {
    throw new ThroughlineError("database-unusable", `${db.file} is a database of another program`, {
      fix: "move it away, or set THROUGHLINE_HOME to another folder",
    });
  }
  const unknown = applied(db).filter((name) => !known.some((migration) => migration.name === name));
  if (unknown.length === 0) return;
  throw new ThroughlineError(
    "database-newer",
    `${db.file} was changed by a newer version of Throughline (${unknown.join(", ")})`,
    { fix: "install that version again: npm install -g throughline@latest" },
  );
}

function applied(db: Connection): string[] {
  const exists = db.prepare("SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = 'migrations'").get();
  if (exists === undefined) return [];
  return db
    .prepare("SELECT name FROM migrations ORDER BY rowid")
    .all()
    .map(({ name }) => String(name));
}

export function isUpToDate(db: Connection, known = migrations): boolean {
  const before = applied(db);
  return known.every(({ name }) => before.includes(name));
}

/** Whether the file has the tables of an earlier version, which a migration would change. */
export function isOlder(db: Connection, known = migrations): boolean {
  return applied(db).length > 0 && !isUpToDate(db, known);
}

/** Applies what is missing, each in its own transaction. */
export function migrate(db: Connection, now: number, known = migrations): void {
  const before = applied(db);
  const missing = known.filter(({ name }) => !before.includes(name));
  for (const migration of missing) apply(db, migration, now);
}

function apply(db: Connection, { name, sql, afterwards }: Migration, now: number): void {
  db.transaction(() => {
    // Another process may have been faster; it held the lock that we hold now.
    if (applied(db).includes(name)) return;
    db.exec(
      `PRAGMA application_id = ${APPLICATION_ID};
       CREATE TABLE IF NOT EXISTS migrations (name TEXT PRIMARY KEY, applied_at TEXT NOT NULL) STRICT;
       ${sql}`,
    );
    afterwards?.(db);
    db.prepare("INSERT INTO migrations(name, applied_at) VALUES (?, ?)").run(
      name,
      new Date(now).toISOString(),
    );
  });
}
