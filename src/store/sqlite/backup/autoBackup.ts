// Automatic backups of the whole database: copied from one snapshot, checked, and renamed once they are complete.

import { randomBytes } from "node:crypto";
import { closeSync, existsSync, openSync, renameSync, statfsSync, statSync, utimesSync } from "node:fs";
import path from "node:path";
import { pathToFileURL } from "node:url";
import {
  DAY,
  ensureFolder,
  HOUR,
  isoTime,
  namesIn,
  removeFile,
  statIfThere,
  sumOf,
  ThroughlineError,
  usageError,
} from "../../../lib/index.ts";
import { type Connection, numberFrom, syncFile, withDatabaseFile } from "../connection.ts";
import { loadDriver } from "../driver.ts";
import { classifyErrors } from "../failures.ts";

type BackupReason = "daily" | "migration";

export interface AutomaticBackup {
  readonly file: string;
  /** Milliseconds since the epoch, from the file name. */
  readonly at: number;
  readonly reason: BackupReason;
  readonly bytes: number;
}

interface BackupLimits {
  /** How many daily backups are kept. */
  readonly daily: number;
  /** The size of all automatic backups together; 0 is the larger of 1 GB and twice the database. */
  readonly maxBytes: number;
}

export const defaultLimits: BackupLimits = { daily: 3, maxBytes: 0 };

const KEPT_MIGRATION_BACKUPS = 2;
const LEAST_TOTAL_BYTES = 1_000_000_000;
const STAMP = "(\\d{4}-\\d\\d-\\d\\dT\\d\\d-\\d\\d-\\d\\d-\\d{3}Z)";
const BACKUP_NAME = new RegExp(`^throughline-${STAMP}-(daily|migration)\\.db$`);
/** Version 0.1.0 kept its copies beside the database. */
const LEGACY_NAME = new RegExp(`\\.before-.+-${STAMP}$`);

export function automaticFolder(database: string) {
  return path.join(path.dirname(database), "backups", "auto");
}

/** Newest first. Only files that were checked and renamed have such a name. */
export function automaticBackups(database: string): AutomaticBackup[] {
  const found = (folder: string, shape: RegExp, prefix = "") =>
    namesIn(folder).flatMap((name) => {
      const [, stamp, reason] = (name.startsWith(prefix) && shape.exec(name)) || [];
      const file = path.join(folder, name);
      const bytes = statIfThere(file)?.size;
      if (stamp === undefined || bytes === undefined) return [];
      const at = Date.parse(stamp.replace(/T(\d\d)-(\d\d)-(\d\d)-/, "T$1:$2:$3."));
      return { file, at, reason: reason === "daily" ? reason : "migration", bytes } as const;
    });
  return [
    ...found(automaticFolder(database), BACKUP_NAME),
    ...found(path.dirname(database), LEGACY_NAME, `${path.basename(database)}.before-`),
  ].sort((a, b) => b.at - a.at);
}

/** The newest automatic backup of the whole database; it passed the integrity check when it was made. */
export function newestBackup(database: string): { readonly file: string; readonly at: number } | undefined {
  return automaticBackups(database)[0];
}

/** What may be deleted, oldest first. `made` and the newest backup always stay. */
export function surplusBackups(
  backups: readonly AutomaticBackup[],
  limits: BackupLimits & { readonly databaseBytes: number },
  made?: string,
) {
  const maxBytes = limits.maxBytes || Math.max(LEAST_TOTAL_BYTES, 2 * limits.databaseBytes);
  const left = { daily: limits.daily, migration: KEPT_MIGRATION_BACKUPS };
  let total = 0;
  // The file that was just made comes first: with a clock that was set back its name is not the newest.
  const ordered = backups.toSorted(
    (a, b) => Number(b.file === made) - Number(a.file === made) || b.at - a.at,
  );
  const surplus = ordered.filter((backup, index) => {
    left[backup.reason] -= 1;
    const fits = left[backup.reason] >= 0 && total + backup.bytes <= maxBytes;
    if (!fits && index > 0) return true;
    total += backup.bytes;
    return false;
  });
  return surplus.reverse();
}

/** Unfinished files of processes that were killed. A younger one may still be written. */
function removeUnfinished(database: string, now: number) {
  const folder = automaticFolder(database);
  for (const name of namesIn(folder)) {
    if (BACKUP_NAME.test(name)) continue;
    const file = path.join(folder, name);
    const age = now - (statIfThere(file)?.mtimeMs ?? now);
    if (Math.abs(age) > HOUR) removeFile(file);
  }
}

/** Deletes every automatic backup, finished or not: they hold what was just forgotten. */
export function removeAutomaticBackups(database: string) {
  const folder = automaticFolder(database);
  for (const name of namesIn(folder)) removeFile(path.join(folder, name));
  for (const { file } of automaticBackups(database)) removeFile(file);
}

/** The copy is private from its creation, and has its name only once it is whole and on disk. */
export function copyDatabase(db: Connection, target: string) {
  if (existsSync(target)) throw usageError(`${target} exists already`, "name a file that does not exist");
  ensureFolder(path.dirname(path.resolve(target)));
  const temporary = `${target}.${randomBytes(6).toString("hex")}.tmp`;
  try {
    closeSync(openSync(temporary, "wx", 0o600));
    classifyErrors(db.file, () => db.run("VACUUM INTO ?", temporary));
    syncFile(temporary);
    renameSync(temporary, target);
    syncFile(target);
  } catch (error) {
    removeFile(temporary);
    throw error;
  }
  return { bytes: statSync(target).size };
}

