// The guard of a window's price: a session that costs more with edits than without them gets no new ones.
import type { JsonObject } from "../lib/index.ts";
import { readUsage } from "../messages/index.ts";
import { cost, type ModelInfo } from "../tokens/index.ts";

/** Requests in a row at whose end the session has cost more than it would have without edits. */
const MOST_ABOVE = 20;
/** Dollars by which estimates may differ from the bill before that counts. */
const TOLERANCE = 0.01;

/** What a window has cost, measured, and what it would have cost; kept with the window. */
export interface PriceAccount {
  readonly requests: number;
  readonly measured: number;
  readonly without: number;
  /** Requests in a row with the measured sum above the other. */
  readonly above: number;
  readonly isOff: boolean;
}

export function readAccount(value: JsonObject | undefined): PriceAccount {
  const number = (name: string) => {
    const found = value?.[name];
    return typeof found === "number" && Number.isFinite(found) ? found : 0;
  };
  return {
    requests: number("requests"),
    measured: number("measured"),
    without: number("without"),
    above: number("above"),
    isOff: value?.isOff === true,
  };
}

/** The prompt had nothing been edited: its tokens, and its price where the cache is at work. */
export interface Unedited {
  readonly tokens: number;
  readonly dollars: number;
}

/** After a response. Output costs the same both ways; where nothing is cached, the unedited prompt would not have been either. */
export function accountAfter(
  account: PriceAccount,
  usage: unknown,
  unedited: Unedited,
  model: ModelInfo,
): PriceAccount {
  const read = readUsage(usage);
  if (!read) return account;
  const isCached = read.cacheRead + read.cacheWrite5m + read.cacheWrite1h > 0;
  const bare = { ...read, output: 0, input: unedited.tokens };
  const measured = account.measured + cost({ ...read, output: 0 }, model);
  const total = account.without + (isCached ? unedited.dollars : cost(bare, model));
  const above = measured > total * (1 + TOLERANCE) + TOLERANCE ? account.above + 1 : 0;
  return {
    requests: account.requests + 1,
    measured,
    without: total,
    above,
    isOff: account.isOff || above >= MOST_ABOVE,
  };
}
