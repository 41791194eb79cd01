// Reads off transcript rows what was said: the user's words, the assistant's, and what tools answered.
import { isObject, isOwnTool, type JsonObject } from "../../lib/index.ts";
import { answerText, blocksOf, copyWatch, promptOf } from "./transcriptRows.ts";

export interface SaidMessage {
  readonly uuid: string;
  readonly role: "user" | "assistant" | "tool";
  readonly text: string;
  readonly at: number;
  readonly cwd?: string;
  readonly agent?: string;
}

/** Of a tool's answer so much can be found; the vault and the transcript have the rest. */
const LONGEST_ANSWER = 16_000;
const LONGEST_CALL = 400;

/** A long answer by its beginning and its end: errors and results tend to be there. */
function cutAnswer(text: string) {
  if (text.length <= LONGEST_ANSWER) return text;
  return `${text.slice(0, LONGEST_ANSWER * 0.75)}\n…\n${text.slice(-LONGEST_ANSWER * 0.25)}`;
}

/** Remembers calls until their answers come, so that an answer can be found by what was asked. Rows of other sessions are passed over. */
export function messageReader(session: string) {
  const calls = new Map<string, string>();
  const isCopy = copyWatch();
  /** Calls of our own tools: what we told the model is not news. */
  const own = new Set<string>();
  const noteCall = ({ id, name, input }: JsonObject) => {
    if (typeof id !== "string") return;
    if (isOwnTool(name)) own.add(id);
    else calls.set(id, `${String(name)} ${JSON.stringify(input ?? {})}`.slice(0, LONGEST_CALL));
  };
  const answerOf = (block: JsonObject) => {
    if (own.delete(String(block.tool_use_id))) return "";
    const call = calls.get(String(block.tool_use_id)) ?? "";
    calls.delete(String(block.tool_use_id));
    const answer = cutAnswer(answerText(block.content));
    return answer.trim() === "" ? "" : `${call}\n${answer}`.trim();
  };
  const said = (row: JsonObject): Pick<SaidMessage, "uuid" | "role" | "text">[] => {
    const uuid = String(row.uuid);
    const blocks = blocksOf(row);
    if (row.type === "assistant") {
      for (const block of blocks) if (block.type === "tool_use") noteCall(block);
      const texts = blocks.flatMap(({ type, text }) =>
        type === "text" && typeof text === "string" ? text : [],
      );
      return [{ uuid, role: "assistant", text: texts.join("\n") }];
    }
    if (row.type !== "user") return [];
    const results = blocks.filter(({ type }) => type === "tool_result");
    if (results.length === 0) return [{ uuid, role: "user", text: promptOf(row) ?? "" }];
    return results.map((block) => ({
      uuid: `${uuid}:${String(block.tool_use_id)}`,
      role: "tool",
      text: answerOf(block),
    }));
  };
  return {
    read(row: JsonObject): SaidMessage[] {
      const at = Date.parse(String(row.timestamp));
      const isOther = typeof row.sessionId === "string" && row.sessionId !== session;
      if (
        isCopy(row) ||
        isOther ||
        Number.isNaN(at) ||
        typeof row.uuid !== "string" ||
        !isObject(row.message)
      )
        return [];
      const about = {
        at,
        ...(typeof row.cwd === "string" && { cwd: row.cwd }),
        ...(typeof row.agentId === "string" && { agent: row.agentId }),
      };
      return said(row).flatMap((message) => (message.text.trim() === "" ? [] : { ...message, ...about }));
    },
  };
}
