// The new store in the place of a damaged one, before anything is stored in it.

import { type HeldState, keepHeld } from "../sqlite/backup/held.ts";
import { type Connection, connect } from "../sqlite/connection.ts";
import { openStore } from "../sqlite/engine.ts";
import { placeRows } from "./place.ts";
import { salvagedNames } from "./tables.ts";

/** Ids that the damaged database may have given after its state was last written down. */
const MARGIN = 10_000;
/** Where nothing is known of the ids that were given. */
const UNKNOWN = 1_000_000;

/**
 * New rows get ids above those of the rows that come back; what was forgotten is known before the first event arrives; and
 * the store is the one that it was. Can be done again.
 */
export async function prepareStore(database: string, held: HeldState | undefined): Promise<void> {
  await (await openStore({ file: database })).close();
  const db = await connect(database);
  try {
    const named = [...salvagedNames, "feed", "entries", "passages"];
    const floors = held?.sequences ?? Object.fromEntries(named.map((name) => [name, UNKNOWN]));
    db.transaction(() => {
      for (const [table, highest] of Object.entries(floors)) raise(db, table, highest + MARGIN);
      const marks = held?.forgotten ?? [];
      placeRows(
        db,
        "forgotten",
        marks.map((mark) => ({ ...mark })),
      );
    });
    if (held !== undefined) db.exec(`PRAGMA user_version = ${Math.trunc(held.identity)}`);
  } finally {
    keepHeld(db, Date.now).finish(() => db.close());
  }
}

function raise(db: Connection, table: string, to: number): void {
  const there = db.get("SELECT seq FROM sqlite_sequence WHERE name = ?", table);
  const sql =
    there === undefined
      ? "INSERT INTO sqlite_sequence (seq, name) VALUES (?, ?)"
      : "UPDATE sqlite_sequence SET seq = max(seq, ?) WHERE name = ?";
  db.run(sql, to, table);
}
