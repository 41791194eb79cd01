// Conversations of other agents and APIs as messages of ours, and edits of those messages carried out on the originals.
import { isDeepStrictEqual } from "node:util";
import type { JsonObject } from "../lib/index.ts";
import type { Block, Message } from "../messages/index.ts";

/** The part of an item that a block was made of. */
export interface BlockSource {
  readonly item: number;
  readonly part: number;
}

/** A conversation as messages of ours. What a block does not show stays in the item. */
export interface ReadItems {
  readonly messages: readonly Message[];
  /** For each message, for each of its blocks; a content that is one string is one block. */
  readonly sources: readonly (readonly BlockSource[])[];
}

/** What becomes of the parts of an item, by their index: another block, or none. Parts that are not named stay as they are. */
export type PartChanges = ReadonlyMap<number, Block | null>;

/** How one agent or API writes a conversation. */
export interface MessageDialect {
  readonly name: string;
  /** Total: an item that is not understood has no message, and stays. */
  read(items: readonly JsonObject[]): ReadItems;
  /** An item with some of its parts changed; undefined where nothing of it is left. */
  rewrite(item: JsonObject, changes: PartChanges): JsonObject | undefined;
  /** Items for a message that was none before. `like`: an item of the same conversation, for what every item must have. */
  write(message: Message, like: JsonObject | undefined): readonly JsonObject[];
}

/** Collects messages with their sources. */
export class ItemReader {
  readonly messages: Message[] = [];
  readonly sources: (readonly BlockSource[])[] = [];

  add(role: Message["role"], blocks: readonly (readonly [Block, BlockSource])[]): void {
    if (blocks.length === 0) return;
    this.messages.push({ role, content: blocks.map(([block]) => block) });
    this.sources.push(blocks.map(([, source]) => source));
  }
}

/** An edit of our messages, as carriers get it; see `live`. */
export type MessageEdit =
  | { readonly kind: "blocks"; readonly at: number; readonly blocks: Readonly<Record<string, string | null>> }
  | {
      readonly kind: "span";
      readonly at: number;
      readonly end: number;
      readonly messages: readonly string[];
    };

interface Changes {
  readonly parts: Map<number, Map<number, Block | null>>;
  /** Messages that come in, by the index of the item that they stand before. */
  readonly put: Map<number, Message[]>;
}

function change({ parts }: Changes, { item, part }: BlockSource, block: Block | null) {
  const known = parts.get(item) ?? new Map<number, Block | null>();
  // A part can stand for a call and its result: it leaves when both do, and a change of one of them holds.
  if (block !== null || known.get(part) === undefined) known.set(part, block);
  parts.set(item, known);
}

/** The item at which message `at` begins; behind all items for the end. */
const itemAt = ({ sources }: ReadItems, at: number, items: readonly JsonObject[]) =>
  sources[at]?.[0]?.item ?? items.length;

function collect(items: readonly JsonObject[], read: ReadItems, edits: readonly MessageEdit[]) {
  const changes: Changes = { parts: new Map(), put: new Map() };
  for (const edit of edits) {
    if (edit.kind === "blocks") {
      for (const [index, text] of Object.entries(edit.blocks)) {
        const source = read.sources[edit.at]?.[Number(index)];
        if (!source) return undefined;
        const block = text === null ? null : (JSON.parse(text) as Block);
        // Arguments are text in some dialects: only what differs is written anew.
        if (!isDeepStrictEqual(block, read.messages[edit.at]?.content[Number(index)]))
          change(changes, source, block);
      }
      continue;
    }
    if (edit.end > read.messages.length) return undefined;
    for (const source of read.sources.slice(edit.at, edit.end).flat()) change(changes, source, null);
    const before = itemAt(read, edit.at, items);
    const put = edit.messages.map((text) => JSON.parse(text) as Message);
    changes.put.set(before, [...(changes.put.get(before) ?? []), ...put]);
  }
  return changes;
}

/**
 * The items with the edits carried out: an item that no edit names is the same object. Undefined where an edit does not fit
 * the conversation.
 */
export function rewriteItems(
  dialect: MessageDialect,
  items: readonly JsonObject[],
  read: ReadItems,
  edits: readonly MessageEdit[],
): JsonObject[] | undefined {
  const changes = collect(items, read, edits);
  if (!changes) return undefined;
  const written = (at: number) =>
    (changes.put.get(at) ?? []).flatMap((message) => dialect.write(message, items[at] ?? items.at(-1)));
  const kept = items.flatMap((item, at) => {
    const parts = changes.parts.get(at);
    const own = parts === undefined ? item : dialect.rewrite(item, parts);
    return [...written(at), ...(own === undefined ? [] : [own])];
  });
  return [...kept, ...written(items.length)];
}

/** The arguments of a call after its input was edited, where the input is in other terms than the arguments. */
export function editedArguments(args: JsonObject, before: unknown, after: unknown): JsonObject {
  const [old, now] = [before, after].map((value) =>
    typeof value === "object" && value !== null ? (value as JsonObject) : {},
  ) as [JsonObject, JsonObject];
  const changed = (value: unknown) => {
    const name = Object.keys(old).find((key) => old[key] === value && now[key] !== undefined);
    return name === undefined ? value : now[name];
  };
  return Object.fromEntries(Object.entries(args).map(([name, value]) => [name, changed(value)]));
}
