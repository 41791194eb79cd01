// Tool results that are shown as something else from some moment on: cleared, cut or masked.

import { sumOf } from "../lib/index.ts";
import {
  blocksOf,
  type History,
  type HistoryItem,
  isToolResult,
  isUserInput,
  type Message,
  type ToolPair,
  textOf,
  toolPairs,
} from "../messages/index.ts";
import { CLEARED } from "../pipeline/index.ts";
import { readableText } from "./need.ts";

/** Remembers what stands for which result, and shows the same bytes for the same replacement. */
export class Replacing {
  readonly #texts = new Map<string, string>();
  readonly #shown = new Map<string, { from: Message; texts: readonly string[]; to: Message }>();

  set(id: string, text: string): void {
    this.#texts.set(id, text);
  }

  textOf(id: string): string | undefined {
    return this.#texts.get(id);
  }

  show(history: History): History {
    return this.#texts.size === 0 ? history : history.map((item) => this.#showItem(item));
  }

  #showItem(item: HistoryItem): HistoryItem {
    const { message } = item;
    if (message.role !== "user" || typeof message.content === "string") return item;
    const texts = message.content.flatMap((block) => this.#texts.get(String(block.tool_use_id)) ?? []);
    if (texts.length === 0) return item;
    const seen = this.#shown.get(item.id);
    if (seen?.from === message && sameTexts(seen.texts, texts)) return { ...item, message: seen.to };
    const content = blocksOf(message).map((block) => {
      const text = isToolResult(block) ? this.#texts.get(block.tool_use_id) : undefined;
      return text === undefined ? block : { ...block, content: text };
    });
    const to = { ...message, content };
    this.#shown.set(item.id, { from: message, texts, to });
    return { ...item, message: to };
  }
}

function sameTexts(one: readonly string[], other: readonly string[]) {
  return one.length === other.length && one.every((text, at) => text === other[at]);
}

/** Tokens as most agents count them. */
export function quarterTokens(text: string) {
  return Math.ceil(text.length / 4);
}

function canBegin({ message }: HistoryItem) {
  return message.role === "assistant" || !blocksOf(message).some(isToolResult);
}

/** Where the newest group begins: a prompt, or a call with its results. */
export function lastGroup(history: History) {
  return Math.max(0, history.findLastIndex(canBegin));
}

/** As much of the end as weighs at most `budget`, and the newest group whatever it weighs. */
export function tailOf(
  history: History,
  budget: number,
  weigh = ({ message }: HistoryItem) => quarterTokens(readableText(message)),
): History {
  let start = lastGroup(history);
  let weight = sumOf(history.slice(start), weigh);
  for (let at = start - 1; at >= 0; at--) {
    const item = history[at];
    if (item === undefined) break;
    weight += weigh(item);
    if (weight > budget) break;
    if (canBegin(item)) start = at;
  }
  return history.slice(start);
}

function resultText({ result }: ToolPair, replacing: Replacing) {
  return replacing.textOf(result?.tool_use_id ?? "") ?? textOf(result?.content);
}

/** Results that are too long are short from the first time they are sent. */
export function cutOnArrival(history: History, replacing: Replacing, cut: (text: string) => string) {
  for (const pair of toolPairs(history)) {
    if (!pair.result || replacing.textOf(pair.id) !== undefined) continue;
    const text = textOf(pair.result.content);
    const shorter = cut(text);
    if (shorter.length < text.length) replacing.set(pair.id, shorter);
  }
}

/**
 * Results behind the newest `kept` tokens of them, newest first, with what they weigh together. `isDone` says whether a
 * result that is shown so was replaced before: then it is skipped, or ends the search.
 */
function beyondNewest(
  history: History,
  replacing: Replacing,
  kept: number,
  isDone: (text: string) => "skip" | "end" | undefined,
) {
  const old: { readonly id: string; readonly text: string }[] = [];
  let [seen, weight] = [0, 0];
  for (const pair of toolPairs(history).reverse()) {
    if (!pair.result) continue;
    const text = resultText(pair, replacing);
    const done = isDone(text);
    if (done === "end") break;
    if (done === "skip") continue;
    const tokens = quarterTokens(text);
    seen += tokens;
    if (seen <= kept) continue;
    weight += tokens;
    old.push({ id: pair.id, text });
  }
  return { old, weight };
}

const PRUNE_PROTECTED = 40_000;
const PRUNE_LEAST = 20_000;
/** The two turns that had ended when it ran, and the one that has just begun. */
const PROTECTED_TURNS = 3;

/** Clears results behind the newest 40,000 tokens of them, if that frees more than 20,000. */
export function pruneOld(history: History, replacing: Replacing) {
  const turns = history.flatMap((item, at) => (isUserInput(item) ? [at] : []));
  const before = history.slice(0, turns.at(-PROTECTED_TURNS) ?? 0);
  const isDone = (text: string) => (text === CLEARED ? "end" : undefined);
  const { old, weight } = beyondNewest(before, replacing, PRUNE_PROTECTED, isDone);
  if (weight > PRUNE_LEAST) for (const { id } of old) replacing.set(id, CLEARED);
}

const MASK_PROTECTED = 50_000;
const MASK_LEAST = 30_000;
const PREVIEW = 250;
const MASK = "<tool_output_masked>";

/** Shows only the ends of results behind the newest 50,000 tokens of them, once those are 30,000. */
export function maskOld(history: History, replacing: Replacing) {
  const isDone = (text: string) => (text.startsWith(MASK) ? "skip" : undefined);
  // The newest message is left alone.
  const { old, weight } = beyondNewest(history.slice(0, -1), replacing, MASK_PROTECTED, isDone);
  if (weight < MASK_LEAST) return;
  for (const { id, text } of old) {
    const masked = `${MASK}\n${text.slice(0, PREVIEW)}\n...\n${text.slice(-PREVIEW)}\nFull output: tool-outputs/${id}.txt`;
    if (masked.length < text.length) replacing.set(id, masked);
  }
}
