// Replaces the database by a backup, once the backup is checked and no process has the database open.
import { copyFileSync, existsSync, linkSync, renameSync, rmSync } from "node:fs";
import { systemErrorCode, ThroughlineError } from "../../../lib/index.ts";
import { type Connection, connect, connectReadOnly, syncFile } from "../connection.ts";
import { releaseClosed } from "../driver.ts";
import { explained } from "../failures.ts";
import { checkDatabase } from "../schema/migrate.ts";
import { integrityCheck } from "../upkeep/upkeep.ts";
import { copyDatabase } from "./autoBackup.ts";
import { clearDamage, forgetHeld } from "./held.ts";

/** Gives the number of its events. Throws when the file is not ours, newer, or damaged. Leaves no journal beside it. */
export async function requireUsable(file: string): Promise<number> {
  await checkDatabase(file);
  try {
    return await eventsOfIntact(file);
  } finally {
    await releaseClosed();
  }
}

/** Counts the events of a database that passes the integrity check. `named` is the file that an error names. */
async function eventsOfIntact(file: string, named = file): Promise<number> {
  const db = await connect(file);
  try {
    const { ok, problems } = explained(file, () => integrityCheck(db));
    if (!ok) {
      throw new ThroughlineError("database-damaged", `${named} is damaged: ${problems[0]}`, {
        fix: "use another backup",
      });
    }
    leaveJournal(db);
    return explained(file, () => db.number("SELECT count(*) FROM events"));
  } finally {
    db.close();
  }
}

/** Throws `database-busy` when a process has the database open. One that is too damaged to be opened may be replaced. */
export async function requireClosed(file: string): Promise<void> {
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
export async function restoreStore(request: {
  readonly file: string;
  readonly from: string;
  readonly now: number;
}): Promise<Restored> {
  const { file, from, now } = request;
  if (!existsSync(from))
    throw new ThroughlineError("not-found", `no file ${from}`, { fix: "check the path" });
  await checkDatabase(from);
  await releaseClosed();
  const incoming = `${file}.restoring`;
  try {
    const events = await copyChecked(from, incoming);
    const previous = existsSync(file) ? await setAside(file, now) : undefined;
    await releaseClosed();
    // What was held is measured anew from here on.
    forgetHeld(file);
    clearDamage(file);
    renameSync(incoming, file);
    syncFile(file);
    return previous === undefined ? { events } : { events, previous };
  } finally {
    for (const leftover of [incoming, `${incoming}-wal`, `${incoming}-shm`])
      rmSync(leftover, { force: true });
  }
}

/** A copy is what gets checked, so that the backup itself is never written to. */
async function copyChecked(from: string, incoming: string): Promise<number> {
  rmSync(incoming, { force: true });
  const backup = await connectReadOnly(from);
  try {
    copyDatabase(backup, incoming);
  } finally {
    backup.close();
  }
  return eventsOfIntact(incoming, from);
}

/** Folds the journal into the file. SQLite allows that only when no other process has it open, which is what the caller has to know. */
function leaveJournal(db: Connection): void {
  // A process that has it open keeps it open: a long wait does not help.
  db.exec("PRAGMA busy_timeout = 200");
  explained(db.file, () => db.get("PRAGMA journal_mode = DELETE"));
}

/** The old database gets a second name, and keeps the first until the new one takes it. */
async function setAside(file: string, now: number): Promise<string> {
  const previous = `${file}.replaced-${new Date(now).toISOString().replace(/[:.]/g, "-")}`;
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
async function foldJournal(file: string): Promise<boolean> {
  try {
    const db = await connect(file);
    try {
      leaveJournal(db);
    } finally {
      db.close();
    }
    return true;
  } catch (error) {
    if (error instanceof ThroughlineError && error.code === "database-damaged") return false;
    throw error;
  }
}
