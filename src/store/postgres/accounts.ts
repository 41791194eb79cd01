// Accounts of sessions in PostgreSQL: one row each, deleted with the session.
import { type Account, accountFields, accountFrom, accountSumsFrom, sumFields } from "../accounts.ts";
import { columnsFor, rowReader } from "../portable/rows.ts";
import type { Transaction, Writer } from "./connection.ts";

export async function keepAccount(
  on: Writer,
  session: string,
  account: Account,
  times: { readonly upTo: number; readonly now: number },
) {
  const known = await on.get("SELECT 1 FROM sdk_sessions WHERE claude_session_id = ?", session);
  if (known === undefined) return;
  await on.run("DELETE FROM accounts WHERE claude_session_id = ?", session);
  const columns = columnsFor(accountFields, account);
  await on.insert("accounts", [
    { claude_session_id: session, ...columns, up_to_epoch: times.upTo, drawn_at_epoch: times.now },
  ]);
}

export async function accountOf(on: Transaction, session: string) {
  const row = await on.get("SELECT * FROM accounts WHERE claude_session_id = ?", session);
  return row && accountFrom(row);
}

export async function accountSums(on: Transaction) {
  const sums = Object.keys(columnsFor(sumFields, {})).map((column) => `sum(${column}) AS ${column}`);
  return accountSumsFrom((await on.get(`SELECT ${sums.join(", ")} FROM accounts`)) ?? {});
}

export async function dueAccounts(
  on: Transaction,
  { limit, drawnBefore }: { readonly limit: number; readonly drawnBefore: number },
) {
  const rows = await on.all(
    `SELECT s.claude_session_id, s.project, s.last_activity_epoch
       FROM sdk_sessions s LEFT JOIN accounts a ON a.claude_session_id = s.claude_session_id
       WHERE a.claude_session_id IS NULL OR (a.up_to_epoch < s.last_activity_epoch AND a.drawn_at_epoch < ?)
       ORDER BY s.last_activity_epoch DESC LIMIT ?`,
    drawnBefore,
    limit,
  );
  return rows.map(rowReader({ session: String, project: String, lastActivityEpoch: Number }));
}
