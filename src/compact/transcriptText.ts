// A conversation as plain text: what the vault keeps of a compacted history for reading and searching.
import {
  blocksOf,
  type History,
  isText,
  isThinking,
  isToolResult,
  isToolUse,
  textOf,
} from "../messages/index.ts";

/** Every text of every message, in order, line by line; calls and results carry their tool_use_id. */
export function renderTranscript(history: History): string {
  const out: string[] = [];
  for (const { message } of history) {
    for (const block of blocksOf(message)) {
      if (isText(block)) out.push(`## ${message.role}`, block.text);
      else if (isThinking(block))
        out.push("## assistant, thinking", typeof block.thinking === "string" ? block.thinking : "(sealed)");
      else if (isToolUse(block)) out.push(`## call ${block.name} ${block.id}`, renderInput(block.input));
      else if (isToolResult(block)) out.push(`## result ${block.tool_use_id}`, textOf(block.content));
      else out.push(`## ${message.role}, ${block.type}`);
    }
  }
  return out.join("\n");
}

/** Fields of a call one by one, so that long texts keep their lines. */
function renderInput(input: unknown): string {
  if (typeof input !== "object" || input === null) return JSON.stringify(input) ?? "";
  return Object.entries(input)
    .map(([name, value]) => `${name}: ${typeof value === "string" ? value : JSON.stringify(value)}`)
    .join("\n");
}
