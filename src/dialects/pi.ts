// Messages of pi and of agents built on it: whole messages with a role, results of tools as messages of their own.
import { callInOurTerms, isObject, type JsonObject } from "../lib/index.ts";
import { type Block, blocksOf, isText, type Message, textOf } from "../messages/index.ts";
import {
  type BlockSource,
  editedArguments,
  ItemReader,
  type MessageDialect,
  type PartChanges,
} from "./model.ts";

const givenString = (value: unknown) => (typeof value === "string" ? value : "");

const partsOf = ({ content }: JsonObject): readonly unknown[] =>
  typeof content === "string" ? [{ type: "text", text: content }] : Array.isArray(content) ? content : [];

function imageBlock({ mimeType, data }: JsonObject): Block {
  return { type: "image", source: { type: "base64", media_type: mimeType, data } };
}

/** A part that users and tools write: text or an image; empty texts are no blocks. */
function plainBlock(part: unknown): Block | undefined {
  if (!isObject(part) || typeof part.type !== "string") return undefined;
  if (part.type === "text")
    return givenString(part.text) === "" ? undefined : { type: "text", text: part.text };
  return part.type === "image" ? imageBlock(part) : { ...part, type: part.type };
}

const callInput = (part: JsonObject) =>
  callInOurTerms(givenString(part.name), isObject(part.arguments) ? part.arguments : {});

/** Part of an answer. Thinking without a signature, or behind which nothing comes, is carried as it is. */
function spokenBlock(part: unknown, isLast: boolean, answered: ReadonlySet<string>): Block | undefined {
  if (!isObject(part)) return undefined;
  if (part.type === "toolCall") {
    const id = givenString(part.id);
    return answered.has(id)
      ? { type: "tool_use", id, ...callInput(part) }
      : { type: "unanswered_call", id, ...callInput(part) };
  }
  if (part.type !== "thinking") return plainBlock(part);
  const { thinking, thinkingSignature: signature } = part;
  return isLast || givenString(signature) === ""
    ? { type: "reasoning", text: thinking }
    : { type: "thinking", thinking, signature };
}

/** Texts that the agent makes of its own messages for the model. */
function clientText(item: JsonObject): string | undefined {
  if (item.role === "bashExecution")
    return item.excludeFromContext === true
      ? undefined
      : `Ran \`${givenString(item.command)}\`\n${givenString(item.output)}`;
  if (item.role === "branchSummary" || item.role === "compactionSummary") return givenString(item.summary);
  return undefined;
}

/** The results that stand directly behind an answer, by the call that they answer. */
function resultsBehind(items: readonly JsonObject[], at: number) {
  let end = at + 1;
  while (items[end]?.role === "toolResult") end++;
  const results = items.slice(at + 1, end);
  return { end, ids: new Set(results.map(({ toolCallId }) => givenString(toolCallId))) };
}

function resultBlock(item: JsonObject): Block {
  const content = partsOf(item).flatMap((part) => plainBlock(part) ?? []);
  return {
    ...{ type: "tool_result", tool_use_id: givenString(item.toolCallId), content },
    ...(item.isError === true && { is_error: true }),
  };
}

type Placed = readonly [Block, BlockSource];

function readAnswer(reader: ItemReader, items: readonly JsonObject[], at: number) {
  const item = items[at] ?? {};
  const { end, ids } = resultsBehind(items, at);
  const parts = partsOf(item);
  const called = new Set<string>();
  const blocks = parts.flatMap((part, index): Placed[] => {
    const block = spokenBlock(part, index === parts.length - 1, ids);
    if (block?.type === "tool_use") called.add(String(block.id));
    return block === undefined ? [] : [[block, { item: at, part: index }]];
  });
  reader.add("assistant", blocks);
  const results = items.slice(at + 1, end).map((result, index): Placed => {
    const block = resultBlock(result);
    const isOwn = called.delete(String(block.tool_use_id));
    return [isOwn ? block : { ...block, type: "orphan_result" }, { item: at + 1 + index, part: 0 }];
  });
  // The API wants results before everything else.
  const first = results.filter(([{ type }]) => type === "tool_result");
  reader.add("user", [...first, ...results.filter((one) => !first.includes(one))]);
  return end;
}

