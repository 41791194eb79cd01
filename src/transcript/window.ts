// What the model still sees of a conversation: behind the last compaction, without what was snipped, in a form that can be sent.
import { defined } from "../lib/index.ts";
import { blocksOf, isText, type Message } from "../messages/index.ts";
import type { Conversation, TranscriptItem } from "./model.ts";

/**
 * Behind the last compaction: its summary, the messages it kept, and all that came later. Without a compaction
 * the whole thread. Turns that were snipped are left out, and what followed them follows what stood before them. Results
 * emptied by a microcompaction and collapsed spans are shown as they were.
 */
export function windowItems(conversation: Pick<Conversation, "items" | "boundaries">): TranscriptItem[] {
  const removed = conversation.boundaries.flatMap((each) => (each.kind === "snip" ? each.removedUuids : []));
  const items = compactedItems(conversation);
  return removed.length === 0 ? items : withoutRemoved(items, new Set(removed));
}

/** A message leaves with the first of its rows. A parent that left is replaced by the nearest one before it that stays. */
function withoutRemoved(items: readonly TranscriptItem[], removed: ReadonlySet<string>) {
  const parents = new Map(items.flatMap(({ uuids, parent }) => uuids.map((uuid) => [uuid, parent] as const)));
  const staying = (uuid: string | undefined) => {
    const seen = new Set<string>();
    let at = uuid;
    while (at !== undefined && removed.has(at) && !seen.has(at)) {
      seen.add(at);
      at = parents.get(at);
    }
    return at;
  };
  return items
    .filter(({ id }) => !removed.has(id))
    .map((item) => {
      if (item.parent === undefined || !removed.has(item.parent)) return item;
      const { parent, ...rest } = item;
      return { ...rest, ...defined({ parent: staying(parent) }) };
    });
}

function compactedItems(conversation: Pick<Conversation, "items" | "boundaries">) {
  const { items, boundaries } = conversation;
  const last = boundaries.findLast((boundary) => boundary.kind === "compact");
  if (!last) return items.filter(isShown);
  const preserved = new Set(last.preserved);
  const kept = items.slice(0, last.index).filter((item) => preserved.has(item.id));
  const later = items.slice(last.index);
  const anchor = last.preservedMessages?.anchorUuid ?? last.preservedSegment?.anchorUuid;
  const behind = anchor !== undefined && anchor === last.uuid ? 0 : placeBehind(later, anchor);
  return [...later.slice(0, behind), ...kept, ...later.slice(behind)].filter(isShown);
}

/** Behind the anchor, or where that is not known behind the summary. */
function placeBehind(items: readonly TranscriptItem[], anchor: string | undefined) {
  const anchored = items.findIndex((item) => anchor !== undefined && item.uuids.includes(anchor));
  return (anchored < 0 ? items.findIndex((item) => item.compactSummary) : anchored) + 1;
}

const LOST_BEGINNING = "[the beginning of this conversation is not in its transcript]";

/**
 * The API takes no conversation that the assistant or a result begins, and a transcript may have lost its first rows: a
 * note then stands in their place, first in the list.
 */
export function sendableItems(items: readonly TranscriptItem[]): readonly TranscriptItem[] {
  const [first] = items;
  if (!first || isOpening(first.message)) return items;
  const message = { role: "user", content: LOST_BEGINNING } as const;
  return [defined({ id: `before-${first.id}`, message, at: first.at, uuids: [] }), ...items];
}

function isOpening(message: Message) {
  if (message.role !== "user") return blocksOf(message)[0]?.type === "compaction";
  return blocksOf(message).some(
    (block) => block.type !== "tool_result" && !(isText(block) && block.text === ""),
  );
}

function isShown(item: TranscriptItem) {
  return !item.isApiError;
}
