// When notes are due, and how far they may say that they reach.
import { blocksOf, type History, isToolUse, toolPairs } from "../../messages/index.ts";
import { estimateMessage, type TokenizerFamily } from "../../tokens/index.ts";
import type { ConversationSize } from "./files.ts";

/** The numbers that decide when notes are updated. */
interface NotesRule {
  /** Tokens of conversation below which there is nothing worth noting yet. */
  readonly first: number;
  /** Tokens of growth between two updates. */
  readonly growth: number;
  /** Tool calls that must have come with the growth, unless the last turn called none. */
  readonly toolCalls: number;
}

export const defaultNotesRule: NotesRule = { first: 10_000, growth: 5_000, toolCalls: 3 };

/** How far the conversation is. */
interface NotesProgress {
  readonly size: ConversationSize;
  /** Whether the assistant's last message called a tool. */
  readonly lastTurnUsedTools: boolean;
  /** Subagents have no notes of their own: what they found comes back as a result in the main thread. */
  readonly isMainThread: boolean;
}

/** Why notes are due. */
export type DueReason = "compacted" | "first" | "grown" | "paused";

/** Why the notes are due now; undefined when they are not. `last` is the size at their last update, if there was one. */
export function dueForUpdate(
  { size, lastTurnUsedTools, isMainThread }: NotesProgress,
  last: ConversationSize | undefined,
  rule: NotesRule = defaultNotesRule,
): DueReason | undefined {
  if (!isMainThread) return undefined;
  if (size.compactions > (last?.compactions ?? 0)) return "compacted";
  if (!last) return size.tokens >= rule.first ? "first" : undefined;
  if (size.tokens - last.tokens < rule.growth) return undefined;
  if (size.toolCalls - last.toolCalls >= rule.toolCalls) return "grown";
  return lastTurnUsedTools ? undefined : "paused";
}

export const nothingYet: ConversationSize = { tokens: 0, toolCalls: 0, compactions: 0 };

/** How large a piece of a conversation is. Sizes of pieces add up to the size of the whole. */
export function sizeOf(history: History, family: TokenizerFamily): ConversationSize {
  let [tokens, toolCalls, compactions] = [0, 0, 0];
  for (const { message, compactSummary } of history) {
    tokens += estimateMessage(message, family);
    toolCalls += blocksOf(message).filter(isToolUse).length;
    if (compactSummary) compactions += 1;
  }
  return { tokens, toolCalls, compactions };
}

export function addSizes(one: ConversationSize, other: ConversationSize): ConversationSize {
  return {
    tokens: one.tokens + other.tokens,
    toolCalls: one.toolCalls + other.toolCalls,
    compactions: one.compactions + other.compactions,
  };
}

/** Whether the assistant's last message called a tool; undefined when it has not spoken. */
export function usedToolsLast(history: History): boolean | undefined {
  const last = history.findLast(({ message }) => message.role === "assistant");
  return last && blocksOf(last.message).some(isToolUse);
}

/**
 * The id that notes of this history may claim to reach: its last message, unless a call is still open. Behind an open
 * call the claim would put the call among what is summed up and its result among what is kept, and no API takes that.
 */
export function safeLastId(history: History, before: string | undefined) {
  const turn = lastAssistantTurn(history);
  const isOpen = toolPairs(history).some(({ result, useAt }) => !result && useAt.item >= turn);
  return isOpen ? before : (history.at(-1)?.id ?? before);
}

/** Where the assistant's last run of messages begins. An older call without a result will never get one. */
function lastAssistantTurn(history: History) {
  const isAssistant = (at: number) => history[at]?.message.role === "assistant";
  let at = history.length - 1;
  while (at > 0 && !isAssistant(at)) at--;
  while (isAssistant(at - 1)) at--;
  return at;
}
