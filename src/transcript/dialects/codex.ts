// Codex CLI's rollouts, translated row by row into rows of Claude Code's form, so that every reader of rows reads them too.

import { defined, isObject, type JsonObject, parseJson, promptIdInTurn } from "../../lib/index.ts";
import { objectField, type RowTranslator, textField } from "../model.ts";

/** What the rows of a file say of all that follow. */
interface RolloutState {
  session?: string;
  cwd?: string;
  version?: string;
  branch?: string;
  model?: string;
  turn?: string;
  /** The id that the parts of the response being read share. */
  response?: string;
}

/** A row that says nothing to a reader. It keeps its place, so that a scan can go on behind it. */
const nothing = (timestamp: unknown): JsonObject => ({ type: "progress", timestamp });

/** Words that Codex sends in the user's name; newer versions say so by `content_item_kinds` instead. */
const clientWords =
  /^\s*(?:<(?:environment_context|user_instructions|turn_aborted|user_shell_command|skill)\b|# AGENTS\.md instructions)/;

const partsOf = (content: unknown): JsonObject[] => (Array.isArray(content) ? content.filter(isObject) : []);

function textOfParts(content: unknown) {
  if (typeof content === "string") return content;
  return partsOf(content)
    .flatMap(({ text }) => (typeof text === "string" ? text : []))
    .join("\n");
}

const metadataOf = (payload: JsonObject) =>
  objectField(payload, "internal_chat_message_metadata_passthrough") ?? {};

/** Whether the user typed it. */
function isTyped(payload: JsonObject, words: string) {
  const { content_item_kinds: kinds } = metadataOf(payload);
  if (!Array.isArray(kinds)) return !clientWords.test(words);
  return kinds.some((kind) => typeof kind === "string" && kind.startsWith("user."));
}

const shellTools = new Set(["exec_command", "shell", "shell_command", "local_shell"]);

/** The command line of a shell call; lists come from `bash -lc`. */
function commandIn(args: JsonObject) {
  const given = args.cmd ?? args.command;
  if (typeof given === "string") return given;
  const words = Array.isArray(given) ? given.filter((word) => typeof word === "string") : [];
  const isShell = /(^|\/)(ba|z)?sh$/.test(words[0] ?? "") && /^-\w*c$/.test(words[1] ?? "");
  return isShell ? words.slice(2).join(" ") : words.join(" ");
}

/** A call under the name and with the input that Codex's own hooks give it. */
function callBlock(payload: JsonObject) {
  const id = textField(payload, "call_id");
  const name = textField(payload, "name") ?? "tool";
  if (id === undefined) return undefined;
  const parsed = parseJson(textField(payload, "arguments") ?? "");
  const args = isObject(parsed) ? parsed : { input: payload.input ?? payload.arguments ?? "" };
  return shellTools.has(name)
    ? { type: "tool_use", id, name: "Bash", input: { command: commandIn(args) } }
    : { type: "tool_use", id, name, input: args };
}

const EXIT_CODE = /^(?:Process exited with code|Exit code:) (-?\d+)$/m;

/** A shell's answer: its output alone, with the exit code in front where that is not 0. */
function shellOutput(output: unknown): { readonly text: string; readonly isError: boolean } {
  const parsed = typeof output === "string" && output.startsWith("{") ? parseJson(output) : output;
  if (isObject(parsed)) {
    const code = objectField(parsed, "metadata")?.exit_code;
    const text = textOfParts(parsed.output ?? parsed.content);
    const isError = parsed.success === false || (typeof code === "number" && code !== 0);
    return { text: isError && typeof code === "number" ? `Exit code ${code}\n${text}` : text, isError };
  }
  const whole = textOfParts(output);
  const marker = whole.indexOf("\nOutput:\n");
  const head = marker === -1 ? "" : whole.slice(0, marker);
  const code = EXIT_CODE.exec(head)?.[1];
  if (code === undefined) return { text: whole, isError: false };
  const text = whole.slice(marker + "\nOutput:\n".length);
  return code === "0" ? { text, isError: false } : { text: `Exit code ${code}\n${text}`, isError: true };
}

interface Translated {
  readonly type: "user" | "assistant" | "system";
  readonly [field: string]: unknown;
}

function messageRow(state: RolloutState, payload: JsonObject): Translated {
  const words = textOfParts(payload.content);
  if (payload.role === "assistant") return spoken(state, payload, [{ type: "text", text: words }]);
  const isPrompt = payload.role === "user" && isTyped(payload, words);
  const turn = textField(metadataOf(payload), "turn_id") ?? state.turn;
  return {
    type: "user",
    ...(isPrompt
      ? defined({ turnId: turn, promptId: turn && promptIdInTurn(turn, words) })
      : { isMeta: true }),
    message: { role: "user", content: words },
  };
}

/** A part of what the model answered; the parts up to the next tool result or prompt are one response. */
function spoken(state: RolloutState, payload: JsonObject, content: readonly JsonObject[]): Translated {
  const id = state.response ?? textField(payload, "id") ?? textField(payload, "call_id");
  const { model } = state;
  Object.assign(state, defined({ response: id }));
  return { type: "assistant", message: { role: "assistant", ...defined({ id, model }), content } };
}

function reasoningRow(state: RolloutState, payload: JsonObject) {
  const thinking = textOfParts(payload.summary);
  return thinking === "" ? undefined : spoken(state, payload, [{ type: "thinking", thinking }]);
}

function resultRow(payload: JsonObject): Translated | undefined {
  const id = textField(payload, "call_id");
  if (id === undefined) return undefined;
  const { text, isError } = shellOutput(payload.output);
  const block = { type: "tool_result", tool_use_id: id, content: text, ...(isError && { is_error: true }) };
  return { type: "user", message: { role: "user", content: [block] } };
}

function itemRow(state: RolloutState, payload: JsonObject): Translated | undefined {
  const type = textField(payload, "type") ?? "";
  if (type.endsWith("_call_output")) {
    delete state.response;
    return resultRow(payload);
  }
  if (type === "reasoning") return reasoningRow(state, payload);
  if (type.endsWith("_call")) {
    const block = callBlock(payload);
    return block && spoken(state, payload, [block]);
  }
  if (type !== "message") return undefined;
  if (payload.role !== "assistant") delete state.response;
  return messageRow(state, payload);
}

function noteSession(state: RolloutState, payload: JsonObject): Translated {
  const git = objectField(payload, "git") ?? {};
  Object.assign(
    state,
    defined({
      session: textField(payload, "session_id") ?? textField(payload, "id"),
      cwd: textField(payload, "cwd"),
      version: textField(payload, "cli_version"),
      branch: textField(git, "branch"),
    }),
  );
  return { type: "system", subtype: "session_meta" };
}

/** The boundary, and the summary behind it. */
function compactedRows(payload: JsonObject): Translated[] {
  const summary = textField(payload, "message");
  const boundary: Translated = { type: "system", subtype: "compact_boundary", compactMetadata: {} };
  if (summary === undefined) return [boundary];
  return [boundary, { type: "user", isCompactSummary: true, message: { role: "user", content: summary } }];
}

function eventRow(state: RolloutState, payload: JsonObject): Translated | undefined {
  const type = textField(payload, "type");
  if (type === "task_started") Object.assign(state, defined({ turn: textField(payload, "turn_id") }));
  if (type !== "turn_aborted") return undefined;
  delete state.response;
  return { type: "user", isMeta: true, message: { role: "user", content: "[Request interrupted by user]" } };
}

function translated(state: RolloutState, row: JsonObject): readonly (Translated | undefined)[] {
  const payload = objectField(row, "payload") ?? {};
  switch (row.type) {
    case "session_meta":
      return [noteSession(state, payload)];
    case "turn_context":
      Object.assign(
        state,
        defined({
          cwd: textField(payload, "cwd"),
          model: textField(payload, "model"),
          turn: textField(payload, "turn_id"),
        }),
      );
      return [];
    case "event_msg":
      return [eventRow(state, payload)];
    case "response_item":
      return [itemRow(state, payload)];
    case "compacted":
      delete state.response;
      return compactedRows(payload);
    default:
      return [];
  }
}

export const codex: RowTranslator = {
  dialect: "codex",
  understands: (row) => row.type === "session_meta" && objectField(row, "payload") !== undefined,
  head: '"session_meta"',
  open() {
    const state: RolloutState = {};
    return (row, start) => {
      const rows = translated(state, row).filter((one) => one !== undefined);
      if (rows.length === 0) return [nothing(row.timestamp)];
      const { session: sessionId, cwd, version, branch: gitBranch } = state;
      const client = { agentClient: "codex", ...defined({ agentModel: state.model }) };
      const about = {
        timestamp: row.timestamp,
        ...client,
        ...defined({ sessionId, cwd, version, gitBranch }),
      };
      const id = textField(objectField(row, "payload") ?? {}, "id") ?? `byte-${start}`;
      // An id of the model's may come again in another session: with the session it is this row's own.
      return rows.map((one, at) => ({
        ...one,
        uuid: `${sessionId}/${id}${at === 0 ? "" : `/${at}`}`,
        ...about,
      }));
    };
  },
};
