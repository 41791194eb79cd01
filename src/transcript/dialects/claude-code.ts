// Claude Code's transcripts, versions 2.0 to 2.1: one row per content block, linked by parentUuid.
import { defined, isObject, type JsonObject } from "../../lib/index.ts";
import { readUsage, textOf } from "../../messages/index.ts";
import type { Dialect, EntryContent, Links, ResponseFacts, SessionFacts } from "../dialect.ts";
import { contentField, numberField, objectField, textField, textsField, timeField } from "../dialect.ts";
import type { BoundaryFacts, CompactBoundary } from "../model.ts";

/** Rows that hold nothing of the conversation. */
const bookkeeping = new Set([
  "agent-color",
  "agent-name",
  "agent-setting",
  "atis-latch",
  "content-replacement",
  "continued-in",
  "cost-state",
  "file-history-snapshot",
  "last-prompt",
  "mode",
  "permission-mode",
  "pr-link",
  "progress",
  "queue-operation",
  "tag",
  "tools-used",
  "worktree-state",
]);

const contents = new Map<string, (row: JsonObject) => EntryContent>([
  ["user", userContent],
  ["assistant", assistantContent],
  ["system", systemContent],
  ["attachment", attachmentContent],
  ["custom-title", (row) => titleContent("custom", textField(row, "customTitle"))],
  ["ai-title", (row) => titleContent("ai", textField(row, "aiTitle"))],
  ["summary", (row) => titleContent("summary", textField(row, "summary"), textField(row, "leafUuid"))],
  ["marble-origami-commit", (row) => ({ kind: "boundary", boundary: collapseCommit(row) })],
  ["marble-origami-snapshot", (row) => ({ kind: "boundary", boundary: collapseSnapshot(row) })],
  ["api-request", () => ({ kind: "api-request" })],
]);

export const claudeCode: Dialect = {
  name: "claude-code",
  understands(row) {
    const type = textField(row, "type");
    if (type === undefined) return false;
    const known = contents.has(type) || bookkeeping.has(type) || type.startsWith("api-request-");
    return known || (typeof row.uuid === "string" && "parentUuid" in row);
  },
  open: () => {
    const withSummary = summaryWatch();
    return (row, start) => {
      const content = withSummary(row, contentOf(row));
      const links = linksOf(row, content);
      // A message without a uuid is still a message: its place in an append-only file never changes.
      const id = links.id ?? (content.kind === "message" ? `byte-${start}` : undefined);
      return [{ ...defined({ ...links, id }), session: sessionOf(row), ...content }];
    };
  },
};

/** A summary that a mod has made is not called one, but it follows the boundary and was made before it. */
function summaryWatch(): (row: JsonObject, content: EntryContent) => EntryContent {
  let boundary: { readonly uuid?: string; readonly at?: string } = {};
  return (row, content) => {
    const at = textField(row, "timestamp");
    if (content.kind === "boundary" && content.boundary.kind === "compact")
      boundary = defined({ uuid: textField(row, "uuid"), at });
    const { uuid, at: drawn = "" } = boundary;
    const follows = uuid !== undefined && row.parentUuid === uuid && at !== undefined && at <= drawn;
    return follows && content.kind === "message" && content.message.role === "user"
      ? { ...content, compactSummary: true }
      : content;
  };
}

function contentOf(row: JsonObject): EntryContent {
  const type = textField(row, "type") ?? "";
  const read = contents.get(type);
  if (read) return read(row);
  if (type.startsWith("api-request-")) return { kind: "api-request-part" };
  return { kind: bookkeeping.has(type) ? "bookkeeping" : "unknown" };
}

function linksOf(row: JsonObject, content: EntryContent): Links {
  // A compaction names no parent, or only a logical one, but the history before it is still this thread's.
  const continues =
    (content.kind === "boundary" && content.boundary.kind === "compact") ||
    (content.kind === "message" && content.compactSummary === true);
  const named = textField(row, "parentUuid") ?? textField(row, "logicalParentUuid");
  const root = row.parentUuid === null && !continues ? null : undefined;
  return defined({
    id: textField(row, "uuid"),
    parent: named ?? root,
    sidechain: row.isSidechain === true || undefined,
    agentId: textField(row, "agentId"),
    at: timeField(row, "timestamp"),
  });
}

function sessionOf(row: JsonObject): SessionFacts {
  return defined({
    sessionId: textField(row, "sessionId"),
    cwd: textField(row, "cwd"),
    gitBranch: textField(row, "gitBranch"),
    version: textField(row, "version"),
  });
}

function userContent(row: JsonObject): EntryContent {
  const message = objectField(row, "message");
  if (!message) return { kind: "unknown" };
  return {
    kind: "message",
    message: { role: "user", content: contentField(message, "content") },
    ...defined({
      meta: row.isMeta === true || undefined,
      compactSummary: row.isCompactSummary === true || undefined,
      broughtBy: textField(row, "sourceToolUseID"),
    }),
  };
}

