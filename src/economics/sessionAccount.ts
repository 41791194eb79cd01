// The account of an edited session: dollars with edits and without them, and the cache misses that edits caused.
import type { JsonObject } from "../lib/index.ts";
import { promptTokens, type Usage } from "../messages/index.ts";
import { cost, type ModelInfo } from "../tokens/index.ts";
import { afterRequest, guardReason, type SpentSoFar } from "./costGuard.ts";
import { emptyWindow, type PlainWindow } from "./plainClient.ts";

/** Kept with each window as plain data. */
export interface SessionAccount {
  readonly requests: number;
  /** Dollars that the responses' usage adds up to, output included. */
  readonly measured: number;
  /** Dollars of the same work without edits. */
  readonly without: number;
  /** Requests in a row after which `measured` was above `without`. */
  readonly above: number;
  /** Requests that found less in a warm cache than the request before had left there. */
  readonly misses: number;
  /** Those of them whose edits changed what had been sent, and the tokens that were written anew. */
  readonly ownMisses: number;
  readonly ownMissedTokens: number;
  /** How often the API named each reason of a miss. */
  readonly reasons: Readonly<Record<string, number>>;
  readonly plain: PlainWindow;
  /** Of the last response: its prompt, which the cache holds, and the dollars of its output. */
  readonly prompt: number;
  readonly lastOutput: number;
}

export const emptyAccount: SessionAccount = {
  ...{ requests: 0, measured: 0, without: 0, above: 0, misses: 0, ownMisses: 0, ownMissedTokens: 0 },
  ...{ reasons: {}, plain: emptyWindow, prompt: 0, lastOutput: 0 },
};

/** What is known of a request when its response comes. */
export interface SentRequest {
  /** Dollars of its prompt without edits, and that client's window after it. */
  readonly plain: { readonly window: PlainWindow; readonly dollars: number };
  readonly isRecall: boolean;
  readonly isCold: boolean;
  /** New edits changed what had been sent before. */
  readonly changesSent: boolean;
}

/** Fewer tokens than this are the tail of a message, not a miss. */
const LEAST_MISSED = 1_000;
/** What estimates may differ from the bill before a session counts as dearer. */
const TOLERANCE = { share: 0.01, dollars: 0.01 };
const MOST_REASONS = 20;

/** The account after one more response. */
export function accountAfter(
  account: SessionAccount,
  usage: Usage,
  { plain, isRecall, isCold, changesSent }: SentRequest,
  model: ModelInfo,
  missReason?: unknown,
): SessionAccount {
  const isCached = usage.cacheRead + usage.cacheWrite5m + usage.cacheWrite1h > 0;
  const output = cost({ ...usage, input: 0, cacheRead: 0, cacheWrite5m: 0, cacheWrite1h: 0 }, model);
  // Without edits there would have been one request instead of two, and no call that recalls.
  const before = isRecall ? account.without - account.lastOutput : account.without;
  const spent: SpentSoFar = { measured: account.measured, counterfactual: before, above: account.above };
  const after = afterRequest(spent, {
    measured: cost(usage, model),
    counterfactual: plain.dollars + output,
  });
  const allowed = after.counterfactual * (1 + TOLERANCE.share) + TOLERANCE.dollars;
  const missed = isCold || !isCached ? 0 : account.prompt - usage.cacheRead;
  const isMissed = missed > LEAST_MISSED;
  const isOwn = isMissed && changesSent;
  return {
    requests: account.requests + 1,
    measured: after.measured,
    without: after.counterfactual,
    above: after.measured > allowed ? account.above + 1 : 0,
    misses: account.misses + (isMissed ? 1 : 0),
    ownMisses: account.ownMisses + (isOwn ? 1 : 0),
    ownMissedTokens: account.ownMissedTokens + (isOwn ? missed : 0),
    reasons: withReason(account.reasons, missReason),
    plain: plain.window,
    prompt: promptTokens(usage),
    lastOutput: output,
  };
}

/** The API's reason is a word, or an object with one. */
function withReason(reasons: SessionAccount["reasons"], reason: unknown): SessionAccount["reasons"] {
  const type = typeof reason === "object" && reason !== null ? (reason as JsonObject).type : reason;
  if (typeof type !== "string" || type === "") return reasons;
  const isKnown = Object.hasOwn(reasons, type);
  if (!isKnown && Object.keys(reasons).length >= MOST_REASONS) return reasons;
  return { ...reasons, [type]: (isKnown ? (reasons[type] ?? 0) : 0) + 1 };
}

/** Why no new edits are planned in this window; undefined as long as editing pays. */
export function accountGuard({ measured, without, above }: SessionAccount): string | undefined {
  return guardReason({ measured, counterfactual: without, above });
}

const numberIn = (value: unknown) => (typeof value === "number" && Number.isFinite(value) ? value : 0);
const objectIn = (value: unknown) =>
  typeof value === "object" && value !== null && !Array.isArray(value) ? (value as JsonObject) : {};

/** An account as it was kept; fields that are missing or unreadable begin anew. */
export function readAccount(kept: unknown): SessionAccount {
  const value = objectIn(kept);
  const plain = objectIn(value.plain);
  const counts = Object.entries(objectIn(value.reasons)).map(([reason, count]) => [reason, numberIn(count)]);
  return {
    requests: numberIn(value.requests),
    measured: numberIn(value.measured),
    without: numberIn(value.without),
    above: numberIn(value.above),
    misses: numberIn(value.misses),
    ownMisses: numberIn(value.ownMisses),
    ownMissedTokens: numberIn(value.ownMissedTokens),
    reasons: Object.fromEntries(counts),
    plain: { history: numberIn(plain.history), conversation: numberIn(plain.conversation) },
    prompt: numberIn(value.prompt),
    lastOutput: numberIn(value.lastOutput),
  };
}

/** What a session's windows, its own and those of its subagents, come to. */
type AccountTotals = Pick<
  SessionAccount,
  "requests" | "measured" | "without" | "misses" | "ownMisses" | "ownMissedTokens" | "reasons"
>;

export function addAccounts(accounts: readonly SessionAccount[]): AccountTotals {
  return accounts.reduce<AccountTotals>(
    (sum, account) => ({
      requests: sum.requests + account.requests,
      measured: sum.measured + account.measured,
      without: sum.without + account.without,
      misses: sum.misses + account.misses,
      ownMisses: sum.ownMisses + account.ownMisses,
      ownMissedTokens: sum.ownMissedTokens + account.ownMissedTokens,
      reasons: addCounts(sum.reasons, account.reasons),
    }),
    emptyAccount,
  );
}

function addCounts(one: Readonly<Record<string, number>>, other: Readonly<Record<string, number>>) {
  const names = new Set([...Object.keys(one), ...Object.keys(other)]);
  return Object.fromEntries([...names].map((name) => [name, (one[name] ?? 0) + (other[name] ?? 0)]));
}
