// Totals over sessions, each policy against the baseline.

import { sumOf } from "../lib/index.ts";
import { baselineName } from "./policies.ts";
import type { LookRate, ReplayNumbers, ReplayResult } from "./run.ts";

const summedFields = [
  "promptTokens",
  "cacheRead",
  "cacheWritten",
  "dollars",
  "responseDollars",
  "subagentDollars",
  "ownToolDollars",
  "recalls",
  "cuts",
  "looks",
  "compactions",
] as const;

/** The sums of a policy when the model looks at a certain part of what was cut. */
interface LookTotal extends Pick<ReplayNumbers, (typeof summedFields)[number]> {
  /** Needed things in view, averaged over sessions. */
  readonly retention: number;
  /** Cost of the conversation as a share of the baseline's; absent when the baseline was not run. */
  readonly ratio?: number;
  /** The same for the whole bill: system prompt, tools, responses, subagents and the policy's own tools included. */
  readonly billRatio?: number;
  /** The highest `ratio` of a single session. */
  readonly worstRatio?: number;
  readonly worstSession?: string;
}

/** The numbers are those of a model that looks at half of what was cut; `lookedAt` has the others too. */
export interface PolicyTotal extends LookTotal {
  readonly policy: string;
  readonly sessions: number;
  readonly requests: number;
  readonly lookedAt: Readonly<Record<LookRate, LookTotal>>;
}

interface SessionNumbers extends ReplayNumbers {
  readonly session: string;
}

/** What the policy decides about: the bill without what every policy pays alike. */
function conversationCost({ dollars, fixedDollars }: ReplayNumbers) {
  return dollars - fixedDollars;
}

function wholeBill({ dollars, responseDollars, subagentDollars, ownToolDollars }: ReplayNumbers) {
  return dollars + responseDollars + subagentDollars + ownToolDollars;
}

export function totalsByPolicy(results: readonly ReplayResult[]): PolicyTotal[] {
  const names = [...new Set(results.map(({ policy }) => policy))];
  const baseline = results.filter(({ policy }) => policy === baselineName);
  return names.map((policy) => {
    const own = results.filter((result) => result.policy === policy);
    const at = (rate: LookRate) => lookTotal(numbersAt(own, rate), numbersAt(baseline, rate));
    const half = at("half");
    return {
      policy,
      sessions: own.length,
      requests: sumOf(own, ({ requests }) => requests),
      ...half,
      lookedAt: { never: at("never"), half, always: at("always") },
    };
  });
}

function numbersAt(results: readonly ReplayResult[], rate: LookRate): SessionNumbers[] {
  return results.map(({ session, lookedAt }) => ({ session, ...lookedAt[rate] }));
}

function lookTotal(own: readonly SessionNumbers[], baseline: readonly SessionNumbers[]): LookTotal {
  const sum = (field: (typeof summedFields)[number] | "retention") => sumOf(own, (result) => result[field]);
  const sums = Object.fromEntries(summedFields.map((field) => [field, sum(field)])) as Pick<
    LookTotal,
    (typeof summedFields)[number]
  >;
  const retention = own.length === 0 ? 1 : sum("retention") / own.length;
  return { ...sums, retention, ...compared(own, baseline) };
}

function compared(results: readonly SessionNumbers[], baseline: readonly SessionNumbers[]) {
  const bySession = new Map(baseline.map((result) => [result.session, result]));
  const pairs = results.flatMap((result) => {
    const base = bySession.get(result.session);
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
    billRatio: total(({ result }) => wholeBill(result)) / total(({ base }) => wholeBill(base)),
    worstRatio: worst.share,
    worstSession: worst.session,
  };
}
