// The Anthropic message model as it is really sent: known blocks have types, unknown ones pass through untouched.
import { isObject } from "../lib/index.ts";

/** Who speaks in a message. */
type Role = "user" | "assistant" | "system";

/** Any content block. Known kinds are narrowed by the guards below; extra keys are always kept. */
export interface Block {
  readonly type: string;
  readonly [key: string]: unknown;
}

interface TextBlock extends Block {
  readonly type: "text";
  readonly text: string;
}

interface ThinkingBlock extends Block {
  readonly type: "thinking" | "redacted_thinking";
}

/** A call of any tool: the client's own, the server's, or one of an MCP connector. */
export interface ToolUseBlock extends Block {
  readonly type: "tool_use" | "server_tool_use" | "mcp_tool_use";
  readonly id: string;
  readonly name: string;
  readonly input: unknown;
}

/** The answer to a call. Server tools answer with `<tool>_tool_result` blocks in the assistant's own message. */
export interface ToolResultBlock extends Block {
  readonly tool_use_id: string;
  readonly content?: unknown;
  readonly is_error?: boolean;
}

/** One message. Extra keys (`output_config` …) are carried along. */
export interface Message {
  readonly role: Role;
  readonly content: string | readonly Block[];
  readonly [key: string]: unknown;
}

/** What is known of a message beyond what is sent. */
export interface Provenance {
  /** Milliseconds since the epoch at which the message came to be. */
  readonly at?: number;
  /** Written by the client and not by a person (reminders, command output, hook context). */
  readonly meta?: boolean;
  /** The text that replaced a compacted history. */
  readonly compactSummary?: boolean;
  /** Ids of the rows of a transcript that the message was merged from, one a block. */
  readonly uuids?: readonly string[];
}

/** A message with an identity that is stable for the life of the session. */
export interface HistoryItem extends Provenance {
  readonly id: string;
  readonly message: Message;
}

/** Messages with their ids, oldest first. */
export type History = readonly HistoryItem[];

export function isBlock(value: unknown): value is Block {
  return isObject(value) && typeof value.type === "string";
}

export function isText(block: Block): block is TextBlock {
  return block.type === "text" && typeof block.text === "string";
}

export function isThinking(block: Block): block is ThinkingBlock {
  return block.type === "thinking" || block.type === "redacted_thinking";
}

export function isToolUse(block: Block): block is ToolUseBlock {
  return block.type === "tool_use" || isServerToolUse(block);
}

/** A call that the API answers by itself, inside the same assistant message. */
export function isServerToolUse(block: Block): block is ToolUseBlock {
  return block.type === "server_tool_use" || block.type === "mcp_tool_use";
}

export function isToolResult(block: Block): block is ToolResultBlock {
  return block.type === "tool_result" || isServerToolResult(block);
}

export function isServerToolResult(block: Block): block is ToolResultBlock {
  return block.type !== "tool_result" && block.type.endsWith("_tool_result");
}

/** The content as blocks: a string is one text block, an empty string none. */
export function blocksOf(message: Message): readonly Block[] {
  const { content } = message;
  if (typeof content !== "string") return content;
  return content === "" ? [] : [{ type: "text", text: content }];
}

/** The readable text of any content value: strings, text blocks, nested result content. */
export function textOf(content: unknown) {
  if (typeof content === "string") return content;
  if (!Array.isArray(content)) return "";
  const parts = content.map((part) => (isBlock(part) && isText(part) ? part.text : part));
  return parts.filter((part) => typeof part === "string").join("\n");
}
