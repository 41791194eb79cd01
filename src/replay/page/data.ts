// What the page is made of.
import type { ModelInfo } from "../../tokens/index.ts";
import type { Ttl } from "../cache.ts";
import { baselineName, type Policy } from "../policies.ts";
import type { PolicyTotal } from "../report.ts";
import type { Replayed } from "../run.ts";

export interface PageData {
  /** The day it was made, as it is shown. */
  readonly madeOn: string;
  readonly version: string;
  readonly ttl: Ttl;
  readonly pricesAsOf: string;
  /** The models whose prices count. */
  readonly models: readonly ModelInfo[];
  /** What was asked for beside the usual: another model, window or price. */
  readonly asked: readonly string[];
  readonly policies: readonly Policy[];
  readonly totals: readonly PolicyTotal[];
  readonly replayed: readonly Replayed[];
  readonly leftOut: readonly { readonly file: string; readonly reason: string }[];
  readonly assumptions: readonly string[];
}

/** The sessions in their order, each with what it was under every policy. */
export function bySession(replayed: readonly Replayed[]): ReadonlyMap<string, readonly Replayed[]> {
  const sessions = new Map<string, Replayed[]>();
  for (const one of replayed)
    sessions.set(one.result.session, [...(sessions.get(one.result.session) ?? []), one]);
  return sessions;
}

function costOf({ result }: Replayed) {
  return result.dollars - result.fixedDollars;
}

/** Cost of a session as a share of the baseline's on the same session. */
export function shareOf(one: Replayed, session: readonly Replayed[]) {
  const base = session.find(({ result }) => result.policy === baselineName);
  return base && costOf(base) > 0 ? costOf(one) / costOf(base) : undefined;
}

/** The policy that the page is about: Throughline's default, or the cheapest that was asked for. */
export function heroOf({ totals }: Pick<PageData, "totals">) {
  const others = totals.filter(({ policy }) => policy !== baselineName);
  const cheapest = [...others].sort((a, b) => (a.ratio ?? 0) - (b.ratio ?? 0))[0];
  return others.find(({ policy }) => policy === "thrifty") ?? cheapest;
}

/** A word for the style sheet. */
export function kindClass(kind: Policy["kind"] | undefined) {
  return { baseline: "base", ours: "ours", peer: "peer", "rule of thumb": "thumb" }[kind ?? "peer"];
}

/** The same word by the policy's name. */
export const kindIn = (policies: readonly Policy[], name: string) =>
  kindClass(policies.find((policy) => policy.name === name)?.kind);

const kindOrder = ["ours", "baseline", "peer", "rule of thumb"] as const;

/** Throughline's own, the baseline, those of others, and rules of thumb. */
export function inOrder<T>(list: readonly T[], nameOf: (one: T) => string, policies: readonly Policy[]): T[] {
  const rank = (one: T) => {
    const kind = policies.find(({ name }) => name === nameOf(one))?.kind;
    return kind === undefined ? kindOrder.length : kindOrder.indexOf(kind);
  };
  return [...list].sort((a, b) => rank(a) - rank(b));
}
