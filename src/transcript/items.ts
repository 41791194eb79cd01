// Messages of a thread with their contents: rows of one message merged, with what is known of each.
import { defined } from "../lib/index.ts";
import { blocksOf, isToolResult, type Message, promptTokens } from "../messages/index.ts";
import type { MessageEntry, TranscriptEntry } from "./dialect.ts";
import type { Layout } from "./layout.ts";
import type { TranscriptAttachment, TranscriptItem, TranscriptRequest } from "./model.ts";
import { NONE } from "./skeleton.ts";
import { isRealModel } from "./tally.ts";
import type { Thread } from "./thread.ts";

/** The kept entry of a row, by the row's number. */
export type EntryOf = (row: number) => TranscriptEntry | undefined;

type MessageRow = TranscriptEntry & MessageEntry;

export function itemsOf(thread: Thread, layout: Layout, entryOf: EntryOf): TranscriptItem[] {
  const merged: MessageRow[][] = layout.firstRows.map(() => []);
  for (const row of thread.order.toSorted((a, b) => a - b)) {
    const entry = entryOf(row);
    if (entry?.kind === "message") merged[layout.itemOf(row) ?? NONE]?.push(entry);
  }
  return merged.map(mergedItem);
}

function mergedItem(entries: readonly MessageRow[]): TranscriptItem {
  const [first] = entries;
  // The last row of a response has the fullest usage: earlier ones were written while it streamed.
  const usage = entries.findLast((entry) => entry.response?.usage)?.response?.usage;
  const stopReason = entries.findLast((entry) => entry.response?.stopReason)?.response?.stopReason;
  const folders = new Set(entries.flatMap(({ session }) => session?.cwd ?? []));
  return {
    id: first?.id ?? "",
    message: mergedMessage(entries),
    uuids: entries.map((entry) => entry.id ?? ""),
    ...defined({
      at: first?.at,
      meta: first?.meta,
      compactSummary: first?.compactSummary,
      isApiError: first?.isApiError,
      parent: first?.parent ?? undefined,
      model: first?.response?.model,
      requestId: first?.response?.requestId,
      messageId: first?.response?.messageId,
      usage,
      stopReason,
      folders: folders.size === 0 ? undefined : [...folders],
    }),
  };
}

function mergedMessage(entries: readonly MessageRow[]): Message {
  const [first] = entries;
  if (first && entries.length === 1) return first.message;
  if (first?.message.role === "assistant") return { role: "assistant", content: responseBlocks(entries) };
  const blocks = entries.flatMap((entry) => blocksOf(entry.message));
  // The API wants every result before anything else in the message.
  const results = blocks.filter(isToolResult);
  return { role: "user", content: [...results, ...blocks.filter((block) => !isToolResult(block))] };
}

function responseBlocks(entries: readonly MessageRow[]) {
  const numbered = entries.every((entry) => entry.response?.blockIndex !== undefined);
  const place = (entry: MessageRow) => entry.response?.blockIndex ?? 0;
  const ordered = numbered ? entries.toSorted((a, b) => place(a) - place(b)) : entries;
  return ordered.flatMap((entry) => blocksOf(entry.message));
}

export function attachmentsOf(layout: Layout, entryOf: EntryOf): TranscriptAttachment[] {
  return [...layout.marks].flatMap(([row, index]) => {
    const entry = entryOf(row);
    if (entry?.kind !== "attachment") return [];
    const { type, text, role } = entry;
    return [{ type, uuid: entry.id ?? "", index, ...defined({ text, role }) }];
  });
}

/** One per answered request, in order. What a client wrote in a model's name answers none. */
export function requestsOf(items: readonly TranscriptItem[]): TranscriptRequest[] {
  return items.flatMap(({ isApiError, model, usage, messageId, at }, itemIndex) => {
    if (isApiError || !usage || (model !== undefined && !isRealModel(model))) return [];
    // An aborted request reports nothing that was sent.
    if (promptTokens(usage) === 0) return [];
    return [{ itemIndex, usage, ...defined({ messageId, at, model }) }];
  });
}
