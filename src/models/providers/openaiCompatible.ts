// Servers that speak OpenAI's chat completions: Ollama, llama.cpp, OpenRouter, Gemini and many more, over plain fetch.
import { defined, errorText, isObject, type JsonObject, parseJson } from "../../lib/index.ts";
import { type Block, textOf, type Usage } from "../../messages/index.ts";
import type { ProviderSettings } from "../createModel.ts";
import { failureOf } from "../failures.ts";
import {
  failed,
  type ModelError,
  type ModelOutcome,
  type ModelRequest,
  type Provider,
  usual,
} from "../model.ts";
import { plainMessages } from "./plainText.ts";

const { place: USUAL_PLACE, key: USUAL_KEY } = usual["openai-compatible"];

export function openaiCompatible(settings: ProviderSettings): Provider {
  const place = `${(settings.baseUrl || USUAL_PLACE).replace(/\/+$/, "")}/chat/completions`;
  const key = settings.env[settings.apiKeyEnv || USUAL_KEY];
  return async (request, signal) => {
    const model = request.model ?? settings.model;
    if (model === "")
      return failed({ kind: "unavailable", message: "name the server's model with llm.model" });
    try {
      const response = await fetch(place, {
        method: "POST",
        headers: {
          "content-type": "application/json",
          ...(key ? { authorization: `Bearer ${key}` } : {}),
        },
        body: JSON.stringify(chatBody(model, request)),
        signal,
      });
      return await readResponse(response, model);
    } catch (error) {
      return failed(connectionFailure(error, place));
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
    if (!isObject(whole)) return failed(notAnAnswer("the body is not JSON"));
    answer.add(whole);
    return answer.outcome(model, true);
  }
  if (response.body === null) return failed(notAnAnswer("the body is empty"));
  for await (const data of eventData(response.body)) {
    if (data.trim() === "[DONE]") return answer.outcome(model, true);
    const chunk = parseJson(data);
    if (!isObject(chunk)) return failed(notAnAnswer(`an event is not JSON: ${data.slice(0, 80)}`));
    if (chunk.error !== undefined && chunk.error !== null) return failed(failureOf(midStream(chunk)));
    answer.add(chunk);
  }
  return answer.outcome(model, false);
}

const notAnAnswer = (message: string): ModelError => ({ kind: "malformed", message });

/** Errors in the middle carry as their code the status they would have had in the beginning. */
function midStream(chunk: JsonObject): { status?: number; body: unknown } {
  const code = isObject(chunk.error) ? chunk.error.code : undefined;
  return defined({ status: typeof code === "number" ? code : undefined, body: chunk });
}

function connectionFailure(error: unknown, place: string): ModelError {
  const cause = error instanceof Error && error.cause instanceof Error ? `: ${error.cause.message}` : "";
  return {
    kind: "unavailable",
    message: `${errorText(error)}${cause} (${new URL(place).origin})`,
    transient: true,
  };
}

/** How these servers say why they stopped, in the words of the Messages API. */
const stopReasons: Readonly<Record<string, string>> = {
  stop: "end_turn",
  length: "max_tokens",
  tool_calls: "tool_use",
  function_call: "tool_use",
  content_filter: "refusal",
};

interface Call {
  id: string;
  name: string;
  json: string;
}

/** Grows from chunks of a stream (`delta`) and from whole answers (`message`) alike. */
class ChatAnswer {
  #text = "";
  #calls = new Map<number, Call>();
  #model: string | undefined;
  #usage: Usage | undefined;
  #finish: string | undefined;

  add(chunk: JsonObject): void {
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
      json: known.json + (typeof asked.arguments === "string" ? asked.arguments : ""),
    });
  }

  outcome(askedFor: string, ended: boolean): ModelOutcome {
    if (!ended && this.#finish === undefined)
      return failed({ kind: "unavailable", message: "the answer ended in the middle", transient: true });
    const stopReason = this.#finish === undefined ? undefined : (stopReasons[this.#finish] ?? this.#finish);
    // Small models think aloud in front of their answer.
    const text = this.#text.replace(/^\s*<think>[\s\S]*?<\/think>\s*/, "");
    if (stopReason === "refusal")
      return failed({ kind: "refused", message: text || "the server's filter withheld the answer" });
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

const callBlock = ({ id, name, json }: Call): Block => ({
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
  // Some servers forget the empty line behind the last event.
  for (const line of (pending + decoder.decode()).split(/\r\n|\n|\r/)) addLine(data, line);
  if (data.length > 0) yield data.join("\n");
}

function addLine(data: string[], line: string) {
  if (line.startsWith("data:")) data.push(line.slice(line.startsWith("data: ") ? 6 : 5));
}
