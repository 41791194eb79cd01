// What the recorded agent needed: the identifiers and lines its calls use, and whether the window still shows them.
import { stringsIn } from "../lib/index.ts";
import {
  type Block,
  blocksOf,
  type History,
  type HistoryItem,
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
  if (typeof input !== "object" || input === null) return [];
  const fields = input as { old_string?: unknown; edits?: unknown };
  const texts = [
    fields.old_string,
    ...(Array.isArray(fields.edits) ? fields.edits.map((edit) => edit?.old_string) : []),
  ];
  return texts
    .filter((text) => typeof text === "string")
    .flatMap((text) => text.split("\n"))
    .map((line) => line.trim())
    .filter((line) => line.length >= SHORTEST_LINE);
}

const messageTexts = new WeakMap<Message, string>();

/** Everything the model can read in a message: texts, calls, results and its own thinking. */
export function readableText(message: Message): string {
  let text = messageTexts.get(message);
  if (text === undefined) {
    text = blocksOf(message).map(blockText).join("\n");
    messageTexts.set(message, text);
  }
  return text;
}

function blockText(block: Block) {
  if (isText(block)) return block.text;
  if (isThinking(block)) return typeof block.thinking === "string" ? block.thinking : "";
  if (isToolUse(block)) return stringsIn(block.input).join("\n");
  if ("content" in block) return textOf(block.content);
  return "";
}

interface NeededByCall {
  /** Needed and known before the call. */
  readonly known: number;
  /** Of those, what the window does not show. */
  readonly missing: readonly string[];
}

/** Compares a call with what the window shows and with everything that was ever known before it. */
export function lookUp(call: ToolUseBlock, view: History, everything: History): NeededByCall {
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

const viewTexts = new WeakMap<History, string>();

function shownText(view: History) {
  let text = viewTexts.get(view);
  if (text === undefined) {
    text = view.map(({ message }) => readableText(message)).join("\n");
    viewTexts.set(view, text);
  }
  return text;
}

/** The newest message that holds a text. */
export function newestWith(text: string, items: History): HistoryItem | undefined {
  return items.findLast(({ message }) => readableText(message).includes(text));
}

const LINES_AROUND = 15;
const SLICE_LIMIT = 4_000;

/** What a recall of `text` brings back: the lines around it. */
export function sliceAround(text: string, source: Message): string {
  const whole = readableText(source);
  const lines = whole.split("\n");
  const at = lines.findIndex((line) => line.includes(text));
  if (at < 0) return whole.slice(0, SLICE_LIMIT);
  return lines
    .slice(Math.max(0, at - LINES_AROUND), at + LINES_AROUND + 1)
    .join("\n")
    .slice(0, SLICE_LIMIT);
}
