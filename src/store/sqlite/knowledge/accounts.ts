// Accounts of sessions: one row each, deleted with the session.
import { type Account, accountFields, accountFrom, accountSumsFrom, sumFields } from "../../accounts.ts";
import { columnsFor, rowReader } from "../../portable/rows.ts";
import type { Connection } from "../connection.ts";

export function keepAccount(
  db: Connection,
  session: string,
  account: Account,
  times: { readonly upTo: number; readonly now: number },
) {
  const columns = {
    ...columnsFor(accountFields, account),
    up_to_epoch: times.upTo,
    drawn_at_epoch: times.now,
  };
  const names = Object.keys(columns);
  db.run(
    `INSERT OR REPLACE INTO accounts (claude_session_id, ${names.join(", ")})
       SELECT claude_session_id, ${names.map(() => "?").join(", ")} FROM sdk_sessions WHERE claude_session_id = ?`,
    ...Object.values(columns),
    session,
  );
}

export function accountOf(db: Connection, session: string) {
  const row = db.get("SELECT * FROM accounts WHERE claude_session_id = ?", session);
  return row && accountFrom(row);
}

export function accountSums(db: Connection) {
  const sums = Object.keys(columnsFor(sumFields, {})).map((column) => `sum(${column}) AS ${column}`);
  return accountSumsFrom(db.get(`SELECT ${sums.join(", ")} FROM accounts`) ?? {});
}

export function dueAccounts(db: Connection, { limit, drawnBefore }: { limit: number; drawnBefore: number }) {
  return db
    .all(
      `SELECT s.claude_session_id, s.project, s.last_activity_epoch
         FROM sdk_sessions s LEFT JOIN accounts a ON a.claude_session_id = s.claude_session_id
         WHERE a.claude_session_id IS NULL OR (a.up_to_epoch < s.last_activity_epoch AND a.drawn_at_epoch < ?)
         ORDER BY s.last_activity_epoch DESC LIMIT ?`,
      drawnBefore,
      limit,
    )
    .map(rowReader({ session: String, project: String, lastActivityEpoch: Number }));
}
