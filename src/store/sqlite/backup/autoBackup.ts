// Automatic backups of the whole database: copied from one snapshot, checked, and renamed once they are complete.

import { randomBytes } from "node:crypto";
import {
  closeSync,
  existsSync,
  openSync,
  renameSync,
  rmSync,
  statfsSync,
  statSync,
  utimesSync,
} from "node:fs";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { DAY, ensureFolder, HOUR, namesIn, ThroughlineError } from "../../../lib/index.ts";
import { type Connection, connectReadOnly, numberFrom, syncFile } from "../connection.ts";
import { loadDriver } from "../driver.ts";
import { explained } from "../failures.ts";

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

export function automaticFolder(database: string): string {
  return path.join(path.dirname(database), "backups", "auto");
}

function backupName(now: number, reason: BackupReason): string {
  return `throughline-${new Date(now).toISOString().replace(/[:.]/g, "-")}-${reason}.db`;
}

function timeOf(stamp: string): number {
  return Date.parse(stamp.replace(/T(\d\d)-(\d\d)-(\d\d)-/, "T$1:$2:$3."));
}

function describe(file: string, stamp: string | undefined, reason: string | undefined): AutomaticBackup[] {
  const bytes = statSync(file, { throwIfNoEntry: false })?.size;
  if (stamp === undefined || bytes === undefined) return [];
  return [{ file, at: timeOf(stamp), reason: reason === "daily" ? "daily" : "migration", bytes }];
}

/** Newest first. Only files that were checked and renamed have such a name. */
export function automaticBackups(database: string): AutomaticBackup[] {
  const folder = automaticFolder(database);
  const legacyPrefix = `${path.basename(database)}.before-`;
  const found = namesIn(folder).flatMap((name) => {
    const [, stamp, reason] = BACKUP_NAME.exec(name) ?? [];
    return describe(path.join(folder, name), stamp, reason);
  });
  const legacy = namesIn(path.dirname(database)).flatMap((name) => {
    const stamp = name.startsWith(legacyPrefix) ? LEGACY_NAME.exec(name)?.[1] : undefined;
    return describe(path.join(path.dirname(database), name), stamp, "migration");
  });
  return [...found, ...legacy].sort((a, b) => b.at - a.at);
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
): AutomaticBackup[] {
  const most: Readonly<Record<BackupReason, number>> = {
    daily: limits.daily,
    migration: KEPT_MIGRATION_BACKUPS,
  };
  const maxBytes = limits.maxBytes || Math.max(LEAST_TOTAL_BYTES, 2 * limits.databaseBytes);
  const counts: Record<BackupReason, number> = { daily: 0, migration: 0 };
  let total = 0;
  // The file that was just made comes first: with a clock that was set back its name is not the newest.
  const ordered = backups.toSorted(
    (a, b) => Number(b.file === made) - Number(a.file === made) || b.at - a.at,
  );
  const surplus = ordered.filter((backup, index) => {
    counts[backup.reason] += 1;
    const fits = counts[backup.reason] <= most[backup.reason] && total + backup.bytes <= maxBytes;
    if (!fits && index > 0) return true;
    total += backup.bytes;
    return false;
  });
  return surplus.reverse();
}

/** Unfinished files of processes that were killed. A younger one may still be written. */
function removeUnfinished(database: string, now: number): void {
  const folder = automaticFolder(database);
  for (const name of namesIn(folder)) {
    if (BACKUP_NAME.test(name)) continue;
    const file = path.join(folder, name);
    const age = now - (statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? now);
    if (Math.abs(age) > HOUR) rmSync(file, { force: true });
  }
}

/** Deletes every automatic backup, finished or not: they hold what was just forgotten. */
export function removeAutomaticBackups(database: string): void {
  const folder = automaticFolder(database);
  for (const name of namesIn(folder)) rmSync(path.join(folder, name), { force: true });
  for (const { file } of automaticBackups(database)) rmSync(file, { force: true });
}

