// The usage that a response reports, in one shape for all APIs.
import { isObject } from "../lib/index.ts";

/** Tokens of a request and its answer, by how they are billed. */
export interface Usage {
  /** Prompt tokens that were neither read from the cache nor written to it. */
  readonly input: number;
  readonly cacheRead: number;
  readonly cacheWrite5m: number;
  readonly cacheWrite1h: number;
  readonly output: number;
}

/** The exact size of the prompt that was answered. */
export function promptTokens(usage: Usage) {
  return usage.input + usage.cacheRead + usage.cacheWrite5m + usage.cacheWrite1h;
}

const positiveCount = (value: unknown) => (typeof value === "number" && value > 0 ? value : 0);

/** Reads the API's `usage` object; writes with no lifetime given count as five-minute ones. */
export function readUsage(raw: unknown): Usage | undefined {
  if (!isObject(raw) || typeof raw.input_tokens !== "number") return undefined;
  const written = positiveCount(raw.cache_creation_input_tokens);
  const detail = isObject(raw.cache_creation) ? raw.cache_creation : {};
  const cacheWrite1h = Math.min(written, positiveCount(detail.ephemeral_1h_input_tokens));
  return {
    input: positiveCount(raw.input_tokens),
    cacheRead: positiveCount(raw.cache_read_input_tokens),
    cacheWrite5m: written - cacheWrite1h,
    cacheWrite1h,
    output: positiveCount(raw.output_tokens),
  };
}
