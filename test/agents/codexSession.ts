// A session file of Codex CLI, as version 0.166 writes one: only what a reader needs of each row.
import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import type { ContractSession } from "./contract.ts";

const TURN = "0199aaaa-0000-7000-8000-00000000000t";

/** The rows of a session with one turn; `start` is the time of the first. */
function rolloutRows(about: ContractSession, start: number): object[] {
  const { session, cwd, prompt, command, output, said } = about;
  const told = (kinds: readonly string[] = []) => ({
    internal_chat_message_metadata_passthrough: { turn_id: TURN, content_item_kinds: kinds },
  });
  const words = (role: string, text: string, id: string, kind: string) => ({
    type: "response_item",
    payload: { type: "message", id, role, content: [{ type: "input_text", text }], ...told([kind]) },
  });
  const shell = `Chunk ID: 1\nWall time: 0.1 seconds\nProcess exited with code 0\nOutput:\n${output}`;
  const rows = [
    { type: "session_meta", payload: { id: session, cwd, cli_version: "0.166.0", source: "exec" } },
    { type: "event_msg", payload: { type: "task_started", turn_id: TURN } },
    words("developer", "<skills_instructions>", "msg_1", "skills.instructions"),
    words("user", `<environment_context><cwd>${cwd}</cwd>`, "msg_2", "environments.environment_context"),
    { type: "turn_context", payload: { turn_id: TURN, cwd, model: "gpt-test" } },
    words(
      "developer",
      "<throughline-context>told</throughline-context>",
      "msg_3",
      "hooks.additional_context",
    ),
    words("user", prompt, "msg_4", "user.text"),
    {
      type: "response_item",
      payload: {
        ...{ type: "function_call", id: "fc_1", call_id: "call_1", name: "exec_command" },
        arguments: JSON.stringify({ cmd: command }),
        ...told(),
      },
    },
    { type: "event_msg", payload: { type: "item_completed", item: { id: "call_1", exit_code: 0 } } },
    {
      type: "response_item",
      payload: { type: "function_call_output", id: "fco_1", call_id: "call_1", output: shell, ...told() },
    },
    words("assistant", said, "msg_5", "unknown"),
    { type: "event_msg", payload: { type: "task_complete", turn_id: TURN } },
  ];
  return rows.map((row, ordinal) => ({
    timestamp: new Date(start + ordinal * 1_000).toISOString(),
    ordinal,
    ...row,
  }));
}

export const codexTurn = TURN;

/** Writes the file below a home of Codex and gives its path. */
export function writeCodexSession(codexHome: string, about: ContractSession): string {
  const folder = path.join(codexHome, "sessions", "2026", "03", "04");
  mkdirSync(folder, { recursive: true });
  const file = path.join(folder, `rollout-2026-03-04T10-00-00-${about.session}.jsonl`);
  const rows = rolloutRows(about, Date.UTC(2026, 2, 4, 10));
  writeFileSync(file, rows.map((row) => `${JSON.stringify(row)}\n`).join(""));
  return file;
}
