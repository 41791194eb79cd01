// Whether the file at the place of the store can be its database: known before anything is written into it.
import { lstatSync, rmSync, type Stats, statSync } from "node:fs";
import { readIfPossible, systemErrorCode, ThroughlineError, writeFileAtomic } from "../../../lib/index.ts";
import { connectReadOnly } from "../connection.ts";
import { explained, lost } from "../failures.ts";
import { checkDatabase, type migrations } from "../schema/migrate.ts";
import { compareWithHeld, type HeldState, readHeld, sumOf } from "./held.ts";

/** Written when damage is found while the store is open: the next process that opens it must not go on with it. */
const markFile = (database: string): string => `${database}.damaged`;

export function markDamaged(database: string, reason: string): void {
  writeFileAtomic(markFile(database), `${reason}\n`);
}

export function clearDamage(database: string): void {
  rmSync(markFile(database), { force: true });
}

/** Everything that belongs to the database at this place, and goes when it goes. */
export const filesBeside = (database: string): string[] => [`${database}-wal`, `${database}-shm`];

/** What a path leads to; undefined for nothing. A link that leads nowhere is something. */
function target(file: string): Stats | undefined {
  try {
    return statSync(file);
  } catch (error) {
    if (systemErrorCode(error) === "ENOENT") return lstatSync(file, { throwIfNoEntry: false });
    throw error;
  }
}

const rows = (held: HeldState): string => `it held ${sumOf(held.counts)} rows`;

/**
 * Gives whether there is a database. Throws `database-damaged` for a file that is damaged, is not the store's, or has lost
 * rows, and `database-newer` for one that a newer version wrote.
 */
export async function examine(file: string, known: typeof migrations): Promise<boolean> {
  const mark = readIfPossible(markFile(file));
  if (mark !== undefined) throw lost(file, `is damaged (${mark.trim()})`);
  const held = readHeld(file);
  const hadRows = held !== undefined && sumOf(held.counts) > 0;
  const there = explained(file, () => target(file));
  if (there === undefined) {
    if (hadRows) throw lost(file, `is gone; ${rows(held)}`);
    return false;
  }
  if (!there.isFile()) throw lost(file, "is not a file");
  if (there.size === 0) {
    if (hadRows) throw lost(file, `is empty; ${rows(held)}`);
    return true;
  }
  await checkDatabase(file, known);
  if (held !== undefined) await readThrough(file, held);
  return true;
}

async function readThrough(file: string, held: HeldState): Promise<void> {
  const db = await connectReadOnly(file);
  try {
    explained(file, () => compareWithHeld(db, held));
  } catch (error) {
    if (!(error instanceof ThroughlineError) || error.code !== "database-failed") throw error;
    throw lost(file, `does not have the tables of the store (${error.message})`);
  } finally {
    db.close();
  }
}
