// OpenAI's chat completions: calls beside the words of an answer, results as messages of the role `tool`.
import { isObject, type JsonObject, parseJson } from "../lib/index.ts";
import { type Block, blocksOf, isText, type Message, textOf } from "../messages/index.ts";
import { type BlockSource, ItemReader, type MessageDialect, type PartChanges } from "./model.ts";

type Placed = readonly [Block, BlockSource];

const givenString = (value: unknown) => (typeof value === "string" ? value : "");
const objects = (value: unknown): JsonObject[] =>
  Array.isArray(value) ? value.map((one) => (isObject(one) ? one : {})) : [];

/** Behind the parts of the content: the calls, by their place in `tool_calls`. */
const contentParts = ({ content }: JsonObject): readonly JsonObject[] =>
  typeof content === "string" ? [{ type: "text", text: content }] : objects(content);

function contentBlocks(item: JsonObject, at: number): Placed[] {
  return contentParts(item).flatMap((part, index): Placed[] => {
    if (typeof part.type !== "string" || (part.type === "text" && givenString(part.text) === "")) return [];
    const block: Block =
      part.type === "text" ? { type: "text", text: part.text } : { ...part, type: part.type };
    return [[block, { item: at, part: index }]];
  });
}

const functionOf = (call: JsonObject): JsonObject => (isObject(call.function) ? call.function : {});

function callBlock(call: JsonObject, answered: ReadonlySet<string>): Block {
  const { name, arguments: given } = functionOf(call);
  const parsed = parseJson(givenString(given));
  const input = isObject(parsed) ? parsed : { arguments: given };
  const type = answered.has(givenString(call.id)) ? "tool_use" : "unanswered_call";
  return { type, id: givenString(call.id), name: givenString(name), input };
}

/** Calls stand behind the content. */
const partOfCall = (item: JsonObject, index: number) => contentParts(item).length + index;

function readAnswer(reader: ItemReader, items: readonly JsonObject[], at: number) {
  const item = items[at] ?? {};
  let end = at + 1;
  while (items[end]?.role === "tool") end++;
  const results = items.slice(at + 1, end);
  const answered = new Set(results.map(({ tool_call_id }) => givenString(tool_call_id)));
  const called = new Set<string>();
  const calls = objects(item.tool_calls).map((call, index): Placed => {
    const block = callBlock(call, answered);
    if (block.type === "tool_use") called.add(String(block.id));
    return [block, { item: at, part: partOfCall(item, index) }];
  });
  reader.add("assistant", [...contentBlocks(item, at), ...calls]);
  const placed = results.map((result, index): Placed => {
    const id = givenString(result.tool_call_id);
    const type = called.delete(id) ? "tool_result" : "orphan_result";
    const content = contentBlocks(result, 0).map(([block]) => block);
    return [
      { type, tool_use_id: id, content },
      { item: at + 1 + index, part: 0 },
    ];
  });
  const first = placed.filter(([{ type }]) => type === "tool_result");
  reader.add("user", [...first, ...placed.filter((one) => !first.includes(one))]);
  return end;
}

function editedContent(item: JsonObject, changes: PartChanges): unknown {
  const parts = contentParts(item).flatMap((part, at) => {
    const block = changes.get(at);
    if (block === null) return [];
    return block === undefined
      ? [part]
      : [{ type: "text", text: isText(block) ? block.text : textOf([block]) }];
  });
  if (typeof item.content !== "string") return item.content === undefined ? undefined : parts;
  return parts.length === 0 ? null : parts[0]?.text;
}

function editedCalls(item: JsonObject, changes: PartChanges) {
  return objects(item.tool_calls).flatMap((call, index) => {
    const block = changes.get(partOfCall(item, index));
    if (block === null) return [];
    if (block === undefined) return [call];
    return [{ ...call, function: { ...functionOf(call), arguments: JSON.stringify(block.input) } }];
  });
}

function rewrite(item: JsonObject, changes: PartChanges): JsonObject | undefined {
  if (item.role === "tool") {
    const block = changes.get(0);
    if (block === null) return undefined;
    return block ? { ...item, content: textOf(block.content) } : item;
  }
  const { content: _content, tool_calls: _calls, ...rest } = item;
  const content = editedContent(item, changes);
  const calls = editedCalls(item, changes);
  const isEmpty =
    content === null || content === undefined || (Array.isArray(content) && content.length === 0);
  if (isEmpty && calls.length === 0) return undefined;
  return {
    ...rest,
    ...("content" in item && { content: isEmpty ? null : content }),
    ...(calls.length > 0 && { tool_calls: calls }),
  };
}

function write(message: Message): JsonObject[] {
  const blocks = blocksOf(message);
  const texts = blocks.filter(isText).map(({ text }) => text);
  const calls = blocks.flatMap((block) =>
    block.type === "tool_use"
      ? [
          {
            ...{ id: block.id, type: "function" },
            function: { name: block.name, arguments: JSON.stringify(block.input) },
          },
        ]
      : [],
  );
  if (message.role !== "user")
    return [
      {
        role: message.role,
        content: texts.length === 0 ? null : texts.join("\n"),
        ...(calls.length > 0 && { tool_calls: calls }),
      },
    ];
  const results = blocks.flatMap((block) =>
    block.type === "tool_result"
      ? [{ role: "tool", tool_call_id: block.tool_use_id, content: textOf(block.content) }]
      : [],
  );
  return [...results, ...(texts.length === 0 ? [] : [{ role: "user", content: texts.join("\n") }])];
}

export const chatCompletions: MessageDialect = {
  name: "chat-completions",
  read(items) {
    const reader = new ItemReader();
    for (let at = 0; at < items.length; ) {
      const item = items[at] ?? {};
      if (item.role === "assistant") {
        at = readAnswer(reader, items, at);
        continue;
      }
      // Instructions of the client stay where they are; a result without its call says what it says.
      if (item.role === "user" || item.role === "tool") reader.add("user", contentBlocks(item, at));
      at++;
    }
    return reader;
  },
  rewrite,
  write,
};
