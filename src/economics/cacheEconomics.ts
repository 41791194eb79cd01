// Predicts whether the prompt cache is still warm, and whether an edit of old content saves more than the cache it breaks.
import { HOUR, MINUTE } from "../lib/index.ts";
import type { Usage } from "../messages/index.ts";
import { type ModelInfo, priceFor } from "../tokens/index.ts";

/** When an edit of cached content repays itself. */
export interface EconomicsSettings {
  /** Edit old content while the cache is warm, when that repays itself. */
  readonly warmEdits: boolean;
  /** Requests that are expected to follow. */
  readonly horizon: number;
  /** Least tokens a warm edit must free at the start of a user turn, and in the middle of one. */
  readonly leastAtTurn: number;
  readonly leastInTurn: number;
  /** Drop earlier turns' thinking together with an edit of old content. */
  readonly dropThinking: boolean;
}

/** When the last request was sent, and how long the cache lives that it wrote. */
interface LastRequest {
  readonly lastRequestAt?: number;
  readonly ttl: "5m" | "1h";
}

/** What is expected of the API's prompt cache. */
export interface CacheOutlook {
  readonly predicted: "warm" | "cold" | "unknown";
  readonly ttl: "5m" | "1h";
  /** Milliseconds since the last request; undefined when there was none that we know of. */
  readonly idle: number | undefined;
}

const lifetimes = { "5m": 5 * MINUTE, "1h": HOUR } as const;

/** `lastMessageAt` stands in for the last request when this process never saw one. */
export function cacheOutlook(
  state: LastRequest,
  now: number,
  lastMessageAt: number | undefined,
): CacheOutlook {
  const since = state.lastRequestAt ?? lastMessageAt;
  if (since === undefined) return { predicted: "unknown", ttl: state.ttl, idle: undefined };
  const idle = Math.max(0, now - since);
  return { predicted: idle > lifetimes[state.ttl] ? "cold" : "warm", ttl: state.ttl, idle };
}

/** The lifetime that a response's usage shows; the one believed so far when it wrote nothing. */
export function learnedTtl(usage: Usage, believed: "5m" | "1h") {
  if (usage.cacheWrite1h > 0) return usage.cacheWrite1h >= usage.cacheWrite5m ? "1h" : "5m";
  return usage.cacheWrite5m > 0 ? "5m" : believed;
}

export interface Proposal {
  /** Tokens the edit frees in every later request. */
  readonly freed: number;
  /** Tokens behind the first changed message, as they will stand after the edit: they are written anew. */
  readonly rewritten: number;
  /** Prompt tokens before the edit. */
  readonly prompt: number;
  readonly startsTurn: boolean;
}

interface Verdict {
  readonly pays: boolean;
  readonly why: string;
  /** Requests after which the edit has paid for itself; 0 when the cache is cold anyway. */
  readonly breakEven: number;
}

/**
 * Break-even: N requests save N · freed · r and cost rewritten · (w − r) once, with r and w the prices of reading
 * and writing the cache. With the cache cold everything is written anew in any case, so the edit is free.
 */
export function judge(
  proposal: Proposal,
  model: ModelInfo,
  outlook: CacheOutlook,
  settings: EconomicsSettings,
): Verdict {
  if (proposal.freed <= 0)
    return { pays: false, why: "nothing to free", breakEven: Number.POSITIVE_INFINITY };
  if (outlook.predicted === "cold") return { pays: true, why: "the cache is cold anyway", breakEven: 0 };
  const price = priceFor(model, proposal.prompt);
  const write = outlook.ttl === "1h" ? price.cacheWrite1h : price.cacheWrite5m;
  const breakEven = (proposal.rewritten * (write - price.cacheRead)) / (proposal.freed * price.cacheRead);
  const requests = Math.ceil(breakEven);
  if (!settings.warmEdits) return { pays: false, why: "the cache is warm", breakEven };
  const least = proposal.startsTurn ? settings.leastAtTurn : settings.leastInTurn;
  if (proposal.freed < least)
    return { pays: false, why: `frees ${proposal.freed} tokens, fewer than ${least}`, breakEven };
  if (breakEven > settings.horizon) {
    return {
      pays: false,
      why: `would pay after ${requests} requests, later than the ${settings.horizon} expected`,
      breakEven,
    };
  }
  return { pays: true, why: `pays after ${requests} requests`, breakEven };
}
