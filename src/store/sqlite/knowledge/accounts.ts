// What sessions cost, one row each, in step with the session it belongs to.
import type { Account, AccountSums, DueAccount } from "../../accounts.ts";
import type { Connection } from "../connection.ts";
import type { Row } from "../driver.ts";
import { list } from "./rows.ts";

/** Columns by the name of what they hold. */
const accountColumns = {
  requests: "requests",
  inputTokens: "input_tokens",
  cacheReadTokens: "cache_read_tokens",
  cacheWriteTokens: "cache_write_tokens",
  outputTokens: "output_tokens",
  savedTokens: "saved_tokens",
  savedDollars: "saved_dollars",
  compactions: "compactions",
  results: "results",
} as const satisfies Record<keyof AccountSums, string>;

const sumNames = Object.keys(accountColumns) as (keyof AccountSums)[];

const sumsFrom = (row: Row | undefined): AccountSums =>
  Object.fromEntries(sumNames.map((name) => [name, Number(row?.[accountColumns[name]] ?? 0)])) as Record<
    keyof AccountSums,
    number
  >;

export function keepAccount(
  db: Connection,
  session: string,
  account: Account,
  times: { readonly upTo: number; readonly now: number },
): void {
  const all = [...Object.values(accountColumns), "dollars", "models", "up_to_epoch", "drawn_at_epoch"];
  db.run(
    `INSERT OR REPLACE INTO accounts (claude_session_id, ${all.join(", ")})
       SELECT claude_session_id, ${all.map(() => "?").join(", ")} FROM sdk_sessions WHERE claude_session_id = ?`,
    ...sumNames.map((name) => account[name]),
    account.dollars ?? null,
    JSON.stringify(account.models),
    times.upTo,
    times.now,
    session,
  );
}

export function accountOf(db: Connection, session: string): Account | undefined {
  const row = db.get("SELECT * FROM accounts WHERE claude_session_id = ?", session);
  if (row === undefined) return undefined;
  const { dollars } = row;
  return {
    ...sumsFrom(row),
    models: list(row.models) ?? [],
    ...(typeof dollars === "number" ? { dollars } : {}),
  };
}

export function accountSums(db: Connection): AccountSums {
  const sums = Object.values(accountColumns).map((column) => `sum(${column}) AS ${column}`);
  return sumsFrom(db.get(`SELECT ${sums.join(", ")} FROM accounts`));
}

export function dueAccounts(
  db: Connection,
  { limit, drawnBefore }: { limit: number; drawnBefore: number },
): DueAccount[] {
  return db
    .all(
      `SELECT s.claude_session_id AS session, s.project, s.last_activity_epoch AS last
         FROM sdk_sessions s LEFT JOIN accounts a ON a.claude_session_id = s.claude_session_id
         WHERE a.claude_session_id IS NULL OR (a.up_to_epoch < s.last_activity_epoch AND a.drawn_at_epoch < ?)
         ORDER BY s.last_activity_epoch DESC LIMIT ?`,
      drawnBefore,
      limit,
    )
    .map((row) => ({
      session: String(row.session),
      project: String(row.project),
      lastActivityEpoch: Number(row.last),
    }));
}
