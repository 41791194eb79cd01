// What stands in the window after a compaction: the recorded summary or one like it, and the files read last.

import { isObject, stringsIn } from "../lib/index.ts";
import {
  blocksOf,
  type History,
  type HistoryItem,
  isToolUse,
  type Message,
  textOf,
  toolPairs,
  userWords,
} from "../messages/index.ts";
import { identifiersIn, readableText } from "./need.ts";

/** The median of recorded summaries, in characters. */
const USUAL_LENGTH = 11_664;
/** The user's words take at most this much of it. */
const WORDS_LENGTH = USUAL_LENGTH / 2;
/** The median of long names in recorded summaries. */
const USUAL_NAMES = 30;

export function summaryItem(id: string, text: string): HistoryItem {
  return { id, message: { role: "user", content: text }, meta: true, compactSummary: true };
}

/**
 * A summary where none was recorded: the user's newest words, then as many names as usual, those that calls used last.
 * At recorded compactions it shows as much of what was needed next as the recorded ones did: 38.0 % against 36.7 %.
 */
export function inventedSummary(history: History) {
  const words = history
    .map(userWords)
    .filter((text) => text !== "")
    .join("\n")
    .slice(-WORDS_LENGTH);
  const names = new Set<string>();
  for (const name of namesNewestFirst(history)) {
    if (names.size === USUAL_NAMES) break;
    names.add(name);
  }
  const text = [words, ...names].join("\n").slice(0, USUAL_LENGTH);
  return text + ".".repeat(USUAL_LENGTH - text.length);
}

function* namesNewestFirst(history: History): Generator<string> {
  for (const { message, compactSummary } of history.toReversed())
    yield* identifiersIn(compactSummary ? readableText(message) : callsText(message));
}

function callsText(message: Message) {
  return blocksOf(message)
    .filter(isToolUse)
    .flatMap(({ input }) => stringsIn(input))
    .join("\n");
}

const FILES_ATTACHED = 5;
const FILE_CHARACTERS_PER_TOKEN = 2.8;

/** The files read last, newest first, cut to what the agent had room for. */
export function lastReadFiles(history: History, tokens: number) {
  const seen = new Set<string>();
  const texts: string[] = [];
  for (const pair of toolPairs(history).reverse()) {
    const { input } = pair.use;
    const file = pair.name === "Read" && isObject(input) ? input.file_path : undefined;
    if (typeof file !== "string" || !pair.result || seen.has(file) || seen.size >= FILES_ATTACHED) continue;
    seen.add(file);
    texts.push(textOf(pair.result.content));
  }
  const room = Math.floor((Math.max(0, tokens) * FILE_CHARACTERS_PER_TOKEN) / Math.max(1, texts.length));
  const attached = texts.map((text) => text.slice(0, room)).join("\n");
  return attached.trim() === "" ? [] : [summaryItem("attached-files", attached)];
}
