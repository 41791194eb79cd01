// Messages as plain text, for providers that take nothing else: tool calls and results become lines, thinking and images are dropped.
import {
  type Block,
  blocksOf,
  isText,
  isThinking,
  isToolResult,
  isToolUse,
  type Message,
  textOf,
} from "../../messages/index.ts";

interface PlainMessage {
  readonly role: "system" | "user" | "assistant";
  readonly content: string;
}

/** Consecutive messages of one role become one: many servers require alternating roles. */
export function plainMessages(messages: readonly Message[]): PlainMessage[] {
  const plain: PlainMessage[] = [];
  for (const message of messages) {
    const content = blocksOf(message).map(blockText).filter(Boolean).join("\n\n");
    if (content === "") continue;
    const last = plain.at(-1);
    // A system message in the middle is a note to the model; these servers accept one only at the start.
    const role = message.role === "system" ? "user" : message.role;
    if (last?.role === role) plain[plain.length - 1] = { role, content: `${last.content}\n\n${content}` };
    else plain.push({ role, content });
  }
  return plain;
}

/** A whole conversation as one prompt. */
export function onePrompt(messages: readonly Message[]) {
  const plain = plainMessages(messages);
  const [first] = plain;
  if (plain.length === 1 && first) return first.content;
  return plain.map(({ role, content }) => `[${role}]\n${content}`).join("\n\n");
}

function blockText(block: Block) {
  if (isText(block)) return block.text;
  if (isThinking(block)) return "";
  if (isToolUse(block)) return `[call of ${block.name}: ${JSON.stringify(block.input)}]`;
  if (isToolResult(block)) return `[result: ${textOf(block.content)}]`;
  return `[${block.type}]`;
}
