// The prompt cache and what it costs: which beginning of a request is still stored, and what is written anew.
import { HOUR, MINUTE } from "../lib/index.ts";
import { type History, messageDigest, type Usage } from "../messages/index.ts";
import type { ModelInfo } from "../tokens/index.ts";

export type Ttl = "5m" | "1h";

const ttlMilliseconds: Readonly<Record<Ttl, number>> = { "5m": 5 * MINUTE, "1h": HOUR };

export interface PromptCache {
  /** True when nothing of the last request is stored any more at that time. */
  isCold(now: number): boolean;
  /** Sends a request: its parts by how they are billed. The lifetime counts from the request's start. */
  send(items: History, weights: readonly number[], fixed: number, now: number): Usage;
}

/** The cache of one session, with a breakpoint at the end of every request, as agents place it. */
export function promptCache(ttl: Ttl, { minCacheable }: ModelInfo): PromptCache {
  let last: { readonly at: number; readonly digests: readonly string[] } | undefined;
  const isCold = (now: number) => last === undefined || now - last.at > ttlMilliseconds[ttl];
  const usageOf = (input: number, cacheRead: number, written: number) => ({
    input,
    cacheRead,
    cacheWrite5m: ttl === "5m" ? written : 0,
    cacheWrite1h: ttl === "1h" ? written : 0,
    output: 0,
  });
  return {
    isCold,
    send(items, weights, fixed, now) {
      const digests = items.map(({ message }) => messageDigest(message));
      const total = weights.reduce((sum, weight) => sum + weight, fixed);
      let read = 0;
      if (!isCold(now)) {
        read = fixed;
        for (let at = 0; at < digests.length && digests[at] === last?.digests[at]; at++)
          read += weights[at] ?? 0;
      }
      if (total < minCacheable) return usageOf(total, 0, 0);
      last = { at: now, digests };
      return usageOf(0, read, total - read);
    },
  };
}
