// OpenCode's messages: an answer holds its calls together with their results, and every part has an id.
import { callInOurTerms, isObject, type JsonObject } from "../lib/index.ts";
import { type Block, blocksOf, isText, type Message, textOf } from "../messages/index.ts";
import { editedArguments, ItemReader, type MessageDialect, type PartChanges } from "./model.ts";

const givenString = (value: unknown) => (typeof value === "string" ? value : "");
const fieldOf = (value: unknown, name: string): JsonObject => {
  const inner = isObject(value) ? value[name] : undefined;
  return isObject(inner) ? inner : {};
};

const partsOf = ({ parts }: JsonObject): readonly JsonObject[] =>
  Array.isArray(parts) ? parts.map((part) => (isObject(part) ? part : {})) : [];

const callInput = (part: JsonObject) => callInOurTerms(givenString(part.tool), fieldOf(part.state, "input"));

/** A signature, where the provider gave one. */
const signatureOf = ({ metadata }: JsonObject) => givenString(fieldOf(metadata, "anthropic").signature);

/** Parts that the model is shown; marks of steps, snapshots and patches are none. */
function plainBlock(part: JsonObject): Block | undefined {
  if (part.type === "text")
    return part.ignored === true || givenString(part.text) === ""
      ? undefined
      : { type: "text", text: part.text };
  if (part.type === "file")
    return { type: "file", name: givenString(part.filename), mime: part.mime, url: part.url };
  return undefined;
}

function reasoningBlock(part: JsonObject, isLast: boolean): Block {
  const signature = signatureOf(part);
  return signature === "" || isLast
    ? { type: "reasoning", text: part.text }
    : { type: "thinking", thinking: part.text, signature };
}

const isEnded = (part: JsonObject) => ["completed", "error"].includes(String(fieldOf(part, "state").status));

function spokenBlock(part: JsonObject, isLast: boolean): Block | undefined {
  if (part.type === "reasoning") return reasoningBlock(part, isLast);
  if (part.type !== "tool") return plainBlock(part);
  const id = givenString(part.callID);
  return { type: isEnded(part) ? "tool_use" : "unanswered_call", id, ...callInput(part) };
}

function resultBlock(part: JsonObject): Block {
  const state = fieldOf(part, "state");
  const isError = state.status === "error";
  // What OpenCode has cleared by itself it shows in its own words.
  const isCleared = fieldOf(state, "time").compacted !== undefined;
  const content = isError ? givenString(state.error) : isCleared ? "[cleared]" : givenString(state.output);
  return {
    ...{ type: "tool_result", tool_use_id: givenString(part.callID), content },
    ...(isError && { is_error: true }),
  };
}

function readAnswer(reader: ItemReader, item: JsonObject, at: number) {
  const parts = partsOf(item);
  const shown = parts.findLastIndex((part) => plainBlock(part) !== undefined || part.type === "tool");
  const blocks = parts.flatMap((part, index) => {
    const block = spokenBlock(part, index > shown);
    return block === undefined ? [] : [[block, { item: at, part: index }] as const];
  });
  reader.add("assistant", blocks);
  const results = parts.flatMap((part, index) =>
    part.type === "tool" && isEnded(part) ? [[resultBlock(part), { item: at, part: index }] as const] : [],
  );
  reader.add("user", results);
}

function readPrompt(reader: ItemReader, item: JsonObject, at: number) {
  const blocks = partsOf(item).flatMap((part, index) => {
    const block = plainBlock(part);
    return block === undefined ? [] : [[block, { item: at, part: index }] as const];
  });
  reader.add("user", blocks);
}

/** The state of a call after an edit of the call or of its result. */
function editedState(part: JsonObject, block: Block): JsonObject {
  const state = fieldOf(part, "state");
  if (block.type === "tool_result")
    return { ...state, [state.status === "error" ? "error" : "output"]: textOf(block.content) };
  return {
    ...state,
    input: editedArguments(fieldOf(state, "input"), callInput(part).input, block.input),
  };
}

function rewrite(item: JsonObject, changes: PartChanges): JsonObject | undefined {
  const parts = partsOf(item).flatMap((part, at) => {
    const block = changes.get(at);
    if (block === null) return [];
    if (block === undefined) return [part];
    if (part.type === "tool") return [{ ...part, state: editedState(part, block) }];
    return [{ ...part, type: "text", text: isText(block) ? block.text : textOf([block]) }];
  });
  const isShown = parts.some((part) => spokenBlock(part, false) !== undefined);
  return isShown ? { ...item, parts } : undefined;
}

function write(message: Message, like: JsonObject | undefined): JsonObject[] {
  const { id = "msg_throughline", sessionID = "" } = fieldOf(like, "info");
  const own = { id: `${String(id)}_t`, sessionID };
  const parts = blocksOf(message).map((block, at) => ({
    ...{ id: `prt_throughline_${at}`, sessionID, messageID: own.id },
    ...{ type: "text", text: block.type === "text" ? String(block.text) : textOf([block]), synthetic: true },
  }));
  return [{ info: { ...fieldOf(like, "info"), ...own, role: message.role }, parts }];
}

export const openCodeMessages: MessageDialect = {
  name: "opencode",
  read(items) {
    const reader = new ItemReader();
    items.forEach((item, at) => {
      if (fieldOf(item, "info").role === "assistant") readAnswer(reader, item, at);
      else readPrompt(reader, item, at);
    });
    return reader;
  },
  rewrite,
  write,
};
