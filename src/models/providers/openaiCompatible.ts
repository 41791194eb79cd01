// Servers that speak OpenAI's chat completions: Ollama, llama.cpp, OpenRouter, Gemini and many more, over plain fetch.
import { defined, isObject, type JsonObject, optionalString, parseJson } from "../../lib/index.ts";
import { type Block, textOf, type Usage } from "../../messages/index.ts";
import type { ProviderSettings } from "../createModel.ts";
import { failureOf } from "../failures.ts";
import {
  defaults,
  disconnected,
  failed,
  failedAs,
  type ModelOutcome,
  type ModelRequest,
  type Provider,
  withCause,
} from "../model.ts";
import { plainMessages } from "./plainText.ts";

export function openaiCompatible(settings: ProviderSettings): Provider {
  const { url: defaultUrl, key: defaultKey } = defaults["openai-compatible"];
  const url = `${(settings.baseUrl || defaultUrl).replace(/\/+$/, "")}/chat/completions`;
  const key = settings.env[settings.apiKeyEnv || defaultKey];
  return async (request, signal) => {
    const model = request.model ?? settings.model;
    if (model === "") return failedAs("unavailable", "name the server's model with llm.model");
    try {
      const response = await fetch(url, {
        method: "POST",
        headers: { "content-type": "application/json", ...(key && { authorization: `Bearer ${key}` }) },
        body: JSON.stringify(chatBody(model, request)),
        signal,
      });
      return await readResponse(response, model);
    } catch (error) {
      return failed(disconnected(`${withCause(error)} (${new URL(url).origin})`));
    }
  };
}

function chatBody(model: string, { system, messages, maxTokens }: ModelRequest): JsonObject {
  const instructions = textOf(system);
  return {
    model,
    messages: [
      ...(instructions === "" ? [] : [{ role: "system", content: instructions }]),
      ...plainMessages(messages),
    ],
    max_tokens: maxTokens,
    stream: true,
    stream_options: { include_usage: true },
  };
}

async function readResponse(response: Response, model: string) {
  if (!response.ok) {
    const body = await response.text();
    return failed(failureOf({ status: response.status, body, header: (name) => response.headers.get(name) }));
  }
  const answer = new ChatAnswer();
  const type = response.headers.get("content-type") ?? "";
  if (type.includes("json")) {
    // A server may not know how to stream.
    const whole = parseJson(await response.text());
    if (!isObject(whole)) return failedAs("malformed", "the body is not JSON");
    answer.add(whole);
    return answer.outcome(model, true);
  }
  if (response.body === null) return failedAs("malformed", "the body is empty");
  for await (const data of eventData(response.body)) {
    if (data.trim() === "[DONE]") return answer.outcome(model, true);
    const chunk = parseJson(data);
    if (!isObject(chunk)) return failedAs("malformed", `an event is not JSON: ${data.slice(0, 80)}`);
    if (chunk.error !== undefined && chunk.error !== null) return failed(failureOf(midStream(chunk)));
    answer.add(chunk);
  }
  return answer.outcome(model, false);
}

/** The code of an error in the middle of a stream is the HTTP status it would have had at the start. */
function midStream(chunk: JsonObject) {
  const code = isObject(chunk.error) ? chunk.error.code : undefined;
  return defined({ status: typeof code === "number" ? code : undefined, body: chunk });
}

/** Finish reasons of these servers as stop reasons of the Messages API. */
const stopReasons: Readonly<Record<string, string>> = {
  stop: "end_turn",
  length: "max_tokens",
  tool_calls: "tool_use",
  function_call: "tool_use",
  content_filter: "refusal",
};

type StreamedToolCall = { id: string; name: string; json: string };

/** Collects the chunks of a stream (`delta`), or one whole answer (`message`). */
class ChatAnswer {
  #text = "";
  #calls = new Map<number, StreamedToolCall>();
  #model: string | undefined;
  #usage: Usage | undefined;
  #finish: string | undefined;

