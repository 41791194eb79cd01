// The Messages API through the official client, which transports and streams; retries and timeouts are ours.
import Anthropic, { APIConnectionError, APIError } from "@anthropic-ai/sdk";
import { DAY, defined, errorText, isObject, type JsonObject, parseJson } from "../../lib/index.ts";
import { type Block, isBlock, readUsage, textOf } from "../../messages/index.ts";
import type { ProviderSettings } from "../createModel.ts";
import { failureOf } from "../failures.ts";
import {
  defaults,
  disconnected,
  failed,
  failedAs,
  type ModelError,
  type ModelOutcome,
  type ModelReply,
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
  const stream = new MessageStream();
  for await (const event of events) stream.add(event);
  const reply = stream.reply(model);
  if (!reply) return failed(disconnected("the answer ended in the middle"));
  if (reply.stopReason === "refusal") return failedAs("refused", reply.text || "the model refused to answer");
  return { ok: true, reply };
}

/** The body of one request. Fields of `body` come first, so that the request's own fields win. */
export function messageBody(model: string, request: ModelRequest): JsonObject {
  const { system, messages, tools, toolChoice, maxTokens, thinking, effort, body } = request;
  const output = body?.output_config;
  const hasTools = tools !== undefined && tools.length > 0;
  return {
    ...body,
    ...defined({
      model,
      max_tokens: maxTokens,
      system,
      tools: hasTools ? tools : undefined,
      // The API refuses a choice among no tools.
      tool_choice: hasTools && toolChoice === "none" ? { type: "none" } : undefined,
      thinking: thinking === "off" ? { type: "disabled" } : thinking,
      output_config: effort && { ...(output ?? {}), effort },
    }),
    messages,
    stream: true,
  };
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

/** A block under construction, with the JSON of its input so far. */
type PartialBlock = { block: Block; json: string };

/** Collects events; there is a `reply` once the stream has reported its end. */
class MessageStream {
  readonly #blocks: PartialBlock[] = [];
  #message: JsonObject = {};
  #usage: JsonObject = {};
  #stopReason: unknown;
  #complete = false;

  add(event: unknown): void {
    if (!isObject(event)) return;
    if (event.type === "message_start" && isObject(event.message)) this.#start(event.message);
    else if (event.type === "content_block_start" && isBlock(event.content_block))
      this.#blocks.push({ block: event.content_block, json: "" });
    else if (event.type === "content_block_delta" && isObject(event.delta)) {
      const partial = this.#blocks[Number(event.index)];
      if (partial) append(partial, event.delta);
    } else if (event.type === "message_delta") this.#end(event);
    else if (event.type === "message_stop") this.#complete = true;
  }

  #start(message: JsonObject) {
    this.#message = message;
    if (isObject(message.usage)) this.#usage = message.usage;
  }

  #end(event: JsonObject) {
    if (isObject(event.delta)) this.#stopReason = event.delta.stop_reason;
    // These counts are of the whole message; null ones do not apply.
    if (isObject(event.usage))
      this.#usage = {
        ...this.#usage,
        ...Object.fromEntries(Object.entries(event.usage).filter(([, value]) => value !== null)),
      };
  }

  reply(askedFor: string): ModelReply | undefined {
    if (!this.#complete) return undefined;
    const blocks = this.#blocks.map(finished);
    return defined({
      text: textOf(blocks),
      blocks,
      model: typeof this.#message.model === "string" ? this.#message.model : askedFor,
      usage: readUsage(this.#usage),
      stopReason: typeof this.#stopReason === "string" ? this.#stopReason : undefined,
    });
  }
}

const joined = (block: Block, key: string, more: unknown): Block => ({
  ...block,
  [key]: `${String(block[key] ?? "")}${String(more ?? "")}`,
});

function append(partial: PartialBlock, { type, ...delta }: JsonObject) {
  const { block } = partial;
  if (type === "text_delta") partial.block = joined(block, "text", delta.text);
  else if (type === "thinking_delta") partial.block = joined(block, "thinking", delta.thinking);
  else if (type === "input_json_delta") partial.json += String(delta.partial_json ?? "");
  // The others carry whole values: a signature, the content of a compaction.
  else if (type === "signature_delta" || type === "compaction_delta") partial.block = { ...block, ...delta };
}

function finished({ block, json }: PartialBlock) {
  return json === "" ? block : { ...block, input: parseJson(json) ?? {} };
}
