// What was said, as a person would count it: the user's messages and the assistant's answers, without the client's noise.
import { withoutOwnContext } from "../lib/index.ts";
import {
  blocksOf,
  type History,
  type HistoryItem,
  isText,
  isToolResult,
  isToolUse,
  textOf,
  userWords,
} from "../messages/index.ts";

export interface Said {
  readonly by: "User" | "Assistant";
  readonly text: string;
}

/** A command that a person typed or a skill that was called, with what was given to it. */
export interface Invocation {
  readonly name: string;
  readonly args: string;
}

const opening = /^\s*<command-message>[\s\S]*?<command-name>\/?([^<]+)<\/command-name>/;
const given = /<command-args>([\s\S]*?)<\/command-args>/;

/** A command that became a prompt; those that the client carries out itself begin with their name instead. */
function typedCommand(item: HistoryItem): Invocation | undefined {
  if (item.message.role !== "user" || item.meta || item.compactSummary) return undefined;
  const text = textOf(item.message.content);
  const name = opening.exec(text)?.[1]?.trim();
  return name ? { name, args: given.exec(text)?.[1]?.trim() ?? "" } : undefined;
}

function wordsOf(item: HistoryItem): string {
  const command = typedCommand(item);
  if (command) return `/${command.name} ${command.args}`.trim();
  return withoutOwnContext(userWords(item)).trim();
}

function answerOf({ message }: HistoryItem): string {
  return blocksOf(message)
    .filter(isText)
    .map(({ text }) => text.trim())
    .filter((text) => text !== "")
    .join("\n\n");
}

/** All of it, oldest first. What the assistant says between two messages of the user is one answer. */
export function conversationOf(history: History): Said[] {
  const said: { by: Said["by"]; text: string }[] = [];
  for (const item of history) {
    const by = item.message.role === "assistant" ? "Assistant" : "User";
    const text = by === "Assistant" ? answerOf(item) : wordsOf(item);
    if (text === "") continue;
    const last = said.at(-1);
    if (by === "Assistant" && last?.by === by) last.text += `\n\n${text}`;
    else said.push({ by, text });
  }
  return said;
}

/** Commands and skills in the order in which they were called. */
export function invocationsOf(history: History): Invocation[] {
  return history.flatMap((item) => {
    const typed = typedCommand(item);
    if (typed) return [typed];
    return blocksOf(item.message).flatMap((block) => {
      if (!isToolUse(block) || block.name !== "Skill") return [];
      const { skill, command, args } = block.input as Readonly<Record<string, unknown>>;
      const name = typeof skill === "string" ? skill : command;
      return typeof name === "string" ? [{ name, args: typeof args === "string" ? args : "" }] : [];
    });
  });
}

/** Everything of a stretch of history as text, to be kept before it leaves the window; long texts are pieces of their own. */
export function wholePieces(history: History): string[] {
  const out: string[] = [];
  for (const { message } of history) {
    out.push(`${out.length === 0 ? "" : "\n\n"}## ${message.role}`);
    const blocks = blocksOf(message);
    if (blocks.length === 0) out.push("\n\n");
    for (const block of blocks) {
      if (isText(block)) out.push("\n\n", block.text);
      else if (isToolUse(block)) out.push("\n\n", `→ ${block.name} ${JSON.stringify(block.input)}`);
      else if (isToolResult(block)) out.push("\n\n← ", textOf(block.content));
      else out.push("\n\n", `(${block.type})`);
    }
  }
  return [...out, "\n"];
}
