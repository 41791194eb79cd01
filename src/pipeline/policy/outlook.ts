// Is the prompt cache still warm? Told from our own clock and the lifetime of the last write.
import { HOUR, MINUTE } from "../../lib/index.ts";
import type { Usage } from "../../messages/index.ts";
import type { WindowState } from "../session.ts";

export interface CacheOutlook {
  readonly predicted: "warm" | "cold" | "unknown";
  readonly ttl: "5m" | "1h";
  /** Milliseconds since the last request; undefined when there was none that we know of. */
  readonly idle: number | undefined;
}

const lifetimes = { "5m": 5 * MINUTE, "1h": HOUR } as const;

/** `lastMessageAt` stands in for the last request when this process never saw one. */
export function cacheOutlook(
  state: WindowState,
  now: number,
  lastMessageAt: number | undefined,
): CacheOutlook {
  const since = state.lastRequestAt ?? lastMessageAt;
  if (since === undefined) return { predicted: "unknown", ttl: state.ttl, idle: undefined };
  const idle = Math.max(0, now - since);
  return { predicted: idle > lifetimes[state.ttl] ? "cold" : "warm", ttl: state.ttl, idle };
}

/** The lifetime that a response's usage shows; the one believed so far when it wrote nothing. */
export function learnedTtl(usage: Usage, believed: "5m" | "1h"): "5m" | "1h" {
  if (usage.cacheWrite1h > 0) return usage.cacheWrite1h >= usage.cacheWrite5m ? "1h" : "5m";
  return usage.cacheWrite5m > 0 ? "5m" : believed;
}
