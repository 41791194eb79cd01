// Totals over sessions, each policy against the baseline.

import { sumOf } from "../lib/index.ts";
import { baselineName } from "./policy.ts";
import type { ReplayResult } from "./run.ts";

export interface PolicyTotal {
  readonly policy: string;
  readonly sessions: number;
  readonly requests: number;
  readonly promptTokens: number;
  readonly cacheRead: number;
  readonly cacheWritten: number;
  readonly dollars: number;
  readonly recalls: number;
  readonly compactions: number;
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
  const sum = (pick: (result: ReplayResult) => number) => sumOf(results, pick);
  return {
    policy,
    sessions: results.length,
    requests: sum(({ requests }) => requests),
    promptTokens: sum(({ promptTokens }) => promptTokens),
    cacheRead: sum(({ cacheRead }) => cacheRead),
    cacheWritten: sum(({ cacheWritten }) => cacheWritten),
    dollars: sum(({ dollars }) => dollars),
    recalls: sum(({ recalls }) => recalls),
    compactions: sum(({ compactions }) => compactions),
    retention: results.length === 0 ? 1 : sum(({ retention }) => retention) / results.length,
  };
}

type Comparison = Pick<PolicyTotal, "ratio" | "billRatio" | "worstRatio" | "worstSession">;

function compared(results: readonly ReplayResult[], baseline: ReadonlyMap<string, ReplayResult>): Comparison {
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
