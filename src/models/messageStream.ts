// The wire form of the Messages API: the body of a request, and a message assembled from its stream of events.
import { defined, isObject, type JsonObject, parseJson } from "../lib/index.ts";
import { type Block, isBlock, readUsage, textOf } from "../messages/index.ts";
import type { ModelReply, ModelRequest } from "./model.ts";

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

/** A block under construction, with the JSON of its input so far. */
type PartialBlock = { block: Block; json: string };

interface AssembledMessage {
  readonly content: readonly Block[];
  readonly usage: JsonObject;
  /** What the API did with the context before it answered, where it did anything. */
  readonly context_management?: JsonObject;
}

/** Collects events; there is a `message` and a `reply` once the stream has reported its end. */
export class MessageAssembler {
  readonly #blocks: PartialBlock[] = [];
  #message: JsonObject = {};
  #usage: JsonObject = {};
  #stopReason: unknown;
  #management: JsonObject | undefined;
  #complete = false;

  add(event: unknown) {
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
    if (isObject(event.context_management)) this.#management = event.context_management;
    // These counts are of the whole message; null ones do not apply.
    if (isObject(event.usage))
      this.#usage = {
        ...this.#usage,
        ...Object.fromEntries(Object.entries(event.usage).filter(([, value]) => value !== null)),
      };
  }

  /** The response as the API gives it without streaming; undefined before the stream's end. */
  message(): AssembledMessage | undefined {
    if (!this.#complete) return undefined;
    return {
      content: this.#blocks.map(({ block, json }) =>
        json === "" ? block : { ...block, input: parseJson(json) ?? {} },
      ),
      usage: this.#usage,
      ...defined({ context_management: this.#management }),
    };
  }

  reply(askedFor: string): ModelReply | undefined {
    const { content: blocks } = this.message() ?? {};
    if (!blocks) return undefined;
    return defined({
      text: textOf(blocks),
      blocks,
      model: typeof this.#message.model === "string" ? this.#message.model : askedFor,
      usage: readUsage(this.#usage),
      stopReason: typeof this.#stopReason === "string" ? this.#stopReason : undefined,
    });
  }
}

const withAppended = (block: Block, key: string, more: unknown): Block => ({
  ...block,
  [key]: `${String(block[key] ?? "")}${String(more ?? "")}`,
});

function append(partial: PartialBlock, { type, ...delta }: JsonObject) {
  const { block } = partial;
  if (type === "text_delta") partial.block = withAppended(block, "text", delta.text);
  else if (type === "thinking_delta") partial.block = withAppended(block, "thinking", delta.thinking);
  else if (type === "input_json_delta") partial.json += String(delta.partial_json ?? "");
  // The others carry whole values: a signature, the content of a compaction.
  else if (type === "signature_delta" || type === "compaction_delta") partial.block = { ...block, ...delta };
}
