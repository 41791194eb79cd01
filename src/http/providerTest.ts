// One small request to the model that settings name, to see whether it answers.
import type { Config } from "../config/index.ts";
import type { Environment, Home } from "../home/index.ts";
import { languageModel } from "../settings/index.ts";
import type { ProviderTest } from "./wire.ts";

/** A person waits for this. */
const MOST_SECONDS = 30;

const fixes: Readonly<Record<string, string>> = {
  unauthorized: "check the key: `llm.apiKeyEnv` names the variable that the worker was started with",
  unavailable: "check `llm.baseUrl` and `llm.command`, and that what they name is running",
  timeout: "check `llm.baseUrl`, or try again when the server is less busy",
  "rate-limited": "wait a moment and try again",
  overloaded: "wait a moment and try again",
  "over-budget": "raise `llm.dailyTokens`, or wait until tomorrow",
};

/** Never rejects for what a provider does: not to answer is an outcome too. */
export async function testProvider(
  { llm, models }: Pick<Config, "llm" | "models">,
  around: { readonly home: Home; readonly env: Environment },
): Promise<ProviderTest> {
  const { provider } = llm;
  const patience = {
    retries: 0,
    timeoutSeconds: Math.min(llm.timeoutSeconds, MOST_SECONDS),
    totalSeconds: Math.min(llm.totalSeconds, MOST_SECONDS),
  };
  const model = languageModel({ llm: { ...llm, ...patience }, models }, around);
  if (model === undefined) {
    const message = "No model is asked; everything works without one.";
    return { ok: false, provider, message, fix: "set `llm.provider` to ask one" };
  }
  const began = performance.now();
  const outcome = await model.complete({
    purpose: "provider-test",
    messages: [{ role: "user", content: "Answer with one word: ready" }],
    maxTokens: 16,
    thinking: "off",
  });
  const milliseconds = Math.round(performance.now() - began);
  if (outcome.ok) {
    const { reply } = outcome;
    return { ok: true, provider, model: reply.model, milliseconds, message: reply.text.trim().slice(0, 200) };
  }
  const { kind, message } = outcome.error;
  const fix = fixes[kind];
  return { ok: false, provider, milliseconds, message, ...(fix === undefined ? {} : { fix }) };
}
