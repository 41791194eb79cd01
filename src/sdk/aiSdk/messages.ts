// Messages of the Vercel AI SDK as messages of the Messages API, and back. What was not edited comes back as it was.
import { defined, isObject, type JsonObject } from "../../lib/index.ts";
import {
  type Block,
  blocksOf,
  isText,
  isThinking,
  isToolUse,
  type Message,
  textOf,
} from "../../messages/index.ts";
import type { ClientMessage } from "../../pipeline/index.ts";

/** A message of the AI SDK: of a prompt that reaches a model, or of a program that calls `generateText`. */
export interface AiMessage {
  readonly role: "system" | "user" | "assistant" | "tool";
  readonly content: string | readonly object[];
  readonly providerOptions?: object | undefined;
}

/** The part that a block was made of. It survives a spread, and no digest, count or file sees it. */
const PART = Symbol("throughline.part");
const OPTIONS = Symbol("throughline.providerOptions");
type Marked = { [PART]?: JsonObject; [OPTIONS]?: object };

/** Messages of the AI SDK in the form of the Messages API. */
export interface FromAi {
  readonly system: string | undefined;
  readonly messages: readonly Message[];
}

/** System messages before the conversation are its system prompt; any other stays where it is. */
export function fromModelMessages(given: readonly AiMessage[]): FromAi {
  const start = given.findIndex(({ role }) => role !== "system");
  const system = given.slice(0, start < 0 ? given.length : start).map(({ content }) => textOf(content));
  return {
    system: system.length === 0 ? undefined : system.join("\n\n"),
    messages: start < 0 ? [] : given.slice(start).map(messageFrom),
  };
}

const knownMessages = new WeakMap<AiMessage, { readonly content: unknown; readonly message: Message }>();

/** The same object for the same message, so that a conversation that only grew is recognised. */
function messageFrom(given: AiMessage) {
  const known = knownMessages.get(given);
  if (known?.content === given.content) return known.message;
  const { role, content, providerOptions } = given;
  const parts: readonly object[] = typeof content === "string" ? [{ type: "text", text: content }] : content;
  const message: Message & Marked = {
    role: role === "tool" ? "user" : role,
    content: role === "system" ? textOf(content) : parts.filter(isObject).map(blockFrom),
    ...(providerOptions && { [OPTIONS]: providerOptions }),
  };
  knownMessages.set(given, { content, message });
  return message;
}

function blockFrom(part: JsonObject): Block {
  return { ...bareBlock(part), [PART]: part } as Block;
}

function bareBlock(part: JsonObject): Block {
  const { type } = part;
  if (type === "text") return { type, text: String(part.text) };
  if (type === "reasoning") return thinkingFrom(part);
  if (type === "tool-call")
    return { type: "tool_use", id: part.toolCallId, name: part.toolName, input: part.input };
  if (type === "tool-result") return resultFrom(part);
  if (type === "file" || type === "image") return fileFrom(part);
  return { type: `ai-${String(type)}` };
}

/** Only signed reasoning is thinking of the Messages API; any other passes as a block that nothing touches. */
function thinkingFrom({ text, providerOptions, providerMetadata }: JsonObject): Block {
  const { anthropic } = isObject(providerOptions)
    ? providerOptions
    : isObject(providerMetadata)
      ? providerMetadata
      : {};
  const { signature, redactedData } = isObject(anthropic) ? anthropic : ({} as JsonObject);
  if (typeof redactedData === "string") return { type: "redacted_thinking", data: redactedData };
  return typeof signature === "string"
    ? { type: "thinking", thinking: String(text), signature }
    : { type: "ai-reasoning", text };
}

function resultFrom({ toolCallId, output }: JsonObject): Block {
  const { type, value, reason } = isObject(output) ? output : ({} as JsonObject);
  const isError = typeof type === "string" && (type.startsWith("error") || type === "execution-denied");
  return {
    type: "tool_result",
    tool_use_id: toolCallId,
    content:
      type === "content" ? contentFrom(value) : typeof value === "string" ? value : shown(value ?? reason),
    ...(isError && { is_error: true }),
  };
}

const shown = (value: unknown) => (value === undefined ? "" : JSON.stringify(value));

const contentFrom = (value: unknown): Block[] =>
  Array.isArray(value) ? value.filter(isObject).map(blockFrom) : [];

