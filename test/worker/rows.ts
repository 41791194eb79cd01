// Rows of a transcript, in the shape in which Claude Code writes them.
import type { JsonObject } from "../../src/lib/index.ts";

const START = Date.UTC(2026, 0, 2, 3, 0, 0);

/** The time of the n-th second of a session. */
export const second = (at: number): number => START + at * 1_000;

function row(session: string, at: number, more: JsonObject): JsonObject {
  return {
    sessionId: session,
    timestamp: new Date(second(at)).toISOString(),
    cwd: "/",
    uuid: `${session}-${at}`,
    ...more,
  };
}

export const promptRow = (session: string, at: number, prompt: string, id = `p${at}`): JsonObject =>
  row(session, at, { type: "user", promptId: id, message: { role: "user", content: prompt } });

export const callRow = (session: string, at: number, id: string, more: JsonObject = {}): JsonObject =>
  row(session, at, {
    type: "assistant",
    message: {
      role: "assistant",
      content: [{ type: "tool_use", id, name: "Bash", input: { command: `run ${id}` } }],
    },
    ...more,
  });

export const resultRow = (session: string, at: number, id: string, more: JsonObject = {}): JsonObject =>
  row(session, at, {
    type: "user",
    message: { role: "user", content: [{ type: "tool_result", tool_use_id: id, content: `answer ${id}` }] },
    toolUseResult: { stdout: `answer ${id}` },
    ...more,
  });
