// What the store held, in a small file beside it, and the check of the database against it before it is opened.
import { randomInt } from "node:crypto";
import { statSync } from "node:fs";
import {
  defined,
  isObject,
  lstatIfThere,
  parseJson,
  readIfPossible,
  removeFile,
  SECOND,
  sha256,
  statIfThere,
  sumOf,
  tolerating,
  writeFileAtomic,
  writeJson,
} from "../../../lib/index.ts";
import type { Row } from "../../portable/rows.ts";
import { optionalNumber } from "../../portable/rows.ts";
import { type Connection, withDatabaseFile } from "../connection.ts";
import { classifyErrors, isFailure, lost } from "../failures.ts";
import { appliedMigrations, checkDatabase, type migrations } from "../schema/migrate.ts";
import { rowTables } from "../schema/schema.ts";

/** The tables whose rows are counted, by the name they are counted under. */
export const heldTables = { sessions: "sdk_sessions", ...rowTables } as const;

export type HeldTable = keyof typeof heldTables;
export type HeldCounts = Readonly<Record<HeldTable, number>>;

const heldTableNames = Object.keys(heldTables) as HeldTable[];

export const countsFrom = (count: (table: HeldTable) => number): HeldCounts =>
  Object.fromEntries(heldTableNames.map((table) => [table, count(table)])) as Record<HeldTable, number>;

/** A row of `forgotten`: hashes and times only. */
interface ForgottenMark {
  readonly session_hash: string | null;
  readonly project_hash: string | null;
  readonly from_epoch: number | null;
  readonly to_epoch: number;
}

export interface HeldState {
  /** The number in the header that distinguishes this store from every other. */
  readonly identity: number;
  readonly at: number;
  readonly counts: HeldCounts;
  /** The highest id that each table ever gave. Deleting rows does not lower it. */
  readonly sequences: Readonly<Record<string, number>>;
  /** The time of the oldest row of each table: what is older in a backup was deleted on purpose. */
  readonly oldest: Readonly<Partial<Record<HeldTable, number>>>;
  readonly pageSize: number;
  /** The first page of each table: with it rows are found when the schema is unreadable. */
  readonly roots: Readonly<Record<string, number>>;
  /** The names of the migrations that were applied. */
  readonly migrations: readonly string[];
  /** Marks of what was forgotten; they survive the loss of the database. */
  readonly forgotten: readonly ForgottenMark[];
  /** The database file as the last process closed it; absent while one has it open. */
  readonly closed?: { readonly bytes: number; readonly mtimeMs: number };
}

export const heldFile = (database: string) => `${database}.held.json`;

/** Undefined when there is none, or when its checksum is wrong. */
export function readHeld(database: string) {
  const found = parseJson(readIfPossible(heldFile(database)) ?? "");
  if (!isObject(found) || typeof found.held !== "string" || sha256(found.held) !== found.sum)
    return undefined;
  return parseJson(found.held) as HeldState | undefined;
}

function writeHeld(database: string, state: HeldState) {
  const held = JSON.stringify(state);
  writeJson(heldFile(database), { sum: sha256(held), held });
}

/** Called when a person put another database in place: the next state is recorded from that one. */
export function forgetHeld(database: string) {
  removeFile(heldFile(database));
}

const IDENTITIES = 0x7fff_ffff;

/** The second column by the first. */
const numbersByName = (rows: readonly Row[]): Record<string, number> =>
  Object.fromEntries(rows.map((row) => Object.values(row)).map(([name, value]) => [name, Number(value)]));

/** The names under which triggers count rows. */
const tallied = {
  events: "event",
  prompts: "prompt",
  observations: "observation",
  summaries: "summary",
  messages: "message",
} as const;

export function countRows(db: Connection): HeldCounts {
  const amounts = numbersByName(db.all("SELECT what, sum(amount) FROM tallies GROUP BY what"));
  const sessions = db.number("SELECT count(*) FROM sdk_sessions");
  return countsFrom((table) => (table === "sessions" ? sessions : (amounts[tallied[table]] ?? 0)));
}

const sequencesOf = (db: Connection) => numbersByName(db.all("SELECT name, seq FROM sqlite_sequence"));

function oldestRows(db: Connection): HeldState["oldest"] {
  const oldest = (table: HeldTable) =>
    optionalNumber(db.get(`SELECT min(created_at_epoch) AS at FROM ${heldTables[table]}`)?.at);
  return defined(Object.fromEntries(heldTableNames.map((table) => [table, oldest(table)])));
}

function stateOf(db: Connection, now: number): HeldState {
  const trees = db.all("SELECT name, rootpage FROM sqlite_schema WHERE rootpage > 0");
  const marks = db.all("SELECT session_hash, project_hash, from_epoch, to_epoch FROM forgotten ORDER BY id");
  return {
    identity: db.pragma("user_version"),
    at: now,
    counts: countRows(db),
    sequences: sequencesOf(db),
    oldest: oldestRows(db),
    pageSize: db.pragma("page_size"),
    roots: numbersByName(trees),
    migrations: appliedMigrations(db),
    forgotten: marks as unknown as ForgottenMark[],
  };
}

