// The language model of the settings for commands, with full redaction.
import type { ConfigSources } from "../config/index.ts";
import { defined } from "../lib/index.ts";
import type { LanguageModel } from "../models/index.ts";
import { redactText } from "../redact/index.ts";
import { languageModel } from "../settings/index.ts";
import { findModel } from "../tokens/index.ts";
import { commandContext, ownConfig } from "./context.ts";

export interface ConfiguredModel {
  readonly model: LanguageModel;
  /** Its context window, if the model is known. */
  readonly window?: number;
  redact(text: string): string;
}

/**
 * Undefined where the provider is `none`. Reads only the user's own file: one in a repository must not decide which
 * server conversations are sent to.
 */
export function configuredModel(
  flags: NonNullable<ConfigSources["flags"]> = {},
): ConfiguredModel | undefined {
  const { values } = ownConfig(flags);
  const model = languageModel(values, commandContext());
  const known = findModel(values.llm.model, values.models);
  return model && defined({ model, window: known?.window, redact: (text: string) => redactText(text).text });
}
