// The language model of the settings, as commands ask it: with its accounts, its prices and the full redaction.
import type { LoadedConfig } from "../config/index.ts";
import { spendingFolder } from "../lib/index.ts";
import { createModel, type LanguageModel } from "../models/index.ts";
import { redactText } from "../redact/index.ts";
import { cost, estimateTokens, findModel } from "../tokens/index.ts";
import { surroundings } from "./surroundings.ts";

export interface ConfiguredModel {
  readonly model: LanguageModel;
  /** Its window, where the settings name a model that is known. */
  readonly window?: number;
  redact(text: string): string;
}

/** Undefined where the settings say `none`. */
export function configuredModel({ values }: Pick<LoadedConfig, "values">): ConfiguredModel | undefined {
  if (values.llm.provider === "none") return undefined;
  const { home, env } = surroundings();
  const known = findModel(values.llm.model, values.models);
  const model = createModel(values.llm, {
    env,
    spending: spendingFolder(home),
    cost: (name, usage) => {
      const priced = findModel(name, values.models);
      return priced && cost(usage, priced);
    },
    estimate: ({ messages, system, tools }) =>
      estimateTokens(messages, {
        model: known ?? { tokenizer: "new", thinking: "keep-all-thinking" },
        ...(system === undefined ? {} : { system }),
        ...(tools === undefined ? {} : { tools }),
      }),
  });
  return {
    model,
    ...(known ? { window: known.window } : {}),
    redact: (text) => redactText(text).text,
  };
}