/** Throws `database-damaged` when the open database is another one, or an earlier state of the one that was here. */
function compareWithHeld(db: Connection, held: HeldState) {
  const identity = db.pragma("user_version");
  if (identity !== held.identity) throw lost(db.file, "is not the database that was here before");
  const applied = appliedMigrations(db);
  const absent = held.migrations.find((name) => !applied.includes(name));
  if (absent !== undefined) throw lost(db.file, `has lost the entry of its migration ${absent}`);
  const sequences = sequencesOf(db);
  const behind = Object.keys(held.sequences).find(
    (table) => (sequences[table] ?? 0) < (held.sequences[table] ?? 0),
  );
  if (behind === undefined) return;
  throw lost(
    db.file,
    `has lost rows: ${behind} went up to ${held.sequences[behind]}, now to ${sequences[behind] ?? 0}`,
  );
}

/** Gives a new store its identity. Of two processes that open it at the same time, one does. */
function ensureIdentity(db: Connection) {
  const isNamed = () => db.pragma("user_version") !== 0;
  if (isNamed()) return;
  db.transaction(() => {
    if (!isNamed()) db.exec(`PRAGMA user_version = ${randomInt(1, IDENTITIES)}`);
  });
}

const WRITE_EVERY_MS = SECOND;

/** Writes the state after commits, at most once a second. A disk without room stops no commit: it is tried again. */
export function keepHeld(db: Connection, now: () => number) {
  ensureIdentity(db);
  let timer: NodeJS.Timeout | undefined;
  let written = Number.NEGATIVE_INFINITY;
  const write = () => {
    timer = undefined;
    written = performance.now();
    unlessRefused(() => writeHeld(db.file, stateOf(db, now())));
  };
  if (!readHeld(db.file)) write();
  db.afterCommit(() => {
    if (timer) return;
    const wait = written + WRITE_EVERY_MS - performance.now();
    if (wait <= 0) write();
    else timer = setTimeout(write, wait).unref();
  });
  return {
    /** Closes the database and records how it was left. */
    finish(closing: () => void) {
      clearTimeout(timer);
      const state = unlessRefused(() => stateOf(db, now()));
      closing();
      if (!state) return;
      const { size, mtimeMs } = statSync(db.file);
      unlessRefused(() => writeHeld(db.file, { ...state, closed: { bytes: size, mtimeMs } }));
    },
  };
}

/** Ignores failures of recording the state: the statements that store and read rows report a full disk or a damaged page. */
function unlessRefused<T>(work: () => T) {
  try {
    return work();
  } catch {
    return undefined;
  }
}

/** Whether the file is as the last process that had it open left it. */
export function isAsClosed(database: string, held: HeldState | undefined) {
  const stat = statIfThere(database);
  if (!stat || !held?.closed) return false;
  return stat.size === held.closed.bytes && stat.mtimeMs === held.closed.mtimeMs;
}

/** Written when damage is found while the store is open: the next process that opens it must not go on with it. */
const markFile = (database: string) => `${database}.damaged`;

export function markDamaged(database: string, reason: string) {
  writeFileAtomic(markFile(database), `${reason}\n`);
}

export function clearDamage(database: string) {
  removeFile(markFile(database));
}

/** Everything that belongs to the database at this place, and goes when it goes. */
export const filesBeside = (database: string) => [`${database}-wal`, `${database}-shm`];

/** Follows links; undefined when the path does not exist. A dangling link counts as existing. */
const statTarget = (file: string) => tolerating(() => statSync(file), "ENOENT") ?? lstatIfThere(file);

/**
 * Gives whether there is a database. Throws `database-damaged` for a file that is damaged, is not the store's, or has lost
 * rows, and `database-newer` for one that a newer version wrote.
 */
export async function examine(file: string, known: typeof migrations) {
  const mark = readIfPossible(markFile(file));
  if (mark !== undefined) throw lost(file, `is damaged (${mark.trim()})`);
  const held = readHeld(file);
  const heldRows = held ? sumOf(Object.values(held.counts), Number) : 0;
  const requireNothingHeld = (what: string) => {
    if (heldRows > 0) throw lost(file, `is ${what}; it held ${heldRows} rows`);
  };
  const there = classifyErrors(file, () => statTarget(file));
  if (!there) {
    requireNothingHeld("gone");
    return false;
  }
  if (!there.isFile()) throw lost(file, "is not a file");
  if (there.size === 0) {
    requireNothingHeld("empty");
    return true;
  }
  await checkDatabase(file, known);
  if (!held) return true;
  try {
    await withDatabaseFile(file, (db) => compareWithHeld(db, held));
  } catch (error) {
    if (!isFailure(error, "database-failed")) throw error;
    throw lost(file, `does not have the tables of the store (${error.message})`);
  }
  return true;
}
