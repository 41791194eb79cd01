// The newest part of a history that may follow a summary: it never begins with results whose calls are gone.
import { blocksOf, type History, type HistoryItem, isToolResult } from "../messages/index.ts";
import { readableText } from "./need.ts";

/** Tokens as most agents count them. */
export function quarterTokens(text: string): number {
  return Math.ceil(text.length / 4);
}

function weightOf({ message }: HistoryItem) {
  return quarterTokens(readableText(message));
}

function canBegin({ message }: HistoryItem) {
  return message.role === "assistant" || !blocksOf(message).some(isToolResult);
}

/** Where the newest group begins: a prompt, or a call with its results. */
export function lastGroup(history: History): number {
  return Math.max(0, history.findLastIndex(canBegin));
}

/** As much of the end as weighs at most `budget`, and the newest group whatever it weighs. */
export function tailOf(
  history: History,
  budget: number,
  weigh: (item: HistoryItem) => number = weightOf,
): History {
  let start = lastGroup(history);
  let weight = history.slice(start).reduce((sum, item) => sum + weigh(item), 0);
  for (let at = start - 1; at >= 0; at--) {
    const item = history[at];
    if (item === undefined) break;
    weight += weigh(item);
    if (weight > budget) break;
    if (canBegin(item)) start = at;
  }
  return history.slice(start);
}
