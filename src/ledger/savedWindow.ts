// The window between two requests as it is kept on disk: messages of the history by their position, others as they are.
import { isObject } from "../lib/index.ts";
import type { History, HistoryItem, Message } from "../messages/index.ts";
import type { RequestParams, Skip } from "./apply.ts";
import { isMessage } from "./edits.ts";
import { shownAs, unchangedItem, type ViewItem } from "./view.ts";

/** A message that an edit changed, or that one brought in under an id of its own. */
interface SavedItem {
  readonly position: number;
  readonly message: Message;
  readonly id?: string;
}

/** What the token counter of a model knows of the messages: ids of the last ones, and how many of what are in all of them. */
export interface CountedWindow {
  readonly model: string;
  readonly lastIds: readonly string[];
  readonly shape: number[];
}

/** What the first entries of a ledger made of a history: as good as carrying them out again. */
export interface SavedWindow {
  /** How many entries, and the id of the last one. */
  readonly entries: number;
  readonly lastEntry: string;
  readonly items: readonly (number | SavedItem)[];
  readonly reached: number;
  readonly pinned: readonly string[];
  readonly tagFrom?: number;
  readonly params: RequestParams;
  /** Tokens of its messages by the family of the extract: of all of them last, before that of fewer and fewer. */
  readonly tokens?: readonly number[];
  /** Bytes and images of all of them. */
  readonly extent?: { readonly bytes: number; readonly images: number };
  readonly counted?: CountedWindow;
  readonly skipped: readonly Skip[];
}

export function savedItems(items: readonly ViewItem[], history: History): SavedWindow["items"] {
  return items.map((item) => {
    const { position, message, id, broughtIn } = item;
    if (broughtIn) return { position, message, id };
    return shownAs(item) === history[position] ? position : { position, message };
  });
}

/** The items again; undefined when the history has no such positions. */
export function restoredItems(saved: SavedWindow["items"], history: History): ViewItem[] | undefined {
  const items: ViewItem[] = [];
  for (const one of saved) {
    const position = typeof one === "number" ? one : one.position;
    const original: HistoryItem | undefined = history[position];
    if (!original) return undefined;
    if (typeof one === "number") items.push(unchangedItem(original, position));
    else if (one.id === undefined) items.push({ ...original, message: one.message, position });
    else items.push({ id: one.id, message: one.message, meta: true, position, broughtIn: true });
  }
  return items;
}

/** Position of the first message of the history that is shown, as it is or changed. */
export function firstShown({ items, reached }: SavedWindow): number {
  for (const item of items) {
    if (typeof item === "number") return Math.min(item, reached);
    if (item.id === undefined) return Math.min(item.position, reached);
  }
  return reached;
}

const isCount = (value: unknown) => Number.isInteger(value) && Number(value) >= 0;

function isSavedItem(value: unknown) {
  if (typeof value === "number") return isCount(value);
  return (
    isObject(value) &&
    isCount(value.position) &&
    isMessage(value.message) &&
    (value.id === undefined || typeof value.id === "string")
  );
}

const isNumbers = (value: unknown) =>
  Array.isArray(value) && value.length > 0 && value.every((one) => typeof one === "number");

function isCounted(value: unknown) {
  return (
    isObject(value) &&
    typeof value.model === "string" &&
    Array.isArray(value.lastIds) &&
    value.lastIds.every((id) => typeof id === "string") &&
    isNumbers(value.shape)
  );
}

/** What is wrong with a value that should be a saved window, or undefined when nothing is. */
export function windowProblem(value: unknown): string | undefined {
  if (!isObject(value)) return "not an object";
  const { entries, lastEntry, items, reached, pinned, tagFrom, params, tokens, extent, counted, skipped } =
    value;
  const isSound =
    isCount(entries) &&
    typeof lastEntry === "string" &&
    isCount(reached) &&
    Array.isArray(pinned) &&
    Array.isArray(skipped) &&
    (tagFrom === undefined || isCount(tagFrom)) &&
    (tokens === undefined || isNumbers(tokens)) &&
    (extent === undefined || (isObject(extent) && isCount(extent.bytes) && isCount(extent.images))) &&
    (counted === undefined || isCounted(counted)) &&
    isObject(params) &&
    isObject(params.body) &&
    Array.isArray(params.betas);
  if (!isSound) return "a field is missing or of another type";
  return Array.isArray(items) && items.every(isSavedItem) ? undefined : "an item is none";
}
