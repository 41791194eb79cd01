// The language model of the settings, as commands ask it: with the full redaction.
import type { LoadedConfig } from "../config/index.ts";
import type { LanguageModel } from "../models/index.ts";
import { redactText } from "../redact/index.ts";
import { findModel } from "../tokens/index.ts";
import { languageModel } from "../worker/index.ts";
import { surroundings } from "./surroundings.ts";

export interface ConfiguredModel {
  readonly model: LanguageModel;
  /** Its window, where the settings name a model that is known. */
  readonly window?: number;
  redact(text: string): string;
}

/** Undefined where the settings say `none`. */
export function configuredModel({ values }: Pick<LoadedConfig, "values">): ConfiguredModel | undefined {
  const model = languageModel(values, surroundings());
  const known = findModel(values.llm.model, values.models);
  return (
    model && {
      model,
      ...(known ? { window: known.window } : {}),
      redact: (text) => redactText(text).text,
    }
  );
}