/** The copy is private from its creation, and has its name only once it is whole and on disk. */
export function copyDatabase(db: Connection, target: string): { bytes: number } {
  if (existsSync(target)) {
    throw new ThroughlineError("usage", `${target} exists already`, {
      fix: "name a file that does not exist",
    });
  }
  ensureFolder(path.dirname(path.resolve(target)));
  const temporary = `${target}.${randomBytes(6).toString("hex")}.tmp`;
  try {
    closeSync(openSync(temporary, "wx", 0o600));
    explained(db.file, () => db.run("VACUUM INTO ?", temporary));
    syncFile(temporary);
    renameSync(temporary, target);
    syncFile(target);
  } catch (error) {
    rmSync(temporary, { force: true });
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

interface DatabaseFiles {
  readonly bytes: number;
  /** The time of the last write to database or journal. */
  readonly writtenAt: number;
}

function databaseFiles(file: string): DatabaseFiles {
  const [main, journal] = [file, `${file}-wal`].map((name) => statSync(name, { throwIfNoEntry: false }));
  const [bytes, journalBytes] = [main?.size ?? 0, journal?.size ?? 0];
  const writtenAt = Math.max(main?.mtimeMs ?? 0, journalBytes > 0 ? (journal?.mtimeMs ?? 0) : 0);
  return { bytes: bytes + journalBytes, writtenAt: Math.round(writtenAt) };
}

function hasSpace(folder: string, bytes: number): boolean {
  const { bavail, bsize } = statfsSync(folder);
  return bavail * bsize >= bytes * SPACE_FACTOR;
}

/** Undefined when a backup is due, else why none is. Reads names and times of files only. */
export function whyNoBackup(file: string, now: number): "absent" | "recent" | "unchanged" | undefined {
  if (!existsSync(file)) return "absent";
  const backups = automaticBackups(file);
  // A clock that was set back must not stop the backups until it is where it was.
  if (backups.some(({ reason, at }) => reason === "daily" && Math.abs(now - at) < DAY)) return "recent";
  return backups.some((backup) => isOfState(backup, databaseFiles(file))) ? "unchanged" : undefined;
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
  const db = await connectReadOnly(file);
  try {
    return await makeBackup(db, { now, reason: "daily", limits });
  } finally {
    db.close();
  }
}

/** A backup has the time of the last write that it holds. */
function isOfState({ file }: AutomaticBackup, { writtenAt }: DatabaseFiles): boolean {
  return Math.round(statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0) === writtenAt;
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
  if (!hasSpace(folder, source.bytes)) return { outcome: "no-space" };
  const target = path.join(folder, backupName(now, reason));
  const unchecked = `${target}.unchecked`;
  rmSync(unchecked, { force: true });
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
    rmSync(unchecked, { force: true });
  }
  // Looked at after the rename: `forget` either finds the file and deletes it, or has left its mark before this.
  if ((await forgottenMarks(target)) !== marksOf(db)) {
    rmSync(target, { force: true });
    return { outcome: "overtaken" };
  }
  const surplus = surplusBackups(
    automaticBackups(db.file),
    { ...limits, databaseBytes: source.bytes },
    target,
  );
  for (const backup of surplus) rmSync(backup.file, { force: true });
  return { outcome: "made", file: target, bytes };
}

/** Opens a finished copy as immutable, so that SQLite makes no file beside it. */
async function withCopy<T>(file: string, use: (prepare: Connection["prepare"]) => T): Promise<T> {
  const open = await loadDriver();
  return explained(file, () => {
    const copy = open(`${pathToFileURL(file).href}?immutable=1`, { readOnly: true });
    try {
      return use((sql) => copy.prepare(sql));
    } finally {
      copy.close();
    }
  });
}

/** Runs the integrity check on a copy that nothing writes to. Throws `database-damaged`. */
export async function requireIntact(file: string): Promise<void> {
  const rows = await withCopy(file, (prepare) => prepare("PRAGMA integrity_check(1)").all());
  const problem = rows.map((row) => String(Object.values(row)[0])).find((line) => line !== "ok");
  if (problem === undefined) return;
  throw new ThroughlineError("database-damaged", `${file} is damaged: ${problem}`, {
    fix: "throughline data check says what is damaged; throughline data restore FILE puts a backup in its place",
  });
}

const forgottenMarks = (file: string) => withCopy(file, countMarks);
const marksOf = (db: Connection) => explained(db.file, () => countMarks((sql) => db.prepare(sql)));

/** The number of `forget` runs that a database knows of. */
function countMarks(prepare: Connection["prepare"]): number {
  const hasTable = numberFrom(
    prepare("SELECT count(*) FROM sqlite_schema WHERE type = 'table' AND name = 'forgotten'").get(),
  );
  return hasTable === 0 ? 0 : numberFrom(prepare("SELECT count(*) FROM forgotten").get());
}
