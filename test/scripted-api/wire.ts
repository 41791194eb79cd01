// Replies in the form of the Messages API: one message object, or the same as server-sent events.
import type { JsonObject } from "../../src/lib/index.ts";
import type { Reply, ReportedUsage, ToolCall } from "./reply.ts";
import type { ApiRequest } from "./request.ts";

/** Gives a new id with this prefix at every call. */
export type NewId = (prefix: string) => string;

export interface ReplyMessage extends JsonObject {
  readonly content: readonly JsonObject[];
  readonly stop_reason: string;
  readonly usage: JsonObject;
}

const CHARACTERS_PER_TOKEN = 4;

export function estimateTokens(text: string | number): number {
  return Math.max(1, Math.ceil((typeof text === "number" ? text : text.length) / CHARACTERS_PER_TOKEN));
}

/** What only an API that enforces its rules knows of a reply. */
export interface ReplyFacts {
  readonly signature?: string;
  readonly usage?: ReportedUsage;
}

export function replyMessage(
  reply: Reply,
  request: ApiRequest,
  newId: NewId,
  { signature = "c2NyaXB0ZWQ=", usage }: ReplyFacts = {},
): ReplyMessage {
  const content = contentOf(reply, newId, signature);
  const calls = reply.calls ?? [];
  return {
    id: newId("msg"),
    type: "message",
    role: "assistant",
    model: typeof request.body.model === "string" ? request.body.model : "scripted",
    content,
    stop_reason: reply.stopReason ?? (calls.length > 0 ? "tool_use" : "end_turn"),
    stop_sequence: null,
    usage: {
      input_tokens: estimateTokens(request.bytes),
      cache_creation_input_tokens: 0,
      cache_read_input_tokens: 0,
      output_tokens: estimateTokens(JSON.stringify(content)),
      ...usage,
      ...reply.usage,
    },
    ...(reply.contextManagement && { context_management: reply.contextManagement }),
  };
}

function contentOf(
  { thinking, compaction, text, calls = [] }: Reply,
  newId: NewId,
  signature: string,
): JsonObject[] {
  const texts = text === undefined ? [] : typeof text === "string" ? [text] : text;
  return [
    ...(thinking === undefined ? [] : [{ type: "thinking", thinking, signature }]),
    ...(compaction === undefined
      ? []
      : [{ type: "compaction", content: compaction, signature: "c2NyaXB0ZWQ=" }]),
    ...texts.map((part) => ({ type: "text", text: part })),
    ...calls.map(({ id, name, input }: ToolCall) => ({
      type: "tool_use",
      id: id ?? newId("toolu"),
      name,
      input,
    })),
  ];
}

interface StreamEvent extends JsonObject {
  readonly type: string;
}

/** The events of one message, in the API's order. */
export function streamEvents(message: ReplyMessage): StreamEvent[] {
  const { content, stop_reason, usage, context_management: management } = message;
  return [
    {
      type: "message_start",
      message: {
        ...message,
        content: [],
        stop_reason: null,
        usage: { ...usage, output_tokens: 1 },
        context_management: null,
      },
    },
    ...content.flatMap(blockEvents),
    {
      type: "message_delta",
      delta: { stop_reason, stop_sequence: null },
      usage,
      ...(management === undefined ? {} : { context_management: management }),
    },
    { type: "message_stop" },
  ];
}

function blockEvents(block: JsonObject, index: number): StreamEvent[] {
  return [
    { type: "content_block_start", index, content_block: opening(block) },
    ...deltas(block).map((delta) => ({ type: "content_block_delta", index, delta })),
    { type: "content_block_stop", index },
  ];
}

/** A block starts empty and grows by deltas. */
function opening(block: JsonObject): JsonObject {
  if (block.type === "text") return { ...block, text: "" };
  if (block.type === "thinking") return { ...block, thinking: "", signature: "" };
  if (block.type === "compaction") return { ...block, content: null };
  return { ...block, input: {} };
}

function deltas(block: JsonObject): JsonObject[] {
  if (block.type === "text") return halves(String(block.text)).map((text) => ({ type: "text_delta", text }));
  if (block.type === "thinking") {
    return [
      { type: "thinking_delta", thinking: block.thinking },
      { type: "signature_delta", signature: block.signature },
    ];
  }
  if (block.type === "compaction") return [{ type: "compaction_delta", content: block.content }];
  return halves(JSON.stringify(block.input)).map((part) => ({
    type: "input_json_delta",
    partial_json: part,
  }));
}

/** Two pieces, so that the reader of the stream has to join them. */
function halves(text: string): string[] {
  const characters = [...text];
  const middle = Math.ceil(characters.length / 2);
  return [characters.slice(0, middle), characters.slice(middle)]
    .filter((part, index) => part.length > 0 || index === 0)
    .map((part) => part.join(""));
}

export function eventText(event: StreamEvent): string {
  return `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`;
}

export function errorBody(type: string, message: string): JsonObject {
  return { type: "error", error: { type, message } };
}
