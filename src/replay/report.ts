// Totals over sessions, each policy against the baseline.

import { sumOf } from "../lib/index.ts";
import { baselineName } from "./policies.ts";
import type { ReplayResult } from "./run.ts";

const summedFields = [
  "requests",
  "promptTokens",
  "cacheRead",
  "cacheWritten",
  "dollars",
  "recalls",
  "compactions",
] as const;

export interface PolicyTotal extends Pick<ReplayResult, (typeof summedFields)[number]> {
  readonly policy: string;
  readonly sessions: number;
  /** Needed things in view, averaged over sessions. */
  readonly retention: number;
  /** Cost of the conversation as a share of the baseline's; absent when the baseline was not run. */
  readonly ratio?: number;
  /** The same for the whole bill, system prompt and tools included. */
  readonly billRatio?: number;
  /** The highest `ratio` of a single session. */
  readonly worstRatio?: number;
  readonly worstSession?: string;
}

/** What the policy decides about: the bill without what every policy pays alike. */
function conversationCost({ dollars, fixedDollars }: ReplayResult) {
  return dollars - fixedDollars;
}

export function totalsByPolicy(results: readonly ReplayResult[]): PolicyTotal[] {
  const baseline = new Map(
    results.filter(({ policy }) => policy === baselineName).map((result) => [result.session, result]),
  );
  const names = [...new Set(results.map(({ policy }) => policy))];
  return names.map((policy) => {
    const own = results.filter((result) => result.policy === policy);
    return { ...totalOf(policy, own), ...compared(own, baseline) };
  });
}

function totalOf(policy: string, results: readonly ReplayResult[]): PolicyTotal {
  const sum = (field: (typeof summedFields)[number] | "retention") =>
    sumOf(results, (result) => result[field]);
  const sums = Object.fromEntries(summedFields.map((field) => [field, sum(field)])) as Pick<
    PolicyTotal,
    (typeof summedFields)[number]
  >;
  const retention = results.length === 0 ? 1 : sum("retention") / results.length;
  return { policy, sessions: results.length, ...sums, retention };
}

function compared(results: readonly ReplayResult[], baseline: ReadonlyMap<string, ReplayResult>) {
  const pairs = results.flatMap((result) => {
    const base = baseline.get(result.session);
    return base && conversationCost(base) > 0 ? [{ result, base }] : [];
  });
  if (pairs.length === 0) return {};
  const total = (pick: (pair: (typeof pairs)[number]) => number) => sumOf(pairs, pick);
  const shares = pairs.map(({ result, base }) => ({
    session: result.session,
    share: conversationCost(result) / conversationCost(base),
  }));
  const worst = shares.reduce((a, b) => (b.share > a.share ? b : a));
  return {
    ratio: total(({ result }) => conversationCost(result)) / total(({ base }) => conversationCost(base)),
    billRatio: total(({ result }) => result.dollars) / total(({ base }) => base.dollars),
    worstRatio: worst.share,
    worstSession: worst.session,
  };
}
