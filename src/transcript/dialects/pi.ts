// The pi coding agent's sessions: whole messages a row, in file order (older) or linked by parentId (newer).

import { defined, type JsonObject } from "../../lib/index.ts";
import { type Block, isBlock, type Message, type Usage } from "../../messages/index.ts";
import {
  contentField,
  type Dialect,
  type EntryContent,
  type Links,
  type MessageEntry,
  numberField,
  numberFields,
  objectField,
  type TranscriptEntry,
  textField,
  textFields,
  timeField,
} from "../model.ts";

const bookkeepingEntries = new Set(["model_change", "thinking_level_change", "custom", "label"]);
const knownEntries = new Set([
  ...bookkeepingEntries,
  "session",
  "session_info",
  "compaction",
  "branch_summary",
  "custom_message",
]);

export const pi: Dialect = {
  name: "pi",
  understands(row) {
    const type = textField(row, "type") ?? "";
    return knownEntries.has(type) || (type === "message" && objectField(row, "message") !== undefined);
  },
  open() {
    // Older compactions name the first kept row by its number, so the ids of all rows are kept.
    const ids: string[] = [];
    return (row, start) => {
      // Older rows carry no id; their place in an append-only file never changes.
      const id = textField(row, "id") ?? `byte-${start}`;
      const tail = textField(row, "parentId") ?? ids.at(-1);
      ids.push(id);
      const links = entryLinks(row, id);
      const type = textField(row, "type");
      if (type === "session") return [sessionEntry(row, links)];
      if (type === "compaction") return compactionEntries(row, links, ids, tail);
      return [{ ...links, ...entryContent(type, row) }];
    };
  },
};

function entryLinks(row: JsonObject, id: string): Links & { readonly id: string } {
  const parent = textField(row, "parentId") ?? (row.parentId === null ? null : undefined);
  const message = objectField(row, "message") ?? {};
  const at = timeField(row, "timestamp") ?? timeField(message, "timestamp");
  return { id, ...defined({ parent, at }) };
}

function sessionEntry(row: JsonObject, { at }: Links): TranscriptEntry {
  const version = numberField(row, "version");
  const session = {
    ...textFields(row, "cwd"),
    ...defined({ sessionId: textField(row, "id"), version: version?.toString() }),
  };
  // The header is no part of the thread: its children are roots.
  return { kind: "bookkeeping", session, ...defined({ at }) };
}

function entryContent(type: string | undefined, row: JsonObject): EntryContent {
  const message = objectField(row, "message");
  if (type === "message" && message) return entryMessage(message) ?? { kind: "unknown" };
  if (type === "branch_summary") return clientText(textField(row, "summary") ?? "");
  if (type === "custom_message") return clientText(contentField(row, "content"));
  if (type === "session_info") return { kind: "title", source: "custom", text: textField(row, "name") ?? "" };
  return { kind: type !== undefined && bookkeepingEntries.has(type) ? "bookkeeping" : "unknown" };
}

/** A compaction is one row here, and a boundary with a summary behind it everywhere else. */
function compactionEntries(
  row: JsonObject,
  links: Links & { readonly id: string },
  ids: readonly string[],
  tail: string | undefined,
): TranscriptEntry[] {
  const boundaryId = `${links.id}-boundary`;
  const firstKept = numberField(row, "firstKeptEntryIndex");
  const headUuid =
    textField(row, "firstKeptEntryId") ?? (firstKept === undefined ? undefined : ids[firstKept]);
  const segment = headUuid && tail ? { headUuid, tailUuid: tail, anchorUuid: links.id } : undefined;
  const { at } = links;
  const boundary = defined({ preTokens: numberField(row, "tokensBefore"), preservedSegment: segment });
  const message: Message = { role: "user", content: textField(row, "summary") ?? "" };
  return [
    { ...links, id: boundaryId, kind: "boundary", boundary: { kind: "compact", ...boundary } },
    { id: links.id, parent: boundaryId, ...defined({ at }), kind: "message", message, compactSummary: true },
  ];
}

function clientText(content: string | Block[]): MessageEntry {
  return { kind: "message", message: { role: "user", content }, meta: true };
}

function entryMessage(message: JsonObject): MessageEntry | undefined {
  switch (message.role) {
    case "user":
      return { kind: "message", message: { role: "user", content: blocksIn(message) } };
    case "assistant":
      return assistantContent(message);
    case "toolResult":
      return resultContent(message);
    case "bashExecution": {
      const { command = "", output = "" } = textFields(message, "command", "output");
      return clientText(`The user ran \`${command}\`:\n${output}`);
    }
    default:
      return undefined;
  }
}

function blocksIn(message: JsonObject) {
  const content = contentField(message, "content");
  return typeof content === "string" ? content : content.map(toBlock).filter(isBlock);
}

function toBlock(block: Block) {
  switch (block.type) {
    case "toolCall": {
      const { id, name } = textFields(block, "id", "name");
      if (id === undefined || name === undefined) return undefined;
      return { type: "tool_use", id, name, input: block.arguments ?? {} };
    }
    case "thinking": {
      const signature = textField(block, "thinkingSignature");
      return { type: "thinking", thinking: textField(block, "thinking") ?? "", ...defined({ signature }) };
    }
    case "image": {
      const source = { type: "base64", media_type: block.mimeType, data: block.data };
      return { type: "image", source };
    }
    default:
      return block;
  }
}

function assistantContent(message: JsonObject): MessageEntry {
  const content = blocksIn(message);
  const isSilent = typeof content !== "string" && content.every(({ type }) => type === "thinking");
  // Stopped before it said anything: as Claude Code notes it. What it thought until then leads nowhere.
  if (textField(message, "stopReason") === "aborted" && isSilent)
    return clientText("[Request interrupted by user]");
  return {
    kind: "message",
    message: { role: "assistant", content },
    response: { ...textFields(message, "model", "stopReason"), ...defined({ usage: usageOf(message) }) },
  };
}

function resultContent(message: JsonObject): MessageEntry | undefined {
  const id = textField(message, "toolCallId");
  if (id === undefined) return undefined;
  const result = { type: "tool_result", tool_use_id: id, content: blocksIn(message) };
  const isError = defined({ is_error: message.isError === true || undefined });
  return { kind: "message", message: { role: "user", content: [{ ...result, ...isError }] } };
}

function usageOf(message: JsonObject): Usage | undefined {
  const usage = objectField(message, "usage");
  if (!usage) return undefined;
  const none = { input: 0, cacheRead: 0, cacheWrite: 0, output: 0 };
  const fields = numberFields(usage, "input", "cacheRead", "cacheWrite", "output");
  const { cacheWrite: cacheWrite5m, ...rest } = { ...none, ...fields };
  return { ...rest, cacheWrite5m, cacheWrite1h: 0 };
}
