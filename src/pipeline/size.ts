// How large a request will be: the exact total where one is known, an estimate of the rest.
import type { Applied } from "../ledger/index.ts";
import { estimateTokens, type ModelInfo } from "../tokens/index.ts";
import type { PlanContext } from "./planContext.ts";
import type { PrepareInput } from "./prepare.ts";
import type { Runtime } from "./runtime.ts";

export interface RequestSize {
  readonly tokens: number;
  /** A size that the request will hardly exceed. */
  readonly upperBound: number;
  /** The bound stands on an exact total of these very messages' beginning. */
  readonly anchored: boolean;
  /** Tokens of system prompt and tools. */
  readonly fixed: number;
}

export function requestSize(
  input: PrepareInput,
  runtime: Runtime,
  { model, weigh }: Pick<PlanContext, "model" | "weigh">,
  applied: Applied,
): RequestSize {
  const fixed = input.overhead ?? fixedTokens(input, model);
  const prediction = runtime.counter(model, fixed).predict(applied.messages);
  const { upperBound, anchored } = prediction;
  const tokens =
    prediction.basis === "none" ? fixed + runtime.viewSum.upTo(applied.items, weigh) : prediction.tokens;
  return { tokens, upperBound, anchored, fixed };
}

interface FixedCount {
  readonly system: PrepareInput["system"];
  readonly tokenizer: ModelInfo["tokenizer"];
  readonly count: number;
}

const fixedCounts = new WeakMap<readonly unknown[], FixedCount>();

/** Tokens of system prompt and tools; counted once per array. */
function fixedTokens({ system, tools }: PrepareInput, model: ModelInfo) {
  const key = tools ?? (Array.isArray(system) ? system : undefined);
  const known = key && fixedCounts.get(key);
  if (known?.system === system && known?.tokenizer === model.tokenizer) return known.count;
  const count = estimateTokens([], {
    model,
    ...(system === undefined ? {} : { system }),
    ...(tools === undefined ? {} : { tools }),
  });
  if (key) fixedCounts.set(key, { system, tokenizer: model.tokenizer, count });
  return count;
}
