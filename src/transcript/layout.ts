// Maps rows to messages: which rows merge into one message, and where boundaries stand between them.

import { defined } from "../lib/index.ts";
import type { BoundaryFacts, CompactBoundary, TranscriptBoundary } from "./model.ts";
import { NONE, type Skeleton } from "./skeleton.ts";
import type { Thread } from "./thread.ts";

export interface Layout {
  /** The first row of each message, in file order: its id is the message's. */
  readonly firstRows: readonly number[];
  /** The message that a row went into; undefined for other rows. */
  readonly itemOf: (row: number) => number | undefined;
  /** Rows that are no messages, in reading order, each with the number of messages before it. */
  readonly marks: ReadonlyMap<number, number>;
  /** Messages left out because they hold nothing. */
  readonly empty: number;
}

/** A place for one message. */
interface Slot {
  firstRow: number;
  /** NONE until a row with content is in it. */
  item: number;
}

/**
 * The rows of one response make one message, and all results of its calls make the one that follows it,
 * as the API gets them, wherever the rows stand.
 */
export function layOut(skeleton: Skeleton, thread: Thread): Layout {
  const slots: Slot[] = [];
  const slotOfRow = new Map<number, Slot>();
  const slotsBefore = new Map<number, number>();
  const responses = new Map<number, { readonly message: Slot; readonly results: Slot }>();
  const openSlot = (): Slot => {
    const slot = { firstRow: NONE, item: NONE };
    slots.push(slot);
    return slot;
  };
  const slotsOf = (response: number) => {
    const opened = responses.get(response) ?? { message: openSlot(), results: openSlot() };
    responses.set(response, opened);
    return opened;
  };
  const slotFor = (row: number) => {
    const response = skeleton.responseOf(row);
    if (response !== NONE) return slotsOf(response).message;
    const callers = skeleton.answersOf(row).map((call) => skeleton.callerOf(call));
    const caller = callers.find((candidate) => thread.includes(candidate)) ?? NONE;
    const answered = skeleton.responseOf(caller);
    return answered === NONE ? openSlot() : slotsOf(answered).results;
  };
  const filled = new Set<Slot>();
  for (const row of thread.order) {
    if (!skeleton.isMessage(row)) {
      slotsBefore.set(row, slots.length);
      continue;
    }
    const slot = slotFor(row);
    slotOfRow.set(row, slot);
    slot.firstRow = slot.firstRow === NONE ? row : Math.min(slot.firstRow, row);
    if (!skeleton.isEmpty(row)) filled.add(slot);
  }
  return numbered(slots, filled, slotOfRow, slotsBefore);
}

/** Numbers the slots that hold something and counts the others out. */
function numbered(
  slots: readonly Slot[],
  filled: ReadonlySet<Slot>,
  slotOfRow: ReadonlyMap<number, Slot>,
  slotsBefore: ReadonlyMap<number, number>,
): Layout {
  const firstRows: number[] = [];
  const itemsBefore = slots.map((slot) => {
    const before = firstRows.length;
    if (filled.has(slot)) {
      slot.item = before;
      firstRows.push(slot.firstRow);
    }
    return before;
  });
  const marks = new Map<number, number>();
  for (const [row, slot] of slotsBefore) marks.set(row, itemsBefore[slot] ?? firstRows.length);
  const itemOf = (row: number) => {
    const item = slotOfRow.get(row)?.item;
    return item === NONE ? undefined : item;
  };
  const empty = slots.filter((slot) => slot.firstRow !== NONE && slot.item === NONE).length;
  return { firstRows, itemOf, marks, empty };
}

/** The thread's boundaries in order. `contentsOf` gives what the skeleton does not keep of one, where it is known. */
export function boundariesOf(
  skeleton: Skeleton,
  thread: Thread,
  layout: Layout,
  contentsOf?: (row: number) => BoundaryFacts | undefined,
) {
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
    boundaries.push({ ...facts, index, preserved, ...defined({ uuid: skeleton.idOf(row), at: kept.at }) });
  }
  return boundaries;
}

function preservedRows(skeleton: Skeleton, thread: Thread, facts: CompactBoundary) {
  const { preservedMessages: messages, preservedSegment: segment } = facts;
  if (messages) return messages.uuids.map((id) => skeleton.rowOf(id));
  const head = segment ? thread.order.indexOf(skeleton.rowOf(segment.headUuid)) : -1;
  const tail = segment ? thread.order.indexOf(skeleton.rowOf(segment.tailUuid)) : -1;
  return head < 0 ? [] : thread.order.slice(head, tail + 1);
}
