// Replaces the database by a backup, once the backup is checked and no process has the database open.
import { copyFileSync, existsSync, linkSync, renameSync } from "node:fs";
import {
  defined,
  isoTime,
  notFoundError,
  removeFile,
  systemErrorCode,
  ThroughlineError,
} from "../../../lib/index.ts";
import { type Connection, connect, syncFile, withConnection, withDatabaseFile } from "../connection.ts";
import { releaseClosed } from "../driver.ts";
import { isFailure } from "../failures.ts";
import { checkDatabase } from "../schema/migrate.ts";
import { integrityCheck } from "../upkeep/upkeep.ts";
import { copyDatabase } from "./autoBackup.ts";
import { clearDamage, filesBeside, forgetHeld } from "./held.ts";

/** Gives the number of its events. Throws when the file is not ours, newer, or damaged. Leaves no journal beside it. */
export async function requireUsable(file: string) {
  await checkDatabase(file);
  try {
    return await eventsOfIntact(file);
  } finally {
    await releaseClosed();
  }
}

/** Counts the events of a database that passes the integrity check. `named` is the file that an error names. */
const eventsOfIntact = (file: string, named = file) =>
  withConnection(connect(file), (db) => {
    const { ok, problems } = integrityCheck(db);
    if (!ok) {
      throw new ThroughlineError(
        "database-damaged",
        `${named} is damaged: ${problems[0]}`,
        "use another backup",
      );
    }
    leaveJournal(db);
    return db.number("SELECT count(*) FROM events");
  });

/** Throws `database-busy` when a process has the database open. One that is too damaged to be opened may be replaced. */
export async function requireClosed(file: string) {
  if (!existsSync(file)) return;
  await releaseClosed();
  await foldJournal(file);
  await releaseClosed();
}

export interface Restored {
  readonly events: number;
  /** Where the database is that was replaced; absent when there was none. */
  readonly previous?: string;
}

/** Throws and changes nothing when the backup is not whole or a process has the database open. */
export async function restoreStore({
  file,
  from,
  now,
}: {
  readonly file: string;
  readonly from: string;
  readonly now: number;
}): Promise<Restored> {
  if (!existsSync(from)) throw notFoundError(`no file ${from}`, "check the path");
  await checkDatabase(from);
  await releaseClosed();
  const incoming = `${file}.restoring`;
  try {
    const events = await copyChecked(from, incoming);
    const previous = existsSync(file) ? await keepReplaced(file, now) : undefined;
    await releaseClosed();
    // The next process records the state of the restored database.
    forgetHeld(file);
    clearDamage(file);
    renameSync(incoming, file);
    syncFile(file);
    return { events, ...defined({ previous }) };
  } finally {
    for (const leftover of [incoming, ...filesBeside(incoming)]) removeFile(leftover);
  }
}

/** A copy is what gets checked, so that the backup itself is never written to. */
async function copyChecked(from: string, incoming: string) {
  removeFile(incoming);
  await withDatabaseFile(from, (backup) => copyDatabase(backup, incoming));
  return eventsOfIntact(incoming, from);
}

/** Folds the journal into the file. SQLite allows that only when no other process has it open, which is what the caller has to know. */
function leaveJournal(db: Connection) {
  // A process that has it open keeps it open: a long wait does not help.
  db.exec("PRAGMA busy_timeout = 200");
  db.get("PRAGMA journal_mode = DELETE");
}

/** The old database gets a second name, and keeps the first until the new one takes it. */
async function keepReplaced(file: string, now: number) {
  const previous = `${file}.replaced-${isoTime(now).replace(/[:.]/g, "-")}`;
  const isWhole = await foldJournal(file);
  try {
    linkSync(file, previous);
  } catch (error) {
    if (systemErrorCode(error) === "EEXIST") throw error;
    copyFileSync(file, previous);
  }
  // A journal that could not be folded in belongs to the damaged file, and would spoil the new one.
  if (!isWhole)
    for (const end of ["-wal", "-shm"]) if (existsSync(file + end)) renameSync(file + end, previous + end);
  return previous;
}

/** False for a file that is too damaged to be opened: that is what restoring is for. */
async function foldJournal(file: string) {
  try {
    await withConnection(connect(file), leaveJournal);
    return true;
  } catch (error) {
    if (isFailure(error, "database-damaged")) return false;
    throw error;
  }
}