function assistantContent(row: JsonObject): EntryContent {
  const message = objectField(row, "message");
  if (!message) return { kind: "unknown" };
  return {
    kind: "message",
    message: { role: "assistant", content: contentField(message, "content") },
    response: responseOf(row, message),
    ...defined({ isApiError: row.isApiErrorMessage === true || undefined }),
  };
}

function responseOf(row: JsonObject, message: JsonObject): ResponseFacts {
  const messageId = textField(message, "id");
  const requestId = textField(row, "requestId");
  // Some gateways use message ids again after a restart; the request tells such responses apart.
  const key = messageId && [messageId, requestId, textField(row, "requestRef")].join(" ");
  return defined({
    key,
    messageId,
    requestId,
    blockIndex: numberField(row, "apiBlockIndex"),
    model: textField(message, "model"),
    usage: readUsage(message.usage),
    stopReason: textField(message, "stop_reason"),
  });
}

function systemContent(row: JsonObject): EntryContent {
  const subtype = textField(row, "subtype");
  if (subtype === "compact_boundary") {
    return { kind: "boundary", boundary: compactBoundary(objectField(row, "compactMetadata") ?? {}) };
  }
  if (subtype === "microcompact_boundary") {
    return {
      kind: "boundary",
      boundary: microcompactBoundary(objectField(row, "microcompactMetadata") ?? {}),
    };
  }
  return { kind: "system" };
}

function compactBoundary(metadata: JsonObject): CompactBoundary {
  return {
    kind: "compact",
    ...defined({
      trigger: textField(metadata, "trigger"),
      preTokens: numberField(metadata, "preTokens"),
      postTokens: numberField(metadata, "postTokens"),
      preservedSegment: preservedSegment(objectField(metadata, "preservedSegment")),
      preservedMessages: preservedMessages(objectField(metadata, "preservedMessages")),
    }),
  };
}

function preservedSegment(segment: JsonObject | undefined): CompactBoundary["preservedSegment"] {
  const headUuid = segment && textField(segment, "headUuid");
  const tailUuid = segment && textField(segment, "tailUuid");
  if (!segment || !headUuid || !tailUuid) return undefined;
  return defined({ headUuid, tailUuid, anchorUuid: textField(segment, "anchorUuid") });
}

function preservedMessages(messages: JsonObject | undefined): CompactBoundary["preservedMessages"] {
  if (!messages) return undefined;
  const uuids = [...new Set([...textsField(messages, "uuids"), ...textsField(messages, "allUuids")])];
  return uuids.length === 0 ? undefined : defined({ uuids, anchorUuid: textField(messages, "anchorUuid") });
}

function microcompactBoundary(metadata: JsonObject): BoundaryFacts {
  return {
    kind: "microcompact",
    compactedToolIds: textsField(metadata, "compactedToolIds"),
    clearedAttachmentUuids: textsField(metadata, "clearedAttachmentUUIDs"),
    ...defined({
      trigger: textField(metadata, "trigger"),
      preTokens: numberField(metadata, "preTokens"),
      tokensSaved: numberField(metadata, "tokensSaved"),
    }),
  };
}

function collapseCommit(row: JsonObject): BoundaryFacts {
  return {
    kind: "collapse-commit",
    ...defined({
      collapseId: textField(row, "collapseId"),
      summaryUuid: textField(row, "summaryUuid"),
      summaryContent: textField(row, "summaryContent"),
      firstArchivedUuid: textField(row, "firstArchivedUuid"),
      lastArchivedUuid: textField(row, "lastArchivedUuid"),
    }),
  };
}

function collapseSnapshot(row: JsonObject): BoundaryFacts {
  const spans = row.spans ?? row.staged;
  return {
    kind: "collapse-snapshot",
    spans: Array.isArray(spans) ? spans : [],
    armed: row.armed === true,
    ...defined({ lastSpawnTokens: numberField(row, "lastSpawnTokens") }),
  };
}

function attachmentContent(row: JsonObject): EntryContent {
  const attachment = objectField(row, "attachment");
  const rendered = Array.isArray(row.rendered) ? row.rendered : [];
  const shown = rendered
    .filter(isObject)
    .map((part) => textOf(part.content))
    .filter((text) => text !== "");
  return {
    kind: "attachment",
    type: (attachment && textField(attachment, "type")) ?? "unknown",
    ...defined({
      text: shown.length === 0 ? undefined : shown.join("\n"),
      role: textField(row, "renderedRole"),
    }),
  };
}

function titleContent(source: "custom" | "ai" | "summary", text = "", leaf?: string): EntryContent {
  return { kind: "title", source, text, ...defined({ leaf }) };
}
