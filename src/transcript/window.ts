// What the model still sees at the end of a conversation.
import { blocksOf, isText, type Message } from "../messages/index.ts";
import type { Conversation, TranscriptItem } from "./model.ts";

/**
 * Behind the last compaction: its summary, the messages it kept, and all that came later. Without a compaction
 * the whole thread. Results emptied by a microcompaction and collapsed spans are shown as they were.
 */
export function windowItems(conversation: Pick<Conversation, "items" | "boundaries">): TranscriptItem[] {
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
function placeBehind(items: readonly TranscriptItem[], anchor: string | undefined): number {
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
  if (first === undefined || isOpening(first.message)) return items;
  const at = first.at === undefined ? {} : { at: first.at };
  const note = {
    id: `before-${first.id}`,
    message: { role: "user", content: LOST_BEGINNING },
    ...at,
  } as const;
  return [{ ...note, uuids: [] }, ...items];
}

function isOpening(message: Message): boolean {
  if (message.role !== "user") return blocksOf(message)[0]?.type === "compaction";
  return blocksOf(message).some(
    (block) => block.type !== "tool_result" && !(isText(block) && block.text === ""),
  );
}

function isShown(item: TranscriptItem): boolean {
  return !item.isApiError;
}
