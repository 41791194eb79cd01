// Putting a backup in the place of the database; what was there is kept beside it.
import { copyFileSync, existsSync, linkSync, renameSync, rmSync } from "node:fs";
import { systemErrorCode, ThroughlineError } from "../../../lib/index.ts";
import { type Connection, connect, connectReadOnly, numberFrom } from "../connection.ts";
import { releaseClosed } from "../driver.ts";
import { explained } from "../failures.ts";
import { checkDatabase } from "../schema/migrate.ts";
import { syncFile } from "../sync.ts";
import { integrityCheck } from "../upkeep/upkeep.ts";
import { copyDatabase } from "./copy.ts";
import { clearDamage } from "./examine.ts";
import { forgetHeld } from "./held.ts";

export interface Restored {
  readonly events: number;
  /** Where the database is that was replaced; absent when there was none. */
  readonly previous?: string;
}

/** Throws and changes nothing when the backup is not whole or somebody has the database open. */
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
  const copy = await connect(incoming);
  try {
    const { ok, problems } = integrityCheck(copy);
    if (!ok) {
      throw new ThroughlineError("database-damaged", `${from} is damaged: ${problems[0]}`, {
        fix: "use another backup",
      });
    }
    leaveJournal(copy);
    return numberFrom(copy.prepare("SELECT count(*) FROM events").get());
  } finally {
    copy.close();
  }
}

/** Folds the journal into the file. SQLite allows that only when nobody else has it open: the proof we need. */
export function leaveJournal(db: Connection): void {
  // Who has it open will not go away by waiting.
  db.exec("PRAGMA busy_timeout = 200");
  explained(db.file, () => db.prepare("PRAGMA journal_mode = DELETE").get());
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
export async function foldJournal(file: string): Promise<boolean> {
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
