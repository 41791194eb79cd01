// The Messages API through the official client, which transports and streams; retries and timeouts are ours.
import Anthropic, { APIConnectionError, APIError } from "@anthropic-ai/sdk";
import { DAY, defined, errorText } from "../../lib/index.ts";
import type { ProviderSettings } from "../createModel.ts";
import { failureOf } from "../failures.ts";
import { MessageAssembler, messageBody } from "../messageStream.ts";
import {
  defaults,
  disconnected,
  failed,
  failedAs,
  type ModelError,
  type ModelOutcome,
  type ModelRequest,
  type Provider,
  withCause,
} from "../model.ts";

/** Enough for short texts; a summary names the session's own model. */
const DEFAULT_MODEL = "claude-haiku-5-5";
/** The client's timeout must never be shorter than ours. */
const NO_TIMEOUT = DAY;

export function anthropic(settings: ProviderSettings): Provider {
  const keyName = settings.apiKeyEnv || defaults.anthropic.key;
  const apiKey = settings.env[keyName];
  if (!apiKey) {
    const message = `${keyName} is not set; set it, or name another variable with llm.apiKeyEnv`;
    return async () => failedAs("unauthorized", message);
  }
  const client = new Anthropic({
    apiKey,
    baseURL: settings.baseUrl || defaults.anthropic.url,
    maxRetries: 0,
    timeout: NO_TIMEOUT,
    logLevel: "off",
  });
  return async (request, signal) => {
    const model = request.model ?? (settings.model || DEFAULT_MODEL);
    try {
      return await askMessagesApi(client, model, request, signal);
    } catch (error) {
      return failed(readError(error));
    }
  };
}

async function askMessagesApi(
  client: Anthropic,
  model: string,
  request: ModelRequest,
  signal: AbortSignal,
): Promise<ModelOutcome> {
  const betas = request.betas ?? [];
  const events = await client.post<AsyncIterable<unknown>>(
    `/v1/messages${betas.length > 0 ? "?beta=true" : ""}`,
    {
      body: messageBody(model, request),
      stream: true,
      signal,
      ...(betas.length > 0 && { headers: { "anthropic-beta": betas.join(",") } }),
    },
  );
  const stream = new MessageAssembler();
  for await (const event of events) stream.add(event);
  const reply = stream.reply(model);
  if (!reply) return failed(disconnected("the answer ended in the middle"));
  if (reply.stopReason === "refusal") return failedAs("refused", reply.text || "the model refused to answer");
  return { ok: true, reply };
}

function readError(error: unknown): ModelError {
  // Undici ends a broken body with a TypeError that only says "terminated".
  if (error instanceof APIConnectionError || error instanceof TypeError)
    return disconnected(withCause(error));
  if (error instanceof APIError) {
    const { status, headers } = error;
    return failureOf({
      ...defined({ status }),
      body: error.error ?? error.message,
      header: (name) => headers?.get(name),
    });
  }
  if (error instanceof SyntaxError)
    return { kind: "malformed", message: `the stream is not what the API sends: ${error.message}` };
  return { kind: "unavailable", message: errorText(error) };
}
