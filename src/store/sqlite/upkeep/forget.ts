// Forgetting: rows, index entries, journals and our own copies, and a second look that proves it.

import type { Scope } from "../../model.ts";
import type { Counts, Forgotten } from "../../upkeep.ts";
import { removeAutomaticBackups } from "../backup/backupFiles.ts";
import { type Connection, numberFrom } from "../connection.ts";
import { fullTextTables } from "../schema/schema.ts";
import { markForgotten } from "./forgotten.ts";
import { countRemoval, newestOf, removalOf, remove } from "./remove.ts";
import { requireScope } from "./scope.ts";

export function previewForget(db: Connection, scope: Scope): Counts {
  requireScope(scope);
  return countRemoval(db, removalOf(scope));
}

export function forget(db: Connection, scope: Scope, now: number): Forgotten {
  requireScope(scope);
  const deleted = db.transaction(() => {
    const removal = removalOf(scope);
    // A clock may have been ahead when a row was written; the mark covers that row too.
    const until = Math.max(now, (newestOf(db, removal) ?? 0) + 1);
    const counts = remove(db, removal);
    markForgotten(db, scope, until);
    return counts;
  });
  removeAutomaticBackups(db.file);
  return { deleted, left: previewForget(db, scope), erased: emptyJournal(db) };
}

/** The journal still holds pages as they were; false when somebody reads them right now. */
export function emptyJournal(db: Connection): boolean {
  // Merging rewrites the full-text index from what is left of it.
  for (const table of fullTextTables) db.exec(`INSERT INTO ${table}(${table}) VALUES ('optimize')`);
  return numberFrom(db.prepare("PRAGMA wal_checkpoint(TRUNCATE)").get()) === 0;
}
