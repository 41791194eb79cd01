// Sources of the past: which are done, and the work that waits until one is.
import type { FinishedSource } from "../../events.ts";
import type { NewJob } from "../../queue.ts";
import { type Connection, numberFrom } from "../connection.ts";

/** Told by its payload: jobs have no other use for one before they are worked on. */
const HELD = { held: true };

export const heldJob = (job: NewJob, until: number): NewJob => ({ ...job, payload: HELD, notBefore: until });

export function sourceState(db: Connection, key: string): string | undefined {
  const row = db.get("SELECT state FROM imported WHERE key = ?", key);
  return row === undefined ? undefined : String(row.state);
}

export function finishSource(db: Connection, { key, state, session }: FinishedSource): void {
  db.transaction(() => {
    if (state === undefined) db.run("DELETE FROM imported WHERE key = ?", key);
    else db.run("INSERT OR REPLACE INTO imported (key, state) VALUES (?, ?)", key, state);
    if (session === undefined) return;
    db.run(
      "UPDATE queue SET payload = '{}', not_before = 0 WHERE claude_session_id = ? AND payload = ?",
      session,
      JSON.stringify(HELD),
    );
  });
}

export function messagesElsewhere(
  db: Connection,
  session: string,
  uuids: readonly string[],
): ReadonlySet<string> {
  const rows = db.all(
    `SELECT DISTINCT uuid FROM messages
       WHERE uuid IN (SELECT value FROM json_each(?)) AND role <> 'tool' AND claude_session_id <> ?`,
    JSON.stringify(uuids),
    session,
  );
  return new Set(rows.map(({ uuid }) => String(uuid)));
}

export function knownMessages(
  db: Connection,
  session: string,
  uuids: readonly string[],
): ReadonlySet<string> {
  const rows = db.all(
    `SELECT uuid FROM messages
       WHERE claude_session_id = ? AND uuid IN (SELECT value FROM json_each(?))`,
    session,
    JSON.stringify(uuids),
  );
  return new Set(rows.map(({ uuid }) => String(uuid)));
}

export function workDue(db: Connection, kinds: readonly string[], now: number): number {
  const row = db.get(
    `SELECT count(*) FROM queue WHERE kind IN (SELECT value FROM json_each(?))
       AND (state = 'leased' OR (state = 'ready' AND not_before <= ?))`,
    JSON.stringify(kinds),
    now,
  );
  return numberFrom(row);
}
