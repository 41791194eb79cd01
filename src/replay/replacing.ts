// Tool results that are shown as something else from some moment on: cleared, cut or masked.
import { blocksOf, type History, type HistoryItem, isToolResult, type Message } from "../messages/index.ts";

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
