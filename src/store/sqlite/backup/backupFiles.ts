// The files of automatic database backups: their names, their order, and which of them are deleted.
import { rmSync, statSync } from "node:fs";
import path from "node:path";
import { HOUR, namesIn } from "../../../lib/index.ts";

export type BackupReason = "daily" | "migration";

export interface AutomaticBackup {
  readonly file: string;
  /** Milliseconds since the epoch, from the file name. */
  readonly at: number;
  readonly reason: BackupReason;
  readonly bytes: number;
}

export interface BackupLimits {
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

export function backupName(now: number, reason: BackupReason): string {
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
export function removeUnfinished(database: string, now: number): void {
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
