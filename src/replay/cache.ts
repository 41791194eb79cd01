// The prompt cache and what it costs: which beginning of a request is still stored, and what is written anew.
import { HOUR, MINUTE } from "../lib/index.ts";
import { type History, messageDigest, type Usage } from "../messages/index.ts";
import type { ModelInfo } from "../tokens/index.ts";

export type Ttl = "5m" | "1h";

const ttlMilliseconds: Readonly<Record<Ttl, number>> = { "5m": 5 * MINUTE, "1h": HOUR };

interface SentRequest {
  readonly at: number;
  readonly digests: readonly string[];
}

/** The cache of one session, with a breakpoint at the end of every request, as agents place it. */
export class PromptCache {
  readonly #ttl: Ttl;
  readonly #model: ModelInfo;
  #last: SentRequest | undefined;

  constructor(ttl: Ttl, model: ModelInfo) {
    this.#ttl = ttl;
    this.#model = model;
  }

  /** True when nothing of the last request is stored any more at that time. */
  isCold(now: number): boolean {
    return this.#last === undefined || now - this.#last.at > ttlMilliseconds[this.#ttl];
  }

  /** Sends a request: its parts by how they are billed. The lifetime counts from the request's start. */
  send(items: History, weights: readonly number[], fixed: number, now: number): Usage {
    const digests = items.map(({ message }) => messageDigest(message));
    const total = weights.reduce((sum, weight) => sum + weight, fixed);
    let read = 0;
    if (!this.isCold(now)) {
      read = fixed;
      for (let at = 0; at < digests.length && digests[at] === this.#last?.digests[at]; at++)
        read += weights[at] ?? 0;
    }
    if (total < this.#model.minCacheable) return usageOf(this.#ttl, { input: total, read: 0, written: 0 });
    this.#last = { at: now, digests };
    return usageOf(this.#ttl, { input: 0, read, written: total - read });
  }
}

function usageOf(ttl: Ttl, parts: { input: number; read: number; written: number }): Usage {
  return {
    input: parts.input,
    cacheRead: parts.read,
    cacheWrite5m: ttl === "5m" ? parts.written : 0,
    cacheWrite1h: ttl === "1h" ? parts.written : 0,
    output: 0,
  };
}
