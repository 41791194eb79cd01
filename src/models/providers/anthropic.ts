// The Messages API through the official client: its transport and its streams; retries and time are ours.
import Anthropic, { APIConnectionError, APIError } from "@anthropic-ai/sdk";
import { DAY, errorText, type JsonObject } from "../../lib/index.ts";
import type { ProviderSettings } from "../createModel.ts";
import { failureOf } from "../failures.ts";
import { failed, type ModelError, type ModelOutcome, type ModelRequest, type Provider } from "../model.ts";
import { MessageStream } from "./messageStream.ts";
import { usual } from "./places.ts";

const { place: USUAL_PLACE, key: USUAL_KEY } = usual.anthropic;
/** What is asked here are small words; a summary names the session's own model. */
const USUAL_MODEL = "claude-haiku-5-5";
/** Ours to decide: the client's own limit must never be the shorter one. */
const NO_TIMEOUT = DAY;

export function anthropic(settings: ProviderSettings): Provider {
  const keyName = settings.apiKeyEnv || USUAL_KEY;
  const apiKey = settings.env[keyName];
  if (!apiKey) {
    const message = `${keyName} is not set; set it, or name another variable with llm.apiKeyEnv`;
    return () => Promise.resolve(failed({ kind: "unauthorized", message }));
  }
  const client = new Anthropic({
    apiKey,
    baseURL: settings.baseUrl || USUAL_PLACE,
    maxRetries: 0,
    timeout: NO_TIMEOUT,
    logLevel: "off",
  });
  return async (request, signal) => {
    const model = request.model ?? (settings.model || USUAL_MODEL);
    try {
      return await ask(client, model, request, signal);
    } catch (error) {
      return failed(readError(error));
    }
  };
}

async function ask(
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
      ...(betas.length > 0 ? { headers: { "anthropic-beta": betas.join(",") } } : {}),
    },
  );
  const stream = new MessageStream();
  for await (const event of events) stream.add(event);
  const reply = stream.reply(model);
  if (!reply) return failed(cut("the answer ended in the middle"));
  if (reply.stopReason === "refusal")
    return failed({ kind: "refused", message: reply.text || "the model refused to answer" });
  return { ok: true, reply };
}

/** The body of one request. Given fields come first, so that what the request says in its own words wins. */
export function messageBody(model: string, request: ModelRequest): JsonObject {
  const { system, messages, tools, toolChoice, maxTokens, thinking, effort, body } = request;
  const output = body?.output_config;
  return {
    ...body,
    model,
    max_tokens: maxTokens,
    ...(system === undefined ? {} : { system }),
    ...(tools === undefined || tools.length === 0 ? {} : { tools }),
    // The API refuses a choice among no tools.
    ...(toolChoice === "none" && tools && tools.length > 0 ? { tool_choice: { type: "none" } } : {}),
    ...(thinking === undefined ? {} : { thinking: thinking === "off" ? { type: "disabled" } : thinking }),
    ...(effort === undefined ? {} : { output_config: { ...(output ?? {}), effort } }),
    messages,
    stream: true,
  };
}

const cut = (message: string): ModelError => ({ kind: "unavailable", message, transient: true });

function readError(error: unknown): ModelError {
  if (error instanceof APIConnectionError) return cut(causes(error));
  if (error instanceof APIError) {
    const { status, headers } = error;
    return failureOf({
      ...(typeof status === "number" ? { status } : {}),
      body: error.error ?? error.message,
      header: (name) => headers?.get(name),
    });
  }
  if (error instanceof SyntaxError)
    return { kind: "malformed", message: `the stream is not what the API sends: ${error.message}` };
  // Undici ends a broken body with a TypeError that only says "terminated".
  if (error instanceof TypeError) return cut(causes(error));
  return { kind: "unavailable", message: errorText(error) };
}

function causes(error: Error): string {
  const cause = error.cause instanceof Error ? `: ${error.cause.message}` : "";
  return `${error.message}${cause}`;
}