export type DailyBackup =
  | { readonly outcome: "made"; readonly file: string; readonly bytes: number }
  /** `recent`: the newest is younger than a day. `no-space`: less than twice the database is free. */
  | { readonly outcome: "recent" | "unchanged" | "absent" | "no-space" | "overtaken" };

/** How often the free space must hold the database before a copy of it is begun. */
const SPACE_FACTOR = 2;

/** The size of database and journal, and the time of the last write to either. */
function databaseFiles(file: string) {
  const stats = [file, `${file}-wal`].map((name) => statIfThere(name));
  const written = stats.flatMap((stat, index) =>
    stat && (index === 0 || stat.size > 0) ? stat.mtimeMs : [],
  );
  return { bytes: sumOf(stats, (stat) => stat?.size ?? 0), writtenAt: Math.round(Math.max(0, ...written)) };
}

/** Undefined when a backup is due, else why none is. Reads names and times of files only. */
export function whyNoBackup(file: string, now: number) {
  if (!existsSync(file)) return "absent";
  const backups = automaticBackups(file);
  // A clock that was set back must not stop the backups until it is where it was.
  if (backups.some(({ reason, at }) => reason === "daily" && Math.abs(now - at) < DAY)) return "recent";
  // A backup has the time of the last write that it holds.
  const { writtenAt } = databaseFiles(file);
  const holds = ({ file: backup }: AutomaticBackup) =>
    Math.round(statIfThere(backup)?.mtimeMs ?? 0) === writtenAt;
  return backups.some(holds) ? "unchanged" : undefined;
}

/**
 * Makes the day's backup when it is due. Copies in one read transaction, which blocks no writer; it takes as long as
 * reading and writing the whole database, so that the worker runs it in a process of its own.
 */
export async function makeDailyBackup(request: {
  readonly file: string;
  readonly now: number;
  readonly limits: BackupLimits;
}): Promise<DailyBackup> {
  const { file, now, limits } = request;
  removeUnfinished(file, now);
  const reason = whyNoBackup(file, now);
  if (reason !== undefined) return { outcome: reason };
  return withDatabaseFile(file, (db) => makeBackup(db, { now, reason: "daily", limits }));
}

/** Throws `database-damaged` when the copy does not pass the integrity check; then it is removed. */
export async function makeBackup(
  db: Connection,
  request: { readonly now: number; readonly reason: BackupReason; readonly limits: BackupLimits },
): Promise<DailyBackup> {
  const { now, reason, limits } = request;
  const source = databaseFiles(db.file);
  const folder = automaticFolder(db.file);
  ensureFolder(folder);
  const { bavail, bsize } = statfsSync(folder);
  if (bavail * bsize < source.bytes * SPACE_FACTOR) return { outcome: "no-space" };
  const stamp = isoTime(now).replace(/[:.]/g, "-");
  const target = path.join(folder, `throughline-${stamp}-${reason}.db`);
  const unchecked = `${target}.unchecked`;
  removeFile(unchecked);
  let bytes: number;
  try {
    ({ bytes } = copyDatabase(db, unchecked));
    await requireIntact(unchecked);
    utimesSync(unchecked, source.writtenAt / 1000, source.writtenAt / 1000);
    syncFile(unchecked);
    // `forget` deletes unfinished copies too.
    if (!existsSync(unchecked)) return { outcome: "overtaken" };
    renameSync(unchecked, target);
    syncFile(target);
  } finally {
    removeFile(unchecked);
  }
  // Looked at after the rename: `forget` either finds the file and deletes it, or has left its mark before this.
  const marks = classifyErrors(db.file, () => countMarks(db.prepare));
  if ((await withCopy(target, countMarks)) !== marks) {
    removeFile(target);
    return { outcome: "overtaken" };
  }
  const surplus = surplusBackups(
    automaticBackups(db.file),
    { ...limits, databaseBytes: source.bytes },
    target,
  );
  for (const backup of surplus) removeFile(backup.file);
  return { outcome: "made", file: target, bytes };
}

/** Opens a finished copy as immutable, so that SQLite makes no file beside it. */
async function withCopy<T>(file: string, use: (prepare: Connection["prepare"]) => T) {
  const open = await loadDriver();
  return classifyErrors(file, () => {
    const copy = open(`${pathToFileURL(file).href}?immutable=1`, { readOnly: true });
    try {
      return use((sql) => copy.prepare(sql));
    } finally {
      copy.close();
    }
  });
}

/** Runs the integrity check on a copy that nothing writes to. Throws `database-damaged`. */
export async function requireIntact(file: string) {
  const rows = await withCopy(file, (prepare) => prepare("PRAGMA integrity_check(1)").all());
  const problem = rows.map((row) => String(Object.values(row)[0])).find((line) => line !== "ok");
  if (problem === undefined) return;
  throw new ThroughlineError(
    "database-damaged",
    `${file} is damaged: ${problem}`,
    "throughline data check says what is damaged; throughline data restore FILE puts a backup in its place",
  );
}

/** The number of `forget` runs that a database knows of. */
function countMarks(prepare: Connection["prepare"]) {
  const hasTable = numberFrom(
    prepare("SELECT count(*) FROM sqlite_schema WHERE type = 'table' AND name = 'forgotten'").get(),
  );
  return hasTable === 0 ? 0 : numberFrom(prepare("SELECT count(*) FROM forgotten").get());
}
