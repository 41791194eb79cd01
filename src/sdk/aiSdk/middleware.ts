// The middleware for the Vercel AI SDK: every call of a wrapped model is prepared by a context, every answer observed.
import { defined, errorText, isObject, type JsonObject, parseJson } from "../../lib/index.ts";
import type { Block } from "../../messages/index.ts";
import { failureOf, type LanguageModel, type ModelOutcome, type ModelRequest } from "../../models/index.ts";
import type { Context } from "../context/createContext.ts";
import type { ContextTool } from "../context/types.ts";
import { type AiMessage, fromModelMessages, toModelMessages } from "./messages.ts";

/** The part of a call that a context reads. */
interface AiCallOptions {
  readonly prompt: readonly AiMessage[];
  readonly maxOutputTokens?: number | undefined;
  readonly abortSignal?: AbortSignal | undefined;
}

/** Tokens as the AI SDK reports them. */
interface AiUsage {
  readonly inputTokens: {
    readonly total: number | undefined;
    readonly noCache: number | undefined;
    readonly cacheRead: number | undefined;
    readonly cacheWrite: number | undefined;
  };
  readonly outputTokens: { readonly total: number | undefined };
}

/** The part of a generated answer that a context reads. */
interface AiGenerated {
  readonly content: readonly object[];
  readonly usage: AiUsage;
}

/** The part of a streamed answer that a context reads. */
interface AiStreamed {
  readonly stream: ReadableStream<unknown>;
}

/** A model of the AI SDK, by what is called of it. */
export interface AiModel<Options, Generated, Streamed> {
  readonly modelId: string;
  /** An answer in one piece. */
  doGenerate(options: Options): PromiseLike<Generated>;
  /** An answer as a stream of parts. */
  doStream(options: Options): PromiseLike<Streamed>;
}

/** A call of the AI SDK, as its middleware sees it. */
interface AiCall<Options, Generated, Streamed> {
  readonly params: Options;
  readonly model: AiModel<Options, Generated, Streamed>;
}

/** Fits `wrapLanguageModel({ model, middleware })` of the AI SDK. */
export interface ContextMiddleware<Version> {
  readonly specificationVersion: Version;
  /** Prepares the call and observes its answer. */
  wrapGenerate<Options extends AiCallOptions, Generated extends AiGenerated, Streamed extends AiStreamed>(
    call: AiCall<Options, Generated, Streamed>,
  ): Promise<Generated>;
  /** The same for a stream. */
  wrapStream<Options extends AiCallOptions, Generated extends AiGenerated, Streamed extends AiStreamed>(
    call: AiCall<Options, Generated, Streamed>,
  ): Promise<Streamed>;
}

/** Version of the AI SDK's interface to models: `v3` in its version 6, `v4` in version 7. */
export type AiSpecification = "v3" | "v4";

/** One conversation is one context: wrap a model for each. */
export function contextMiddleware<Version extends AiSpecification>(
  context: Context,
  specificationVersion: Version,
): ContextMiddleware<Version> {
  let observing: Promise<void> = Promise.resolve();
  return {
    specificationVersion,
    async wrapGenerate({ params, model }) {
      await observing;
      const result = await send(context, params, model.modelId, (options) => model.doGenerate(options));
      observe(context, result.content, result.usage);
      return result;
    },
    async wrapStream({ params, model }) {
      await observing;
      const result = await send(context, params, model.modelId, (options) => model.doStream(options));
      const [own, theirs] = result.stream.tee();
      observing = follow(context, own);
      return { ...result, stream: theirs };
    },
  };
}

async function send<Options extends AiCallOptions, Result>(
  context: Context,
  params: Options,
  modelId: string,
  call: (options: Options) => PromiseLike<Result>,
) {
  const { system, messages } = fromModelMessages(params.prompt);
  const tools = (params as { tools?: unknown }).tools;
  const request = {
    model: modelId,
    messages,
    ...defined({ system, tools: Array.isArray(tools) ? tools.filter(isObject) : undefined }),
  };
  const head = params.prompt.slice(
    0,
    params.prompt.findIndex(({ role }) => role !== "system"),
  );
  const optionsOf = (prepared: typeof request) => ({
    ...params,
    prompt: [...head, ...toModelMessages(prepared.messages)],
  });
  let prepared = await context.prepare(request);
  for (let attempt = 0; ; attempt++) {
    try {
      return await call(optionsOf(prepared.request));
    } catch (error) {
      const smaller = await context.recover(request, refusalOf(error), attempt);
      if (!smaller) throw error;
      prepared = smaller;
    }
  }
}