function readUser(reader: ItemReader, item: JsonObject, at: number) {
  const text = clientText(item);
  if (text !== undefined) {
    if (text !== "")
      reader.add("user", [
        [
          { type: "text", text },
          { item: at, part: 0 },
        ],
      ]);
    return;
  }
  if (item.role !== "user" && item.role !== "custom" && item.role !== "toolResult") return;
  const blocks = partsOf(item).flatMap((part, index): Placed[] => {
    const block = plainBlock(part);
    return block === undefined ? [] : [[block, { item: at, part: index }]];
  });
  reader.add("user", blocks);
}

/** Our content as parts of pi's. */
function partsFrom(content: unknown): JsonObject[] {
  if (typeof content === "string") return [{ type: "text", text: content }];
  return (Array.isArray(content) ? content : []).filter(isObject).map((block) => {
    const source = isObject(block.source) ? block.source : {};
    return block.type === "image"
      ? { type: "image", data: source.data, mimeType: source.media_type }
      : { type: "text", text: textOf([block as Block]) };
  });
}

function rewrittenPart(part: unknown, block: Block): unknown {
  if (!isObject(part)) return part;
  if (part.type === "toolCall") {
    const args = isObject(part.arguments) ? part.arguments : {};
    return { ...part, arguments: editedArguments(args, callInput(part).input, block.input) };
  }
  return part.type === "text" && isText(block) ? { ...part, text: block.text } : partsFrom([block])[0];
}

function rewrite(item: JsonObject, changes: PartChanges): JsonObject | undefined {
  if (item.role === "toolResult") {
    const block = changes.get(0);
    if (block === null) return undefined;
    return block ? { ...item, content: partsFrom(block.content) } : item;
  }
  if (clientText(item) !== undefined) {
    const block = changes.get(0);
    return block ? { role: "user", content: partsFrom([block]), timestamp: item.timestamp } : undefined;
  }
  const content = partsOf(item).flatMap((part, at) => {
    const block = changes.get(at);
    return block === null ? [] : [block === undefined ? part : rewrittenPart(part, block)];
  });
  // What is left of an answer whose shown parts are gone was never shown: empty texts.
  const isLeft = content.some((part) => !isObject(part) || part.type !== "text" || part.text !== "");
  return isLeft ? { ...item, content } : undefined;
}

const zeroUsage = {
  ...{ input: 0, output: 0, cacheRead: 0, cacheWrite: 0, totalTokens: 0 },
  cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 },
};

function write(message: Message, like: JsonObject | undefined): JsonObject[] {
  const blocks = blocksOf(message);
  const timestamp = like?.timestamp ?? 0;
  if (message.role === "assistant") {
    const { api = "", provider = "", model = "" } = like ?? {};
    const content = blocks.map((block) =>
      block.type === "tool_use"
        ? { type: "toolCall", id: block.id, name: block.name, arguments: block.input }
        : { type: "text", text: textOf([block]) },
    );
    const about = { api, provider, model, usage: zeroUsage, stopReason: "stop", timestamp };
    return [{ role: "assistant", content, ...about }];
  }
  const results = blocks.filter(({ type }) => type === "tool_result");
  const others = blocks.filter(({ type }) => type !== "tool_result");
  return [
    ...results.map((block) => ({
      ...{ role: "toolResult", toolCallId: block.tool_use_id, toolName: "" },
      ...{ content: partsFrom(block.content), isError: block.is_error === true, timestamp },
    })),
    ...(others.length === 0 ? [] : [{ role: "user", content: partsFrom(others), timestamp }]),
  ];
}

export const piMessages: MessageDialect = {
  name: "pi",
  read(items) {
    const reader = new ItemReader();
    for (let at = 0; at < items.length; ) {
      const item = items[at] ?? {};
      if (item.role === "assistant") at = readAnswer(reader, items, at);
      else {
        readUser(reader, item, at);
        at++;
      }
    }
    return reader;
  },
  rewrite,
  write,
};
