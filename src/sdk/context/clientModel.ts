// The caller's own client as a language model: writes summaries and notes, outside the context, so that no call prepares another.
import { defined, errorText, isObject, type JsonObject } from "../../lib/index.ts";
import { placeBreakpoints } from "../../messages/index.ts";
import {
  failureOf,
  type LanguageModel,
  MessageAssembler,
  type ModelOutcome,
  type ModelRequest,
  messageBody,
} from "../../models/index.ts";
import type { MessagesClient } from "./types.ts";

/** `usual` names the model for requests that name none; `cache` is the lifetime of the breakpoints that a context places. */
export function clientModel(
  client: MessagesClient,
  usual: () => string,
  cache: "5m" | "1h" | undefined,
): LanguageModel {
  return {
    name: "client",
    dialect: "messages",
    async complete(request, options = {}) {
      try {
        const marked = cache === undefined ? request : readingCache(request, cache);
        return await ask(client, request.model ?? usual(), marked, options.signal);
      } catch (error) {
        return { ok: false, error: readError(error) };
      }
    },
  };
}

/**
 * A summary call that goes on from the session's own requests finds their prefix in the cache only by a breakpoint. One with a
 * system prompt of its own shares no prefix with them, and would pay for writing what is never read.
 */
function readingCache(request: ModelRequest, ttl: "5m" | "1h") {
  if (request.purpose !== "compact" || request.thinking === "off") return request;
  const sent = request.messages.findLastIndex(({ role }) => role === "assistant");
  return { ...request, messages: placeBreakpoints(request.messages, { ttl, sent: Math.max(0, sent) }) };
}

async function ask(
  client: MessagesClient,
  model: string,
  request: ModelRequest,
  signal: AbortSignal | undefined,
): Promise<ModelOutcome> {
  const betas = request.betas ?? [];
  const body = messageBody(model, request);
  const options = defined({
    signal,
    headers: betas.length > 0 ? { "anthropic-beta": betas.join(",") } : undefined,
  });
  // Streamed: the client refuses long answers in one piece.
  const events = await client.messages.create(body as never, options as never);
  const assembler = new MessageAssembler();
  for await (const event of events as AsyncIterable<unknown>) assembler.add(event);
  const reply = assembler.reply(model);
  if (reply) return { ok: true, reply };
  return { ok: false, error: { kind: "unavailable", message: "the answer ended in the middle" } };
}

/** The client's own error, read by its fields: its classes belong to the caller's copy of the package. */
export function readError(error: unknown): ReturnType<typeof failureOf> {
  const { status, error: body, headers } = isObject(error) ? error : ({} as JsonObject);
  if (typeof status !== "number") return { kind: "unavailable", message: errorText(error) };
  return failureOf({
    status,
    body: body ?? errorText(error),
    header: (name) => (headers instanceof Headers ? headers.get(name) : undefined),
  });
}
