// OpenAI's Responses API: a list of items, in which words, thinking, calls and results stand beside each other.
import { isObject, type JsonObject, parseJson } from "../lib/index.ts";
import { type Block, blocksOf, isText, type Message, textOf } from "../messages/index.ts";
import { type BlockSource, ItemReader, type MessageDialect, type PartChanges } from "./model.ts";

type Placed = readonly [Block, BlockSource];

const givenString = (value: unknown) => (typeof value === "string" ? value : "");
const objects = (value: unknown): JsonObject[] =>
  Array.isArray(value) ? value.map((one) => (isObject(one) ? one : {})) : [];

const isCall = ({ type }: JsonObject) => givenString(type).endsWith("_call");
const isResult = ({ type }: JsonObject) => givenString(type).endsWith("_call_output");
const isAnswer = (item: JsonObject) => isCall(item) || item.type === "reasoning" || item.role === "assistant";

const partsOf = ({ content }: JsonObject): readonly JsonObject[] =>
  typeof content === "string" ? [{ type: "text", text: content }] : objects(content);

const textTypes = new Set(["text", "input_text", "output_text"]);

function messageBlocks(item: JsonObject, at: number): Placed[] {
  return partsOf(item).flatMap((part, index): Placed[] => {
    const isWords = textTypes.has(givenString(part.type));
    if (typeof part.type !== "string" || (isWords && givenString(part.text) === "")) return [];
    const block: Block = isWords ? { type: "text", text: part.text } : { ...part, type: part.type };
    return [[block, { item: at, part: index }]];
  });
}

function callBlock(item: JsonObject, isAnswered: boolean): Block {
  const given = item.arguments ?? item.input ?? item.action;
  const parsed = typeof given === "string" ? parseJson(given) : given;
  return {
    type: isAnswered ? "tool_use" : "unanswered_call",
    id: givenString(item.call_id),
    name: givenString(item.name) || givenString(item.type),
    input: isObject(parsed) ? parsed : { input: given },
  };
}

/** Thinking is encrypted or a summary of it: carried as it is, and never changed. */
const thinkingBlock = (item: JsonObject): Block => ({ type: "reasoning", item });

/** The items of one answer and the results that follow it. */
function readAnswer(reader: ItemReader, items: readonly JsonObject[], at: number) {
  let behind = at;
  while (items[behind] && isAnswer(items[behind] ?? {})) behind++;
  let end = behind;
  while (items[end] && isResult(items[end] ?? {})) end++;
  const answered = new Set(items.slice(behind, end).map(({ call_id }) => givenString(call_id)));
  const called = new Set<string>();
  const spoken = items.slice(at, behind).flatMap((item, index): Placed[] => {
    const source = { item: at + index, part: 0 };
    if (item.type === "reasoning") return [[thinkingBlock(item), source]];
    if (!isCall(item)) return messageBlocks(item, at + index);
    const id = givenString(item.call_id);
    const isOwn = answered.has(id) && !called.has(id);
    if (isOwn) called.add(id);
    return [[callBlock(item, isOwn), source]];
  });
  reader.add("assistant", spoken);
  const results = items.slice(behind, end).map((item, index): Placed => {
    const id = givenString(item.call_id);
    const content =
      typeof item.output === "string"
        ? item.output
        : messageBlocks({ content: item.output }, 0).map(([block]) => block);
    const type = called.delete(id) ? "tool_result" : "orphan_result";
    return [
      { type, tool_use_id: id, content },
      { item: behind + index, part: 0 },
    ];
  });
  const first = results.filter(([{ type }]) => type === "tool_result");
  reader.add("user", [...first, ...results.filter((one) => !first.includes(one))]);
  return end;
}

function rewrite(item: JsonObject, changes: PartChanges): JsonObject | undefined {
  if (isCall(item) || isResult(item) || item.type === "reasoning") {
    const block = changes.get(0);
    if (block === null) return undefined;
    if (block === undefined || item.type === "reasoning") return item;
    if (isResult(item)) return { ...item, output: textOf(block.content) };
    return typeof item.arguments === "string" ? { ...item, arguments: JSON.stringify(block.input) } : item;
  }
  const parts = partsOf(item).flatMap((part, at) => {
    const block = changes.get(at);
    if (block === null) return [];
    return block === undefined ? [part] : [{ ...part, text: isText(block) ? block.text : textOf([block]) }];
  });
  if (parts.length === 0) return undefined;
  return { ...item, content: typeof item.content === "string" ? parts[0]?.text : parts };
}

function write(message: Message): JsonObject[] {
  const kind = message.role === "assistant" ? "output_text" : "input_text";
  return blocksOf(message).map((block) => {
    if (block.type === "tool_use") {
      const { id: call_id, name, input } = block;
      return { type: "function_call", call_id, name, arguments: JSON.stringify(input) };
    }
    if (block.type === "tool_result")
      return { type: "function_call_output", call_id: block.tool_use_id, output: textOf(block.content) };
    return { type: "message", role: message.role, content: [{ type: kind, text: textOf([block]) }] };
  });
}

export const responses: MessageDialect = {
  name: "responses",
  read(items) {
    const reader = new ItemReader();
    for (let at = 0; at < items.length; ) {
      const item = items[at] ?? {};
      if (isAnswer(item)) {
        at = readAnswer(reader, items, at);
        continue;
      }
      // Instructions of the client and items that are not known stay where they are.
      if (item.role === "user") reader.add("user", messageBlocks(item, at));
      at++;
    }
    return reader;
  },
  rewrite,
  write,
};
