// Where a compaction cut: the marker, the three ids it leaves, and how a resumed history is joined to it again.
import type { History, HistoryItem, Message } from "../messages/index.ts";

/** Stands first in a compacted window. Other programs look for it. */
export const BOUNDARY_MARKER = "<compact boundary>";

/** Ids of the first message of the session, the last one that the summary stands for, and the last one kept. */
export interface PreservedSegment {
  readonly headUuid: string;
  readonly anchorUuid: string;
  readonly tailUuid: string;
}

export function boundaryMessage(): Message {
  return { role: "user", content: BOUNDARY_MARKER };
}

/** A boundary as it stands in a transcript. */
interface BoundaryRecord {
  readonly type: "user";
  readonly isMeta: true;
  readonly message: { readonly content: string };
  readonly compactMetadata: { readonly preservedSegment: PreservedSegment };
}

/** The row that marks a compaction, with the messages that stay. */
export function boundaryRecord(preservedSegment: PreservedSegment): BoundaryRecord {
  return {
    type: "user",
    isMeta: true,
    message: { content: BOUNDARY_MARKER },
    compactMetadata: { preservedSegment },
  };
}

/**
 * The ids of a compaction that keeps what begins at `start`, an index into the original history. Always ids of
 * originals: a message that an earlier compaction brought in is in no transcript. Undefined when nothing leaves.
 */
export function preservedSegment(history: History, start: number): PreservedSegment | undefined {
  const head = history[0];
  const anchor = history[start - 1];
  const tail = history.at(-1);
  return head && anchor && tail ? { headUuid: head.id, anchorUuid: anchor.id, tailUuid: tail.id } : undefined;
}

/** A message, with the ids of all the rows it was read from where a transcript has several for one. */
export type LinkedItem = HistoryItem & { readonly uuids?: readonly string[] };

/** The parts of a history around a compaction. The window is the summary, `kept`, the attachments, `later`. */
export interface Relinked<Item extends LinkedItem = HistoryItem> {
  /** What the summary stands for. */
  readonly archived: readonly Item[];
  /** What was kept word for word. */
  readonly kept: readonly Item[];
  /** What came after the compaction. */
  readonly later: readonly Item[];
  /** The tail is not among the messages: what follows the anchor may be another branch. */
  readonly forked: boolean;
}

/**
 * Joins a resumed history to a boundary. Undefined when the compaction is not of this history: what it summed up was
 * left behind by a rewind, and the history stands for itself.
 *
 * Two agents use these ids in two ways. Ours, and the older form: the summary stands for head to anchor. The other:
 * head to tail are the kept messages, and the anchor is the row they are shown behind, a summary or no message.
 */
export function relink<Item extends LinkedItem>(
  history: readonly Item[],
  segment: Partial<PreservedSegment>,
): Relinked<Item> | undefined {
  const at = (uuid: string | undefined) =>
    history.findIndex(({ id, uuids }) => uuid !== undefined && (id === uuid || uuids?.includes(uuid)));
  const [head, anchor, tail] = [at(segment.headUuid), at(segment.anchorUuid), at(segment.tailUuid)];
  const forked = tail < 0;
  const isSummary = history[anchor]?.compactSummary === true;
  const archivesToAnchor = anchor >= 0 && !isSummary && (forked || anchor <= tail);
  if (archivesToAnchor) return dividedAt(history, anchor + 1, forked ? history.length : tail + 1, forked);
  // A tail that is no message: the kept ones end at the latest where the summary stands.
  const end = forked ? anchor : tail + 1;
  return head >= 0 && head < end ? dividedAt(history, head, end, forked) : undefined;
}

function dividedAt<Item extends LinkedItem>(
  history: readonly Item[],
  first: number,
  end: number,
  forked: boolean,
): Relinked<Item> {
  return {
    archived: history.slice(0, first),
    kept: history.slice(first, end),
    later: history.slice(end),
    forked,
  };
}
