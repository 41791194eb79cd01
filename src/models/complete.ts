// Asks a language model that may break its promise: what it throws is a failure like any other. Loads no provider.

import { errorText } from "../lib/index.ts";
import { failedAs, type LanguageModel, type ModelOutcome, type ModelRequest } from "./model.ts";

/** Never rejects. */
export async function complete(
  model: LanguageModel,
  request: ModelRequest,
  options?: { readonly signal?: AbortSignal },
): Promise<ModelOutcome> {
  try {
    return await model.complete(request, options);
  } catch (error) {
    return failedAs("unavailable", `${model.name} failed: ${errorText(error)}`);
  }
}
