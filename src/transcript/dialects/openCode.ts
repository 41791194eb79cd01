// OpenCode's sessions, as they are written out of its database, translated into rows of Claude Code's form.
import { callInOurTerms, defined, isObject, isoTime, type JsonObject } from "../../lib/index.ts";
import { numberField, objectField, type RowTranslator, textField } from "../model.ts";

interface SessionState {
  session?: string;
  cwd?: string;
  version?: string;
  model?: string;
  /** The row before. */
  last: string | null;
}

const partsOf = ({ parts }: JsonObject): readonly JsonObject[] =>
  Array.isArray(parts) ? parts.filter(isObject) : [];

const stateOf = (part: JsonObject) => objectField(part, "state") ?? {};

const user = (content: unknown, more: JsonObject = {}): JsonObject => ({
  type: "user",
  ...more,
  message: { role: "user", content },
});

/** A prompt; what a program added to it is text of the client. */
function promptRows(info: JsonObject, parts: readonly JsonObject[]): JsonObject[] {
  const texts = parts.filter(({ type, text }) => type === "text" && typeof text === "string" && text !== "");
  const written = texts.filter(({ synthetic }) => synthetic !== true);
  const added = texts.filter(({ synthetic }) => synthetic === true);
  const textOf = (some: readonly JsonObject[]) => some.map(({ text }) => text).join("\n");
  return [
    ...(written.length === 0 ? [] : [user(textOf(written), { promptId: textField(info, "id") })]),
    ...(added.length === 0 ? [] : [user(textOf(added), { isMeta: true })]),
  ];
}

function blockOf(part: JsonObject, cwd: string | undefined): JsonObject[] {
  if (part.type === "text") return [{ type: "text", text: textField(part, "text") ?? "" }];
  if (part.type === "reasoning") return [{ type: "thinking", thinking: textField(part, "text") ?? "" }];
  const [id, name] = [textField(part, "callID"), textField(part, "tool")];
  if (part.type !== "tool" || id === undefined || name === undefined) return [];
  return [{ type: "tool_use", id, ...callInOurTerms(name, objectField(stateOf(part), "input") ?? {}, cwd) }];
}

/** What a call gave; none of one that never ended. A command's failure is in its exit code alone. */
function resultRow(part: JsonObject): JsonObject[] {
  const state = stateOf(part);
  const id = textField(part, "callID");
  if (part.type !== "tool" || id === undefined || !["completed", "error"].includes(String(state.status)))
    return [];
  const output = textField(state, "output") ?? textField(state, "error") ?? "";
  const exit = part.tool === "bash" ? numberField(objectField(state, "metadata") ?? {}, "exit") : undefined;
  const isShellError = exit !== undefined && exit !== 0;
  const content = isShellError ? `Exit code ${exit}\n${output}` : output;
  const isError = state.status === "error" || isShellError;
  const result = { type: "tool_result", tool_use_id: id, content, ...(isError && { is_error: true }) };
  return [{ ...user([result]), timestamp: timeOf(numberField(objectField(state, "time") ?? {}, "end")) }];
}

function usageOf(info: JsonObject) {
  const tokens = objectField(info, "tokens") ?? {};
  const cache = objectField(tokens, "cache") ?? {};
  return {
    input_tokens: numberField(tokens, "input") ?? 0,
    output_tokens: numberField(tokens, "output") ?? 0,
    cache_read_input_tokens: numberField(cache, "read") ?? 0,
    cache_creation_input_tokens: numberField(cache, "write") ?? 0,
  };
}

function answerRows(info: JsonObject, parts: readonly JsonObject[], state: SessionState): JsonObject[] {
  const content = parts.flatMap((part) => blockOf(part, state.cwd));
  const [id, model] = [textField(info, "id"), textField(info, "modelID")];
  Object.assign(state, defined({ model }));
  const facts = defined({ model, stop_reason: textField(info, "finish"), usage: usageOf(info) });
  const answer = { type: "assistant", message: { role: "assistant", id, content, ...facts } };
  return [...(content.length === 0 ? [] : [answer]), ...parts.flatMap(resultRow)];
}

/** A summary stands for all before it, and is an answer here: in Claude Code's form a boundary with the words behind it. */
function summaryRows(parts: readonly JsonObject[]): JsonObject[] {
  const words = parts.flatMap((part) => (part.type === "text" ? [textField(part, "text") ?? ""] : []));
  return [
    { type: "system", subtype: "compact_boundary", compactMetadata: {} },
    user(words.join("\n"), { isCompactSummary: true }),
  ];
}

function translated(row: JsonObject, state: SessionState): readonly JsonObject[] {
  if (row.type === "opencode-session") {
    const [session, cwd, version] = ["id", "cwd", "version"].map((name) => textField(row, name));
    Object.assign(state, defined({ session, cwd, version }));
    return [{ type: "custom-title", customTitle: textField(row, "title") ?? "" }];
  }
  const info = objectField(row, "info") ?? {};
  const parts = partsOf(row);
  if (info.role === "user") return promptRows(info, parts);
  if (info.role !== "assistant") return [{ type: "opencode-row" }];
  return info.summary === true ? summaryRows(parts) : answerRows(info, parts, state);
}

export const openCode: RowTranslator = {
  dialect: "opencode",
  understands: (row) => row.type === "opencode-session" && textField(row, "id") !== undefined,
  head: '"type":"opencode-session"',
  open() {
    const state: SessionState = { last: null };
    return (row, start) => {
      const rows = translated(row, state);
      const info = objectField(row, "info") ?? {};
      const name = textField(info, "id") ?? `byte-${start}`;
      const { session: sessionId, cwd, version, model } = state;
      const about = defined({ sessionId, cwd, version, agentModel: model });
      return rows.map((one, at) => {
        const links = one.type === "custom-title" ? {} : { uuid: `${name}-${at}`, parentUuid: state.last };
        state.last = links.uuid ?? state.last;
        const told = {
          timestamp: row.timestamp,
          ...links,
          ...defined(one),
          agentClient: "opencode",
          ...about,
        };
        return defined(told);
      });
    };
  },
};

const LATEST_MS = 8.64e15;

const timeOf = (value: number | undefined) =>
  value !== undefined && Math.abs(value) <= LATEST_MS ? isoTime(value) : undefined;
