// Where a thread was compacted, and which of the messages before stayed in view.
import { present } from "./fields.ts";
import type { Layout } from "./layout.ts";
import type { BoundaryFacts, CompactBoundary, TranscriptBoundary } from "./model.ts";
import type { Skeleton } from "./skeleton.ts";
import type { Thread } from "./thread.ts";

/** The thread's boundaries in order. `contentsOf` gives what the skeleton does not keep of one, where it is known. */
export function boundariesOf(
  skeleton: Skeleton,
  thread: Thread,
  layout: Layout,
  contentsOf?: (row: number) => BoundaryFacts | undefined,
): TranscriptBoundary[] {
  const boundaries: TranscriptBoundary[] = [];
  for (const [row, index] of layout.marks) {
    const kept = skeleton.boundaries.get(row);
    if (!kept) continue;
    const facts = contentsOf?.(row) ?? kept.facts;
    const rows = facts.kind === "compact" ? preservedRows(skeleton, thread, facts) : [];
    const items = new Set(rows.map(layout.itemOf).filter((item) => item !== undefined));
    const earlier = [...items].filter((item) => item < index).sort((a, b) => a - b);
    const preserved = earlier
      .map((item) => skeleton.idOf(layout.firstRows[item] ?? -1))
      .filter((id) => id !== undefined);
    boundaries.push({ ...facts, index, preserved, ...present({ uuid: skeleton.idOf(row), at: kept.at }) });
  }
  return boundaries;
}

function preservedRows(skeleton: Skeleton, thread: Thread, facts: CompactBoundary): readonly number[] {
  const { preservedMessages: messages, preservedSegment: segment } = facts;
  if (messages) return messages.uuids.map((id) => skeleton.rowOf(id));
  const head = segment ? thread.order.indexOf(skeleton.rowOf(segment.headUuid)) : -1;
  const tail = segment ? thread.order.indexOf(skeleton.rowOf(segment.tailUuid)) : -1;
  return head < 0 ? [] : thread.order.slice(head, tail + 1);
}
