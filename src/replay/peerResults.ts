// What other agents do to tool results: cut them when they arrive, clear or mask them when there are many.
import { type History, isUserInput, type ToolPair, textOf, toolPairs } from "../messages/index.ts";
import { CLEARED } from "../pipeline/index.ts";
import type { Replacing } from "./replacing.ts";
import { quarterTokens } from "./tail.ts";

function resultText({ result }: ToolPair, replacing: Replacing) {
  return replacing.textOf(result?.tool_use_id ?? "") ?? textOf(result?.content);
}

/** Results that are too long are short from the first time they are sent. */
export function cutOnArrival(history: History, replacing: Replacing, cut: (text: string) => string): void {
  for (const pair of toolPairs(history)) {
    if (!pair.result || replacing.textOf(pair.id) !== undefined) continue;
    const text = textOf(pair.result.content);
    const shorter = cut(text);
    if (shorter.length < text.length) replacing.set(pair.id, shorter);
  }
}

const PRUNE_PROTECTED = 40_000;
const PRUNE_LEAST = 20_000;
/** The two turns that had ended when it ran, and the one that has just begun. */
const PROTECTED_TURNS = 3;

/** Clears results behind the newest 40,000 tokens of them, if that frees more than 20,000. */
export function pruneOld(history: History, replacing: Replacing): void {
  const turns = history.flatMap((item, at) => (isUserInput(item) ? [at] : []));
  const end = turns.at(-PROTECTED_TURNS) ?? 0;
  const clear: string[] = [];
  let [seen, freed] = [0, 0];
  for (const pair of toolPairs(history.slice(0, end)).reverse()) {
    if (!pair.result) continue;
    const text = resultText(pair, replacing);
    if (text === CLEARED) break;
    const tokens = quarterTokens(text);
    seen += tokens;
    if (seen <= PRUNE_PROTECTED) continue;
    freed += tokens;
    clear.push(pair.id);
  }
  if (freed > PRUNE_LEAST) for (const id of clear) replacing.set(id, CLEARED);
}

const MASK_PROTECTED = 50_000;
const MASK_LEAST = 30_000;
const PREVIEW = 250;
const MASK = "<tool_output_masked>";

/** Shows only the ends of results behind the newest 50,000 tokens of them, once those are 30,000. */
export function maskOld(history: History, replacing: Replacing): void {
  const old: { id: string; text: string }[] = [];
  let [seen, prunable] = [0, 0];
  // The newest message is left alone.
  for (const pair of toolPairs(history.slice(0, -1)).reverse()) {
    if (!pair.result) continue;
    const text = resultText(pair, replacing);
    if (text.startsWith(MASK)) continue;
    const tokens = quarterTokens(text);
    seen += tokens;
    if (seen <= MASK_PROTECTED) continue;
    prunable += tokens;
    old.push({ id: pair.id, text });
  }
  if (prunable < MASK_LEAST) return;
  for (const { id, text } of old) {
    const masked = `${MASK}\n${text.slice(0, PREVIEW)}\n...\n${text.slice(-PREVIEW)}\nFull output: tool-outputs/${id}.txt`;
    if (masked.length < text.length) replacing.set(id, masked);
  }
}
