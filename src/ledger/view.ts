// The window while edits are carried out on it: items that know where in the history they stand.
import { blocksOf, type History, type HistoryItem, type Message } from "../messages/index.ts";
import type { Splice } from "./splice.ts";

export interface ViewItem extends HistoryItem {
  /** Index in the history; for a message that an edit brought in, that of the item it stands behind. */
  readonly position: number;
  readonly broughtIn?: true;
}

export class View {
  items: readonly ViewItem[];
  /** Index in the history of every original item. */
  readonly positions: ReadonlyMap<string, number>;
  #results: Map<string, number> | undefined;
  #indexedFor: readonly ViewItem[] | undefined;

  constructor(history: History) {
    this.items = history.map((item, position) => ({ ...item, position }));
    this.positions = new Map(history.map(({ id }, position) => [id, position]));
  }

  indexOf(id: string): number {
    return this.items.findIndex((item) => item.id === id);
  }

  /** Index of the item that answers a tool call. */
  resultIndex(toolUseId: string): number | undefined {
    if (!this.#results || this.#indexedFor !== this.items) {
      this.#results = indexResults(this.items);
      this.#indexedFor = this.items;
    }
    return this.#results.get(toolUseId);
  }

  /** Swaps one item for another that answers the same calls. */
  replaceAt(index: number, item: ViewItem): void {
    const items = this.items.with(index, item);
    if (this.#indexedFor === this.items) this.#indexedFor = items;
    this.items = items;
  }

  /** The items as they would be after a splice; the view itself is not changed. */
  spliced(splice: Splice): readonly ViewItem[] {
    const out: ViewItem[] = [];
    const bring = (after: string | undefined) => {
      for (const group of splice.bring) if (group.after === after) out.push(...group.items);
    };
    bring(undefined);
    for (const item of this.items) {
      if (!splice.remove.has(item.id)) {
        const message: Message | undefined = splice.replace.get(item.id);
        out.push(message ? { ...item, message } : item);
      }
      bring(item.id);
    }
    return out;
  }
}

export function viewOf(history: History): View {
  return new View(history);
}

function indexResults(items: readonly ViewItem[]) {
  const index = new Map<string, number>();
  items.forEach(({ message }, at) => {
    if (message.role !== "user") return;
    for (const block of blocksOf(message)) {
      if (block.type === "tool_result" && typeof block.tool_use_id === "string")
        index.set(block.tool_use_id, at);
    }
  });
  return index;
}
