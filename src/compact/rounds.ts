// Rounds of a conversation: an answer of the model with what came back to it; the smallest piece that can be left out.
import { type History, toolPairs } from "../messages/index.ts";

/** Index of the first item of every round. What comes before the first answer is the first round. */
export function roundStarts(history: History): number[] {
  const whole = insidePairs(history);
  const starts = history.length > 0 ? [0] : [];
  for (let index = 1; index < history.length; index++) {
    const opens =
      history[index]?.message.role === "assistant" && history[index - 1]?.message.role !== "assistant";
    if (opens && !whole.has(index)) starts.push(index);
  }
  return starts;
}

/** Indices at which a cut would part a call from its result. */
function insidePairs(history: History) {
  const inside = new Set<number>();
  for (const { useAt, resultAt } of toolPairs(history))
    for (let index = useAt.item + 1; index <= (resultAt?.item ?? useAt.item); index++) inside.add(index);
  return inside;
}

/** Without a number from the API a fifth of the rounds goes. */
const SHARE = 0.2;

/**
 * Where the conversation has to begin so that at least `gap` tokens are gone, or a fifth of the rounds when nothing is
 * known. The last round always stays; undefined when there is nothing that could go.
 */
export function startWithout(
  history: History,
  gap: number | undefined,
  weigh: (items: History) => number,
): number | undefined {
  const starts = roundStarts(history);
  if (starts.length < 2) return undefined;
  if (gap === undefined || gap <= 0) return starts[Math.max(1, Math.floor(starts.length * SHARE))];
  const allowed = weigh(history) - gap;
  // The fewer rounds are left, the less they weigh: the first that is light enough is found by halving.
  let low = 1;
  let high = starts.length - 1;
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    if (weigh(history.slice(starts[middle])) <= allowed) high = middle;
    else low = middle + 1;
  }
  return starts[low];
}