function fileFrom({ data, image, mediaType }: JsonObject): Block {
  const source = data ?? image;
  const inner =
    isObject(source) && !(source instanceof Uint8Array) && "data" in source ? source.data : source;
  const type = String(mediaType ?? "image").startsWith("image") ? "image" : "document";
  return {
    type,
    source: {
      type: "base64",
      media_type: mediaType ?? "image/png",
      data: inner instanceof Uint8Array ? Buffer.from(inner).toString("base64") : String(inner),
    },
  };
}

/**
 * Messages for a prompt of the AI SDK, or for `generateText` and `streamText`. `ModelMessage` of the installed version is
 * taken from where they go: `const messages: ModelMessage[] = toModelMessages(context.history())`.
 */
export function toModelMessages<ModelMessage = AiMessage>(
  messages: readonly ClientMessage[],
): ModelMessage[] {
  const names = new Map<string, string>();
  const converted = (messages as readonly Message[]).flatMap((message) => {
    for (const block of blocksOf(message)) if (isToolUse(block)) names.set(block.id, block.name);
    return modelMessages(message, names);
  });
  return converted as unknown as ModelMessage[];
}

function modelMessages(message: Message & Marked, names: ReadonlyMap<string, string>): AiMessage[] {
  const options = defined({ providerOptions: message[OPTIONS] });
  if (message.role === "system") return [{ role: "system", content: textOf(message.content), ...options }];
  const blocks = blocksOf(message);
  if (message.role === "assistant")
    return [{ role: "assistant", content: blocks.map((block) => partOf(block, names)), ...options }];
  const results = blocks.filter(({ type }) => type === "tool_result");
  const others = blocks.filter(({ type }) => type !== "tool_result");
  const inRole = (role: "tool" | "user", some: readonly Block[]): AiMessage[] =>
    some.length === 0 ? [] : [{ role, content: some.map((block) => partOf(block, names)), ...options }];
  return [...inRole("tool", results), ...inRole("user", others)];
}

/** The part that a block came as, unless it was edited since. */
function partOf(block: Block & Marked, names: ReadonlyMap<string, string>): object {
  const given = block[PART];
  const part = given && isUnchanged(block, given) ? given : newPart(block, given, names);
  return block.cache_control === undefined ? part : withCacheControl(part, block.cache_control);
}

function isUnchanged(block: Block, part: JsonObject) {
  if (part.type === "text") return block.text === part.text;
  if (part.type !== "tool-result") return true;
  return JSON.stringify(block.content) === JSON.stringify(resultFrom(part).content);
}

function newPart(
  block: Block,
  given: JsonObject | undefined,
  names: ReadonlyMap<string, string>,
): JsonObject {
  if (isText(block)) return { ...given, type: "text", text: block.text };
  if (block.type === "tool_use")
    return { type: "tool-call", toolCallId: block.id, toolName: block.name, input: block.input };
  if (block.type === "tool_result") return resultPart(block, given, names);
  if (isThinking(block)) return reasoningPart(block);
  if ((block.type === "image" || block.type === "document") && isObject(block.source))
    return {
      type: "file",
      mediaType: block.source.media_type,
      data: block.source.data,
    };
  return { type: "text", text: textOf([block]) };
}

function resultPart(
  block: Block,
  given: JsonObject | undefined,
  names: ReadonlyMap<string, string>,
): JsonObject {
  const toolCallId = String(block.tool_use_id);
  const type = block.is_error === true ? "error-text" : "text";
  const toolName = given?.toolName ?? names.get(toolCallId) ?? "tool";
  return {
    ...given,
    type: "tool-result",
    toolCallId,
    toolName,
    output: { type, value: textOf(block.content) },
  };
}

function reasoningPart(block: Block): JsonObject {
  const anthropic =
    block.type === "redacted_thinking" ? { redactedData: block.data } : { signature: block.signature };
  return { type: "reasoning", text: String(block.thinking ?? ""), providerOptions: { anthropic } };
}

function withCacheControl(part: JsonObject, cacheControl: unknown): JsonObject {
  const options = isObject(part.providerOptions) ? part.providerOptions : {};
  const anthropic = isObject(options.anthropic) ? options.anthropic : {};
  return { ...part, providerOptions: { ...options, anthropic: { ...anthropic, cacheControl } } };
}
