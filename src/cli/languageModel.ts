// The language model of the settings, as commands ask it: with the full redaction.
import type { ConfigSources } from "../config/index.ts";
import type { LanguageModel } from "../models/index.ts";
import { redactText } from "../redact/index.ts";
import { languageModel } from "../settings/index.ts";
import { findModel } from "../tokens/index.ts";
import { ownConfig, surroundings } from "./surroundings.ts";

export interface ConfiguredModel {
  readonly model: LanguageModel;
  /** Its window, where the settings name a model that is known. */
  readonly window?: number;
  redact(text: string): string;
}

/**
 * Undefined where the settings say `none`. Only the user's own file is read: one in somebody's repository must not decide
 * which server conversations are sent to.
 */
export function configuredModel(
  flags: NonNullable<ConfigSources["flags"]> = {},
): ConfiguredModel | undefined {
  const { values } = ownConfig(flags);
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
