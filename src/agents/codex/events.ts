// Codex CLI's hook payloads in the form of Claude Code's: the prompt's id from the turn, and failed commands told apart.
import { fstatSync } from "node:fs";
import {
  defined,
  givenText,
  isObject,
  type JsonObject,
  parseJson,
  promptIdInTurn,
  readBytes,
  withFile,
} from "../../lib/index.ts";

/** Of the rollout's end: the row of a command that has just ended is among its last ones. */
const TAIL_BYTES = 128 * 1024;

/** The last rows of a rollout as lines, newest first; none where it cannot be read. */
function lastLines(rollout: string) {
  try {
    const tail = withFile(rollout, "r", (fd) => {
      const { size } = fstatSync(fd);
      const from = Math.max(0, size - TAIL_BYTES);
      return readBytes(fd, from, size - from).toString("utf8");
    });
    return tail.split("\n").reverse();
  } catch {
    // No rollout, or not readable: the payload is kept as it is.
    return [];
  }
}

/**
 * The exit code of a command, which the hook's payload does not have and the rollout does. Undefined where it is not
 * there (yet): then it is not known whether the command failed.
 */
function exitCodeOf(rollout: string, call: string) {
  for (const line of lastLines(rollout)) {
    const row = line.includes(call) ? parseJson(line) : undefined;
    const payload = isObject(row) && isObject(row.payload) ? row.payload : {};
    const item = isObject(payload.item) ? payload.item : {};
    if (item.id === call && typeof item.exit_code === "number") return item.exit_code;
  }
  return undefined;
}

/** The turn that a session ended after; its payload names none. */
function lastTurn(rollout: string) {
  const started = /"task_started".*?"turn_id":"([^"]+)"/;
  for (const line of lastLines(rollout)) {
    const turn = started.exec(line)?.[1];
    if (turn !== undefined) return turn;
  }
  return undefined;
}

function failedCommand(payload: JsonObject): JsonObject | undefined {
  const { hook_event_name: event, tool_name: tool, tool_response: output } = payload;
  const [rollout, call] = [givenText(payload.transcript_path), givenText(payload.tool_use_id)];
  if (event !== "PostToolUse" || tool !== "Bash" || rollout === undefined || call === undefined)
    return undefined;
  const code = exitCodeOf(rollout, call);
  if (code === undefined || code === 0) return undefined;
  const { tool_response: _, ...rest } = payload;
  const text = typeof output === "string" ? output : JSON.stringify(output ?? "");
  return { ...rest, hook_event_name: "PostToolUseFailure", error: `Exit code ${code}\n${text}` };
}

/** The same id as the rollout's reader gives the prompt: a turn can hold several. */
function promptId({ hook_event_name: event, prompt, turn_id: named, transcript_path: rollout }: JsonObject) {
  const isEnd = event === "SessionEnd" && typeof rollout === "string";
  const turn = givenText(named) ?? (isEnd ? lastTurn(rollout) : undefined);
  if (turn === undefined || event !== "UserPromptSubmit") return turn;
  return promptIdInTurn(turn, String(prompt));
}

export function codexPayload(payload: JsonObject): JsonObject {
  const told = { ...payload, ...defined({ prompt_id: promptId(payload) }) };
  return failedCommand(told) ?? told;
}
