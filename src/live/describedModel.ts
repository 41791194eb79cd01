// A model that only its agent knows, as an entry of the model table: what a cache costs there, and how much fits.
import type { Config } from "../config/index.ts";
import { defined } from "../lib/index.ts";
import { findModel, type PriceStep } from "../tokens/index.ts";
import type { DescribedModel, PlanQuestion } from "./protocol.ts";

/** Thinking that no later change can invalidate, and no compaction by the API: what holds for most models of other makers. */
const LIKE = "claude-opus-4-5";
/** What most providers that keep prefixes by themselves ask for what they have kept, of the price of input. */
const CACHED_SHARE = 0.1;

function pricesOf({ input = 0, output, cacheRead, cacheWrite }: DescribedModel): PriceStep[] | undefined {
  // A model that runs on the user's machine costs nothing; edits are weighed as if its time did.
  if (input === 0) return undefined;
  const write = cacheWrite || input;
  return [
    {
      ...{ above: 0, input, output: output ?? input, cacheRead: cacheRead || input * CACHED_SHARE },
      ...{ cacheWrite5m: write, cacheWrite1h: write },
    },
  ];
}

/** The settings with the model of a question in them, where the table does not have it. */
export function withDescribedModel(values: Config, { model, described }: PlanQuestion): Config {
  if (described === undefined || findModel(model, values.models) !== undefined) return values;
  const { window, maxOutput } = described;
  const override = {
    like: LIKE,
    window,
    ...defined({ maxOutput: maxOutput || undefined, prices: pricesOf(described) }),
  };
  const id = findModel(model, { [model]: { like: LIKE } })?.id ?? model;
  return { ...values, models: { ...values.models, [id]: override } };
}
