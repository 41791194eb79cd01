// The language model of the settings, with its accounts and prices.
import type { Config } from "../config/index.ts";
import { type Environment, type Home, spendingFolder } from "../home/index.ts";
import { createModel, type LanguageModel } from "../models/index.ts";
import { cost, estimateTokens, findModel } from "../tokens/index.ts";

/** Undefined where the settings say `none`. */
export function languageModel(
  { llm, models }: Pick<Config, "llm" | "models">,
  { home, env }: { readonly home: Home; readonly env: Environment },
): LanguageModel | undefined {
  if (llm.provider === "none") return undefined;
  const known = findModel(llm.model, models);
  return createModel(llm, {
    env,
    spending: spendingFolder(home),
    cost: (name, usage) => {
      const priced = findModel(name, models);
      return priced && cost(usage, priced);
    },
    estimate: ({ messages, system, tools }) =>
      estimateTokens(messages, {
        model: known ?? { tokenizer: "new", thinking: "keep-all-thinking" },
        ...(system === undefined ? {} : { system }),
        ...(tools === undefined ? {} : { tools }),
      }),
  });
}
