// What the recorded agent needed: the identifiers and lines its calls use, and whether the window still shows them.
import { isObject, optionalString, stringsIn } from "../lib/index.ts";
import {
  type Block,
  blocksOf,
  type History,
  isText,
  isThinking,
  isToolUse,
  type Message,
  type ToolUseBlock,
  textOf,
} from "../messages/index.ts";

/** Identifiers of at least 14 characters: long enough to be copied and not thought of. */
const identifier = /[A-Za-z_][\w-]{12,}\w/g;
const SHORTEST_LINE = 14;

/** The identifiers of a text, each as often as it stands there. */
export function identifiersIn(text: string): string[] {
  return text.match(identifier) ?? [];
}

/** The identifiers a call uses, and the lines it expects to find in a file. */
export function needsOf(call: ToolUseBlock): ReadonlySet<string> {
  const needs = new Set<string>();
  for (const text of stringsIn(call.input)) for (const name of identifiersIn(text)) needs.add(name);
  for (const line of oldLines(call.input)) needs.add(line);
  return needs;
}

function oldLines(input: unknown) {
  if (!isObject(input)) return [];
  const { old_string, edits } = input;
  return [old_string, ...(Array.isArray(edits) ? edits.map((edit) => edit?.old_string) : [])]
    .filter((text) => typeof text === "string")
    .flatMap((text) => text.split("\n"))
    .map((line) => line.trim())
    .filter((line) => line.length >= SHORTEST_LINE);
}

/** Computes the text of an object once. */
function remembered<T extends object>(compute: (key: T) => string): (key: T) => string {
  const texts = new WeakMap<T, string>();
  return (key) => {
    const text = texts.get(key) ?? compute(key);
    texts.set(key, text);
    return text;
  };
}

/** Everything the model can read in a message: texts, calls, results and its own thinking. */
export const readableText = remembered((message: Message) => blocksOf(message).map(blockText).join("\n"));

function blockText(block: Block) {
  if (isText(block)) return block.text;
  if (isThinking(block)) return optionalString(block.thinking) ?? "";
  if (isToolUse(block)) return stringsIn(block.input).join("\n");
  if ("content" in block) return textOf(block.content);
  return "";
}

/**
 * Compares a call with what the window shows and with everything that was ever known before it: `known` counts what it
 * needs and was known, `missing` is the part of that which the window does not show.
 */
export function lookUp(
  call: ToolUseBlock,
  view: History,
  everything: History,
): { readonly known: number; readonly missing: readonly string[] } {
  const missing: string[] = [];
  let known = 0;
  const shown = shownText(view);
  for (const need of needsOf(call)) {
    if (shown.includes(need)) known++;
    else if (newestWith(need, everything)) {
      known++;
      missing.push(need);
    }
  }
  return { known, missing };
}

const shownText = remembered((view: History) => view.map(({ message }) => readableText(message)).join("\n"));

/** The newest message that holds a text. */
export function newestWith(text: string, items: History) {
  return items.findLast(({ message }) => readableText(message).includes(text));
}

const LINES_AROUND = 15;
const SLICE_LIMIT = 4_000;

/** What a recall of `text` brings back: the lines around it. */
export function sliceAround(text: string, source: Message) {
  const whole = readableText(source);
  const lines = whole.split("\n");
  const at = lines.findIndex((line) => line.includes(text));
  if (at < 0) return whole.slice(0, SLICE_LIMIT);
  return lines
    .slice(Math.max(0, at - LINES_AROUND), at + LINES_AROUND + 1)
    .join("\n")
    .slice(0, SLICE_LIMIT);
}
