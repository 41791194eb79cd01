// A turn of ordinary size, whatever it was: what a very long text says is at its beginning and at its end.
import { isObject } from "../lib/index.ts";
import { type Block, blocksOf, type History } from "../messages/index.ts";

const HALF = 10_000;
/** More of it says nothing, and makes patterns slow. */
const emptiness = /\s{64,}/g;

function boundedText(text: string): string {
  const dense = text.length > 64 ? text.replace(emptiness, "\n") : text;
  return dense.length <= 2 * HALF ? dense : `${dense.slice(0, HALF)}\n…\n${dense.slice(-HALF)}`;
}

function boundedValue(value: unknown): unknown {
  if (typeof value === "string") return boundedText(value);
  if (Array.isArray(value)) return value.map(boundedValue);
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, boundedValue(inner)]));
}

const isBlock = (value: unknown): value is Block => isObject(value) && typeof value.type === "string";

export function boundedHistory(history: History): History {
  return history.map((item) => ({
    ...item,
    message: { ...item.message, content: blocksOf(item.message).map(boundedValue).filter(isBlock) },
  }));
}
