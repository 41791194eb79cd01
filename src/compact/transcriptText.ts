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
  return transcriptPieces(history).join("");
}

/** The same in pieces. The texts are pieces of their own: a longer history begins with the pieces of a shorter one. */
export function transcriptPieces(history: History): string[] {
  const out: string[] = [];
  const add = (heading: string, ...texts: readonly string[]) => {
    out.push(`${out.length === 0 ? "" : "\n"}## ${heading}${texts.length === 0 ? "" : "\n"}`, ...texts);
  };
  for (const { message } of history) {
    for (const block of blocksOf(message)) {
      if (isText(block)) add(message.role, block.text);
      else if (isThinking(block))
        add("assistant, thinking", typeof block.thinking === "string" ? block.thinking : "(sealed)");
      else if (isToolUse(block)) add(`call ${block.name} ${block.id}`, ...inputPieces(block.input));
      else if (isToolResult(block)) add(`result ${block.tool_use_id}`, textOf(block.content));
      else add(`${message.role}, ${block.type}`);
    }
  }
  return out;
}

/** Fields of a call one by one, so that long texts keep their lines. */
function inputPieces(input: unknown) {
  if (typeof input !== "object" || input === null) return [JSON.stringify(input) ?? ""];
  const fields = Object.entries(input).flatMap(([name, value], at) => [
    `${at === 0 ? "" : "\n"}${name}: `,
    typeof value === "string" ? value : String(JSON.stringify(value)),
  ]);
  return fields.length === 0 ? [""] : fields;
}