  add(chunk: JsonObject) {
    if (typeof chunk.model === "string") this.#model = chunk.model;
    this.#usage = usageOf(chunk.usage) ?? this.#usage;
    const choice: unknown = Array.isArray(chunk.choices) ? chunk.choices[0] : undefined;
    if (!isObject(choice)) return;
    if (typeof choice.finish_reason === "string") this.#finish = choice.finish_reason;
    const part = choice.delta ?? choice.message;
    if (!isObject(part)) return;
    if (typeof part.content === "string") this.#text += part.content;
    const calls: readonly unknown[] = Array.isArray(part.tool_calls) ? part.tool_calls : [];
    for (const [at, call] of calls.entries()) this.#addCall(call, at);
  }

  #addCall(value: unknown, at: number) {
    if (!isObject(value)) return;
    const index = typeof value.index === "number" ? value.index : at;
    const asked = isObject(value.function) ? value.function : {};
    const known = this.#calls.get(index) ?? { id: "", name: "", json: "" };
    this.#calls.set(index, {
      id: typeof value.id === "string" ? value.id : known.id,
      name: typeof asked.name === "string" ? asked.name : known.name,
      json: known.json + (optionalString(asked.arguments) ?? ""),
    });
  }

  outcome(askedFor: string, ended: boolean): ModelOutcome {
    if (!ended && this.#finish === undefined) return failed(disconnected("the answer ended in the middle"));
    const stopReason = this.#finish === undefined ? undefined : (stopReasons[this.#finish] ?? this.#finish);
    // Small models write their thinking before the answer.
    const text = this.#text.replace(/^\s*<think>[\s\S]*?<\/think>\s*/, "");
    if (stopReason === "refusal")
      return failedAs("refused", text || "the server's filter withheld the answer");
    return {
      ok: true,
      reply: defined({
        text,
        blocks: [
          ...(text === "" ? [] : [{ type: "text", text }]),
          ...[...this.#calls.values()].map(callBlock),
        ],
        model: this.#model ?? askedFor,
        usage: this.#usage,
        stopReason,
      }),
    };
  }
}

const callBlock = ({ id, name, json }: StreamedToolCall): Block => ({
  type: "tool_use",
  id,
  name,
  input: parseJson(json) ?? {},
});

function usageOf(raw: unknown): Usage | undefined {
  if (!isObject(raw) || typeof raw.prompt_tokens !== "number") return undefined;
  const detail = isObject(raw.prompt_tokens_details) ? raw.prompt_tokens_details : {};
  const cacheRead = typeof detail.cached_tokens === "number" ? detail.cached_tokens : 0;
  return {
    input: Math.max(0, raw.prompt_tokens - cacheRead),
    cacheRead,
    cacheWrite5m: 0,
    cacheWrite1h: 0,
    output: typeof raw.completion_tokens === "number" ? raw.completion_tokens : 0,
  };
}

/** The `data` of every event, in order. Comments, names and retry hints are left out. */
export async function* eventData(body: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let pending = "";
  let data: string[] = [];
  for await (const chunk of body) {
    pending += decoder.decode(chunk, { stream: true });
    // A lone CR at the end may be half of a CRLF.
    const lines = pending.split(/\r\n|\n|\r(?!$)/);
    pending = lines.pop() ?? "";
    for (const line of lines) {
      if (line !== "") addLine(data, line);
      else if (data.length > 0) {
        yield data.join("\n");
        data = [];
      }
    }
  }
  // Some servers omit the empty line after the last event.
  for (const line of (pending + decoder.decode()).split(/\r\n|\n|\r/)) addLine(data, line);
  if (data.length > 0) yield data.join("\n");
}

function addLine(data: string[], line: string) {
  if (line.startsWith("data:")) data.push(line.slice(line.startsWith("data: ") ? 6 : 5));
}
