// The contract of accounts: what the requests of a session cost, and what Throughline saved.
import { list, optionalNumber, type Row, rowReader } from "./portable/rows.ts";

/** Sums over one session or several. */
export interface AccountSums {
  readonly requests: number;
  readonly inputTokens: number;
  readonly cacheReadTokens: number;
  readonly cacheWriteTokens: number;
  readonly outputTokens: number;
  /** Tokens that were kept out of its window, and dollars for reading them again with each request. */
  readonly savedTokens: number;
  readonly savedDollars: number;
  readonly compactions: number;
  /** Tool results that were put aside. */
  readonly results: number;
}

export interface Account extends AccountSums {
  readonly models: readonly string[];
  /** By the model table; absent when a model has no price. */
  readonly dollars?: number;
}

/** A session with activity that its account does not include yet. */
export interface DueAccount {
  readonly session: string;
  readonly project: string;
  readonly lastActivityEpoch: number;
}

export interface AccountStore {
  /**
   * In place of an earlier one. `upTo` is the session's last activity that it takes in; of a session that is not there
   * nothing is kept. It goes with its session.
   */
  keepAccount(session: string, account: Account, upTo: number): Promise<void>;
  account(session: string): Promise<Account | undefined>;
  /** Over all sessions. */
  accountSums(): Promise<AccountSums>;
  /** Last active first. An account that was drawn up after `drawnBefore` is not due again. */
  dueAccounts(request: { readonly limit: number; readonly drawnBefore: number }): Promise<DueAccount[]>;
}

export const sumFields = {
  requests: Number,
  inputTokens: Number,
  cacheReadTokens: Number,
  cacheWriteTokens: Number,
  outputTokens: Number,
  savedTokens: Number,
  savedDollars: Number,
  compactions: Number,
  results: Number,
};

export const accountFields = {
  ...sumFields,
  models: (value: unknown) => list(value) ?? [],
  dollars: optionalNumber,
};

export const accountSumsFrom: (row: Row) => AccountSums = rowReader(sumFields);
export const accountFrom: (row: Row) => Account = rowReader(accountFields);
