// The pi coding agent's sessions, translated row by row into rows of Claude Code's form: in file order (older) or linked by parentId.

import { callInOurTerms, defined, isoTime, type JsonObject, shellError } from "../../lib/index.ts";
import { type Block, isBlock, textOf } from "../../messages/index.ts";
import {
  contentField,
  numberField,
  numberFields,
  objectField,
  type RowTranslator,
  textField,
} from "../model.ts";
import { piPromptId } from "../piPrompt.ts";

/** What the rows of a file say of all that follow. */
interface SessionState {
  session?: string;
  cwd?: string;
  version?: string;
  model?: string;
  /** Older compactions name the first kept row by its number, so the ids of all rows are kept. */
  readonly ids: string[];
}

type Content = string | Block[];

const user = (content: Content, more: JsonObject = {}): JsonObject => ({
  type: "user",
  ...more,
  message: { role: "user", content },
});

const clientText = (content: Content) => user(content, { isMeta: true });

function blockIn(block: Block, cwd: string | undefined): Block | undefined {
  if (block.type === "toolCall") {
    const [id, name] = [textField(block, "id"), textField(block, "name")];
    if (id === undefined || name === undefined) return undefined;
    return { type: "tool_use", id, ...callInOurTerms(name, objectField(block, "arguments") ?? {}, cwd) };
  }
  if (block.type === "thinking") {
    const signature = textField(block, "thinkingSignature");
    return { type: "thinking", thinking: textField(block, "thinking") ?? "", ...defined({ signature }) };
  }
  if (block.type !== "image") return block;
  return { type: "image", source: { type: "base64", media_type: block.mimeType, data: block.data } };
}

function contentIn(message: JsonObject, cwd: string | undefined): Content {
  const content = contentField(message, "content");
  return typeof content === "string"
    ? content
    : content.flatMap((block) => blockIn(block, cwd) ?? []).filter(isBlock);
}

function usageOf(message: JsonObject) {
  const usage = objectField(message, "usage");
  if (!usage) return undefined;
  const {
    input = 0,
    cacheRead = 0,
    cacheWrite = 0,
    output = 0,
  } = numberFields(usage, "input", "cacheRead", "cacheWrite", "output");
  return {
    input_tokens: input,
    cache_read_input_tokens: cacheRead,
    cache_creation_input_tokens: cacheWrite,
    output_tokens: output,
  };
}

function assistantRow(message: JsonObject, id: string, state: SessionState) {
  const content = contentIn(message, state.cwd);
  const [model, stop] = [textField(message, "model"), textField(message, "stopReason")];
  Object.assign(state, defined({ model }));
  const isSilent = typeof content !== "string" && content.every(({ type }) => type === "thinking");
  // Stopped before it said anything: as Claude Code notes it. What it thought until then leads nowhere.
  if (stop === "aborted" && isSilent) return clientText("[Request interrupted by user]");
  const facts = defined({ model, stop_reason: stop, usage: usageOf(message) });
  return { type: "assistant", message: { role: "assistant", id, content, ...facts } };
}

function resultRow(message: JsonObject) {
  const id = textField(message, "toolCallId");
  if (id === undefined) return undefined;
  const content = contentIn(message, undefined);
  const isShell = message.isError === true && textField(message, "toolName") === "bash";
  const result = {
    type: "tool_result",
    tool_use_id: id,
    content: isShell ? shellError(textOf(content)) : content,
    ...defined({ is_error: message.isError === true || undefined }),
  };
  return user([result]);
}

function messageRow(message: JsonObject, id: string, parent: string | null | undefined, state: SessionState) {
  switch (message.role) {
    case "user":
      // The row before a prompt is known to the hooks that tell of it; older rows name none.
      return user(
        contentIn(message, state.cwd),
        parent === undefined ? {} : { promptId: piPromptId(parent) },
      );
    case "assistant":
      return assistantRow(message, id, state);
    case "toolResult":
      return resultRow(message);
    case "bashExecution":
      return clientText(
        `The user ran \`${textField(message, "command") ?? ""}\`:\n${textField(message, "output") ?? ""}`,
      );
    default:
      return undefined;
  }
}

/** A compaction is one row here, and a boundary with a summary behind it in Claude Code's form. */
function compactionRows(row: JsonObject, id: string, state: SessionState, tail: string | undefined) {
  const kept = numberField(row, "firstKeptEntryIndex");
  const head = textField(row, "firstKeptEntryId") ?? (kept === undefined ? undefined : state.ids[kept]);
  const segment =
    head && tail
      ? { headUuid: rowName(state, head), tailUuid: rowName(state, tail), anchorUuid: rowName(state, id) }
      : undefined;
  const preTokens = numberField(row, "tokensBefore");
  const metadata = defined({ preTokens, preservedSegment: segment });
  const boundary = `${rowName(state, id)}-boundary`;
  return [
    { type: "system", subtype: "compact_boundary", uuid: boundary, compactMetadata: metadata },
    { ...user(textField(row, "summary") ?? "", { isCompactSummary: true }), parentUuid: boundary },
  ];
}

/** Short ids of rows come again in other sessions: with the session they are this row's own. */
const rowName = ({ session }: SessionState, id: string) => (session === undefined ? id : `${session}/${id}`);

function translated(
  state: SessionState,
  row: JsonObject,
  id: string,
  parent: string | null | undefined,
  tail: string | undefined,
): readonly JsonObject[] | undefined {
  const message = objectField(row, "message");
  switch (row.type) {
    case "session": {
      const version = numberField(row, "version")?.toString();
      Object.assign(state, defined({ session: textField(row, "id"), cwd: textField(row, "cwd"), version }));
      return [{ type: "progress", uuid: undefined, parentUuid: undefined }];
    }
    case "message": {
      const one = message && messageRow(message, id, parent, state);
      return one && [one];
    }
    case "compaction":
      return compactionRows(row, id, state, tail);
    case "branch_summary":
      return [clientText(textField(row, "summary") ?? "")];
    case "custom_message":
      return [clientText(contentField(row, "content"))];
    case "session_info":
      return [{ type: "custom-title", customTitle: textField(row, "name") ?? "" }];
    case "model_change":
    case "thinking_level_change":
    case "custom":
    case "label":
      return [{ type: "progress" }];
    default:
      return undefined;
  }
}

export const pi: RowTranslator = {
  dialect: "pi",
  understands: (row) => row.type === "session" && textField(row, "id") !== undefined,
  head: '"type":"session"',
  open() {
    const state: SessionState = { ids: [] };
    return (row, start) => {
      // Older rows carry no id; their place in an append-only file never changes.
      const id = textField(row, "id") ?? `byte-${start}`;
      const parent = textField(row, "parentId") ?? (row.parentId === null ? null : undefined);
      const tail = parent ?? state.ids.at(-1);
      const rows = translated(state, row, id, parent, tail) ?? [{ type: "pi-row" }];
      state.ids.push(id);
      const message = objectField(row, "message") ?? {};
      const { session: sessionId, cwd, version, model } = state;
      const about = defined({ sessionId, cwd, version, agentModel: model });
      const links = { uuid: rowName(state, id), parentUuid: parent && rowName(state, parent) };
      const timestamp = timeOf(row.timestamp) ?? timeOf(message.timestamp);
      return rows.map((one) => defined({ ...links, ...one, timestamp, agentClient: "pi", ...about }));
    };
  },
};

const LATEST_MS = 8.64e15;

/** Rows have a text, messages within them milliseconds. */
function timeOf(value: unknown) {
  if (typeof value !== "number") return value;
  return Math.abs(value) <= LATEST_MS ? isoTime(value) : undefined;
}
