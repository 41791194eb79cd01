// Claude Code's transcripts, versions 2.0 to 2.1: one row per content block, linked by parentUuid.
import { defined, isObject, type JsonObject } from "../../lib/index.ts";
import { readUsage, textOf } from "../../messages/index.ts";
import {
  type BoundaryFacts,
  type CompactBoundary,
  contentField,
  type Dialect,
  type EntryContent,
  type Links,
  numberField,
  numberFields,
  objectField,
  type ResponseFacts,
  type SessionFacts,
  textField,
  textFields,
  textsField,
  timeField,
} from "../model.ts";

/** Rows that hold nothing of the conversation. */
const bookkeepingRows = new Set([
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

const boundary = (facts: BoundaryFacts): EntryContent => ({ kind: "boundary", boundary: facts });

const contents = new Map<string, (row: JsonObject) => EntryContent>([
  ["user", (row) => rowMessage("user", row)],
  ["assistant", (row) => rowMessage("assistant", row)],
  ["system", systemContent],
  ["attachment", attachmentContent],
  ["custom-title", (row) => titleContent("custom", textField(row, "customTitle"))],
  ["ai-title", (row) => titleContent("ai", textField(row, "aiTitle"))],
  ["summary", (row) => titleContent("summary", textField(row, "summary"), textField(row, "leafUuid"))],
  ["marble-origami-commit", (row) => boundary(collapseCommit(row))],
  ["marble-origami-snapshot", (row) => boundary(collapseSnapshot(row))],
  ["api-request", () => ({ kind: "api-request" })],
]);

export const claudeCode: Dialect = {
  name: "claude-code",
  understands(row) {
    const type = textField(row, "type");
    if (type === undefined) return false;
    const known = contents.has(type) || bookkeepingRows.has(type) || type.startsWith("api-request-");
    return known || (typeof row.uuid === "string" && "parentUuid" in row);
  },
  open: () => {
    const withSummary = summaryDetector();
    return (row, start) => {
      const content = withSummary(row, rowContent(row));
      const links = rowLinks(row, content);
      // A message without a uuid is still a message: its place in an append-only file never changes.
      const id = links.id ?? (content.kind === "message" ? `byte-${start}` : undefined);
      return [{ ...defined({ ...links, id }), session: sessionFacts(row), ...content }];
    };
  },
};

const isCompactBoundary = (content: EntryContent) =>
  content.kind === "boundary" && content.boundary.kind === "compact";

/** A summary that a mod has made is not called one, but it follows the boundary and was made before it. */
function summaryDetector() {
  let last: { readonly uuid?: string; readonly timestamp?: string } = {};
  return (row: JsonObject, content: EntryContent) => {
    if (isCompactBoundary(content)) last = textFields(row, "uuid", "timestamp");
    const at = textField(row, "timestamp");
    const { uuid, timestamp: compactedAt = "" } = last;
    const follows = uuid !== undefined && row.parentUuid === uuid && at !== undefined && at <= compactedAt;
    return follows && content.kind === "message" && content.message.role === "user"
      ? { ...content, compactSummary: true }
      : content;
  };
}

function rowContent(row: JsonObject): EntryContent {
  const type = textField(row, "type") ?? "";
  const read = contents.get(type);
  if (read) return read(row);
  if (type.startsWith("api-request-")) return { kind: "api-request-part" };
  return { kind: bookkeepingRows.has(type) ? "bookkeeping" : "unknown" };
}

function rowLinks(row: JsonObject, content: EntryContent): Links {
  // A compaction names no parent, or only a logical one, but the history before it is still this thread's.
  const continues =
    isCompactBoundary(content) || (content.kind === "message" && content.compactSummary === true);
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

function sessionFacts(row: JsonObject): SessionFacts {
  return textFields(row, "sessionId", "cwd", "gitBranch", "version");
}

function rowMessage(role: "user" | "assistant", row: JsonObject): EntryContent {
  const message = objectField(row, "message");
  if (!message) return { kind: "unknown" };
  const flag = (key: string) => row[key] === true || undefined;
  const facts =
    role === "user"
      ? {
          meta: flag("isMeta"),
          compactSummary: flag("isCompactSummary"),
          broughtBy: textField(row, "sourceToolUseID"),
        }
      : { response: responseOf(row, message), isApiError: flag("isApiErrorMessage") };
  return {
    kind: "message",
    message: { role, content: contentField(message, "content") },
    ...defined(facts),
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
  const metadata = (key: string) => objectField(row, key) ?? {};
  if (row.subtype === "compact_boundary") return boundary(compactBoundary(metadata("compactMetadata")));
  if (row.subtype === "microcompact_boundary")
    return boundary(microcompactBoundary(metadata("microcompactMetadata")));
  const removedUuids = textsField(metadata("snipMetadata"), "removedUuids");
  if (removedUuids.length > 0) return boundary({ kind: "snip", removedUuids });
  return { kind: "system" };
}

function compactBoundary(metadata: JsonObject): CompactBoundary {
  return {
    kind: "compact",
    ...textFields(metadata, "trigger"),
    ...numberFields(metadata, "preTokens", "postTokens"),
    ...defined({
      preservedSegment: recordedSegment(objectField(metadata, "preservedSegment")),
      preservedMessages: preservedMessages(objectField(metadata, "preservedMessages")),
    }),
  };
}

function recordedSegment(segment: JsonObject | undefined): CompactBoundary["preservedSegment"] {
  const { headUuid, tailUuid, ...rest } = textFields(segment ?? {}, "headUuid", "tailUuid", "anchorUuid");
  return headUuid && tailUuid ? { headUuid, tailUuid, ...rest } : undefined;
}

function preservedMessages(messages: JsonObject | undefined): CompactBoundary["preservedMessages"] {
  if (!messages) return undefined;
  const uuids = [...new Set([...textsField(messages, "uuids"), ...textsField(messages, "allUuids")])];
  return uuids.length === 0 ? undefined : { uuids, ...textFields(messages, "anchorUuid") };
}

function microcompactBoundary(metadata: JsonObject): BoundaryFacts {
  return {
    kind: "microcompact",
    compactedToolIds: textsField(metadata, "compactedToolIds"),
    clearedAttachmentUuids: textsField(metadata, "clearedAttachmentUUIDs"),
    ...textFields(metadata, "trigger"),
    ...numberFields(metadata, "preTokens", "tokensSaved"),
  };
}

function collapseCommit(row: JsonObject): BoundaryFacts {
  return {
    kind: "collapse-commit",
    ...textFields(
      row,
      "collapseId",
      "summaryUuid",
      "summaryContent",
      "firstArchivedUuid",
      "lastArchivedUuid",
    ),
  };
}

function collapseSnapshot(row: JsonObject): BoundaryFacts {
  const spans = row.spans ?? row.staged;
  return {
    kind: "collapse-snapshot",
    spans: Array.isArray(spans) ? spans : [],
    armed: row.armed === true,
    ...numberFields(row, "lastSpawnTokens"),
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
    ...defined({ text: shown.join("\n") || undefined, role: textField(row, "renderedRole") }),
  };
}

function titleContent(source: "custom" | "ai" | "summary", text = "", leaf?: string): EntryContent {
  return { kind: "title", source, text, ...defined({ leaf }) };
}
