// Puts a streamed message of the Messages API together again, block by block; events it does not know pass by.
import { isObject, type JsonObject, parseJson } from "../../lib/index.ts";
import { type Block, isBlock, readUsage, textOf } from "../../messages/index.ts";
import type { ModelReply } from "../model.ts";

interface Growing {
  block: Block;
  json: string;
}

/** Collects events; `reply` is there once the stream has said that it is complete. */
export class MessageStream {
  readonly #blocks: Growing[] = [];
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
      const growing = this.#blocks[Number(event.index)];
      if (growing) grow(growing, event.delta);
    } else if (event.type === "message_delta") this.#end(event);
    else if (event.type === "message_stop") this.#complete = true;
  }

  #start(message: JsonObject): void {
    this.#message = message;
    if (isObject(message.usage)) this.#usage = message.usage;
  }

  #end(event: JsonObject): void {
    if (isObject(event.delta)) this.#stopReason = event.delta.stop_reason;
    // Counts here are of the whole message; those that do not apply are left out.
    if (isObject(event.usage))
      this.#usage = {
        ...this.#usage,
        ...Object.fromEntries(Object.entries(event.usage).filter(([, value]) => value !== null)),
      };
  }

  reply(askedFor: string): ModelReply | undefined {
    if (!this.#complete) return undefined;
    const blocks = this.#blocks.map(finished);
    const usage = readUsage(this.#usage);
    return {
      text: textOf(blocks),
      blocks,
      model: typeof this.#message.model === "string" ? this.#message.model : askedFor,
      ...(usage === undefined ? {} : { usage }),
      ...(typeof this.#stopReason === "string" ? { stopReason: this.#stopReason } : {}),
    };
  }
}

const joined = (block: Block, key: string, more: unknown): Block => ({
  ...block,
  [key]: `${String(block[key] ?? "")}${String(more ?? "")}`,
});

function grow(growing: Growing, { type, ...delta }: JsonObject): void {
  const { block } = growing;
  if (type === "text_delta") growing.block = joined(block, "text", delta.text);
  else if (type === "thinking_delta") growing.block = joined(block, "thinking", delta.thinking);
  else if (type === "input_json_delta") growing.json += String(delta.partial_json ?? "");
  // The rest carries whole values: a signature, the content of a compaction.
  else if (type === "signature_delta" || type === "compaction_delta") growing.block = { ...block, ...delta };
}

function finished({ block, json }: Growing): Block {
  return json === "" ? block : { ...block, input: parseJson(json) ?? {} };
}
