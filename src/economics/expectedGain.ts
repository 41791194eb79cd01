// What cutting a result on arrival is expected to save, looks at it included.
import { type ModelInfo, priceFor } from "../tokens/index.ts";

/** Words of a call that recalls a text: what the model writes to look at what was cut. */
export const RECALL_OUTPUT = 90;

export interface Cut {
  /** Tokens of the whole result, and of what is shown instead. */
  readonly whole: number;
  readonly shown: number;
  /** Prompt tokens of the request that brings it. */
  readonly prompt: number;
  /** Share of such cuts after which the model recalls the whole. */
  readonly looks: number;
  /** Requests that the result is expected to stay in the window. */
  readonly stays: number;
}

/**
 * Dollars that a cut on arrival is expected to save. Every token that is left out is not written once and not read with
 * each request after that. A look costs a request more, which reads the whole prompt and writes the call, and brings the
 * whole text in after all.
 */
export function expectedGain(
  { whole, shown, prompt, looks, stays }: Cut,
  model: ModelInfo,
  ttl: "5m" | "1h",
) {
  const price = priceFor(model, prompt);
  const write = ttl === "1h" ? price.cacheWrite1h : price.cacheWrite5m;
  const token = write + stays * price.cacheRead;
  const look = prompt * price.cacheRead + RECALL_OUTPUT * (price.output + token) + whole * token;
  return ((whole - shown) * token - looks * look) / 1e6;
}
