// What the scripted API may answer, as plain values, and short words to write them with.
import type { JsonObject } from "../../src/lib/index.ts";
import type { ApiRequest } from "./request.ts";

export interface ToolCall {
  readonly name: string;
  readonly input: JsonObject;
  /** Made up when absent, different for every call. */
  readonly id?: string;
}

/** Sizes as the API reports them; what is absent is estimated from the request and the reply. */
export interface ReportedUsage {
  readonly input_tokens?: number;
  readonly output_tokens?: number;
  readonly cache_read_input_tokens?: number;
  readonly cache_creation_input_tokens?: number;
}

interface Refusal {
  readonly status: number;
  readonly type: string;
  readonly message: string;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface Reply {
  readonly thinking?: string;
  /** The API's own compaction of what it was sent, as a signed block. */
  readonly compaction?: string;
  /** One text block, or several. */
  readonly text?: string | readonly string[];
  /** Calls of one reply run in parallel. */
  readonly calls?: readonly ToolCall[];
  /** `end_turn`, or `tool_use` when there are calls, unless given. */
  readonly stopReason?: string;
  readonly usage?: ReportedUsage;
  /** What the API did with the context before it answered. */
  readonly contextManagement?: JsonObject;
  /** The answer to a question for a number of tokens. */
  readonly count?: number;
  readonly refusal?: Refusal;
  /** The connection breaks: before the first byte, or in the middle of the stream. */
  readonly breaks?: "before" | "during";
  /** An error event in the middle of the stream, after the blocks. */
  readonly streamError?: Pick<Refusal, "type" | "message">;
  /** Runs before the answer is sent and may keep the asker waiting. */
  readonly before?: (request: ApiRequest) => void | Promise<void>;
}

type ReplyExtras = Omit<Reply, "text" | "calls" | "refusal">;

export function say(text: string | readonly string[], extras: ReplyExtras = {}): Reply {
  return { ...extras, text };
}

export function tool(name: string, input: JsonObject, id?: string): ToolCall {
  return id === undefined ? { name, input } : { name, input, id };
}

/** A reply that calls tools; several calls of one reply run in parallel. */
export function use(calls: ToolCall | readonly ToolCall[], extras: Omit<Reply, "calls"> = {}): Reply {
  return { ...extras, calls: "name" in calls ? [calls] : calls };
}

/** A subagent in the foreground; its own requests carry an agent id and `prompt` as their prompt. */
export function delegate(prompt: string, description = "a part of the work"): ToolCall {
  return tool("Agent", {
    description,
    prompt,
    subagent_type: "general-purpose",
    run_in_background: false,
  });
}

/** The answer to a compaction request, in the form that Claude Code parses. */
export function summary(text: string, extras: ReplyExtras = {}): Reply {
  return say(`<analysis>looked at all of it</analysis>\n<summary>\n${text}\n</summary>`, extras);
}

/** The answer to a request that asks the API itself to compact. */
export function compacted(text: string): Reply {
  return { compaction: text, stopReason: "compaction" };
}

export function refuse(refusal: Refusal): Reply {
  return { refusal };
}

export function overloaded(): Reply {
  return refuse({ status: 529, type: "overloaded_error", message: "Overloaded" });
}

export function rateLimited(seconds: number): Reply {
  return refuse({
    status: 429,
    type: "rate_limit_error",
    message: "This request would exceed the rate limit.",
    headers: { "retry-after": String(seconds) },
  });
}

export function promptTooLong(tokens: number, maximum: number): Reply {
  return refuse({
    status: 400,
    type: "invalid_request_error",
    message: `prompt is too long: ${tokens} tokens > ${maximum} maximum`,
  });
}