/** The AI SDK's error in the form of the official client's. */
const refusalOf = (error: unknown) =>
  isObject(error) ? { status: error.statusCode, error: error.responseBody ?? errorText(error) } : error;

function observe(context: Context, content: readonly object[], { inputTokens, outputTokens }: AiUsage) {
  const parts = content.filter(isObject).map(generatedPart);
  const [message] = fromModelMessages([{ role: "assistant", content: parts }]).messages;
  context.observe({
    content: (message?.content ?? []) as readonly Block[],
    usage: {
      input_tokens: inputTokens.noCache ?? inputTokens.total ?? 0,
      cache_read_input_tokens: inputTokens.cacheRead ?? 0,
      cache_creation_input_tokens: inputTokens.cacheWrite ?? 0,
      output_tokens: outputTokens.total ?? 0,
    },
  });
}

/** An answer has its calls' input as JSON and its options as metadata; the next prompt has both as values. */
function generatedPart({ providerMetadata, ...part }: JsonObject): JsonObject {
  return {
    ...part,
    ...(part.type === "tool-call" && typeof part.input === "string"
      ? { input: parseJson(part.input) ?? {} }
      : {}),
    ...(isObject(providerMetadata) && { providerOptions: providerMetadata }),
  };
}

/** Never rejects: a stream that breaks is the caller's to see. */
async function follow(context: Context, stream: ReadableStream<unknown>) {
  const parts = new Map<string, JsonObject>();
  let usage: AiUsage | undefined;
  try {
    for await (const event of stream as unknown as AsyncIterable<unknown>) {
      if (!isObject(event)) continue;
      if (event.type === "finish") usage = event.usage as AiUsage;
      else addPart(parts, event);
    }
  } catch {
    return;
  }
  if (usage) observe(context, [...parts.values()], usage);
}

function addPart(parts: Map<string, JsonObject>, event: JsonObject) {
  const { type, id, delta, providerMetadata } = event;
  const kind = /^(text|reasoning)-(?:start|delta|end)$/.exec(String(type))?.[1];
  if (kind === undefined) {
    if (type === "tool-call") parts.set(`call ${String(event.toolCallId)}`, event);
    return;
  }
  const key = `${kind} ${String(id)}`;
  const known = parts.get(key) ?? { type: kind, text: "" };
  const text = `${String(known.text)}${typeof delta === "string" ? delta : ""}`;
  parts.set(key, {
    ...known,
    text,
    ...defined({ providerMetadata: providerMetadata ?? known.providerMetadata }),
  });
}

/** A model of the AI SDK that writes summaries: pass it as `summaries`. */
export function aiLanguageModel<Options extends AiCallOptions>(
  model: AiModel<Options, AiGenerated, AiStreamed>,
): LanguageModel {
  return {
    name: model.modelId,
    dialect: "text",
    async complete(request, options = {}) {
      try {
        return answerOf(model.modelId, await model.doGenerate(callOf(request, options.signal) as Options));
      } catch (error) {
        const { statusCode, responseBody } = isObject(error) ? error : ({} as JsonObject);
        if (typeof statusCode !== "number")
          return { ok: false, error: { kind: "unavailable", message: errorText(error) } };
        return {
          ok: false,
          error: failureOf({ status: statusCode, body: responseBody ?? errorText(error) }),
        };
      }
    },
  };
}

function callOf(
  { system, messages, maxTokens }: ModelRequest,
  abortSignal: AbortSignal | undefined,
): AiCallOptions {
  const text = typeof system === "string" ? system : system?.map(({ text }) => String(text)).join("\n\n");
  return {
    prompt: [
      ...(text === undefined ? [] : [{ role: "system" as const, content: text }]),
      ...toModelMessages(messages),
    ],
    maxOutputTokens: maxTokens,
    ...defined({ abortSignal }),
  };
}

function answerOf(model: string, { content }: AiGenerated): ModelOutcome {
  const parts = content.filter(isObject);
  const text = parts.flatMap((part) => (part.type === "text" ? [String(part.text)] : [])).join("\n");
  const called = parts.some(({ type }) => type === "tool-call");
  const stop = called ? { stopReason: "tool_use" } : {};
  return { ok: true, reply: { text, blocks: [{ type: "text", text }], model, ...stop } };
}

/** The context's tools for the AI SDK; `jsonSchema` is its function of that name. */
export function aiTools<Schema>(
  context: Pick<Context, "tools">,
  jsonSchema: (schema: { type: "object" }) => Schema,
): Record<string, { description: string; inputSchema: Schema; execute: ContextTool["run"] }> {
  return Object.fromEntries(
    context.tools.map(({ name, description, input_schema, run }) => [
      name,
      { description, inputSchema: jsonSchema(input_schema), execute: run },
    ]),
  );
}
