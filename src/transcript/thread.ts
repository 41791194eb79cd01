// Which rows make up a thread, and in what order: the chain of parents from its last message, and what hangs on it.
import { NONE, type Skeleton } from "./skeleton.ts";

export interface Thread {
  /** Rows in reading order. */
  readonly order: readonly number[];
  readonly includes: (row: number) => boolean;
  /** Message rows on abandoned branches: a message was sent again from an earlier row. */
  readonly abandoned: number;
}

export function readThread(skeleton: Skeleton, thread: number): Thread {
  const rows = skeleton.threads[thread]?.rows ?? [];
  const chain = threadChain(skeleton, thread, rows);
  const places = new Map<number, number>();
  chain.forEach((row, place) => {
    places.set(row, place);
  });
  const aside = rows.filter((row) => !places.has(row));
  placeResponses(skeleton, aside, places);
  placeResults(skeleton, aside, places);
  placeRest(skeleton, aside, places);
  return {
    order: mergedInOrder(chain, aside, places),
    includes: (row) => places.has(row),
    abandoned: aside.filter((row) => skeleton.isMessage(row) && !places.has(row)).length,
  };
}

/** From the root to the thread's last message. Ends early rather than visit a row twice. */
function threadChain(skeleton: Skeleton, thread: number, rows: readonly number[]) {
  const detour = preservedDetour(skeleton, rows);
  const chain: number[] = [];
  const seen = new Set<number>([NONE]);
  let row = rows.findLast((number) => skeleton.isMessage(number) || skeleton.isCompaction(number)) ?? NONE;
  while (!seen.has(row)) {
    seen.add(row);
    chain.push(row);
    if (skeleton.isRoot(row)) break;
    const parent = detour(row, skeleton.parentOf(row));
    // A parent that leads in a circle or out of the thread is as good as a missing one.
    const usable = !seen.has(parent) && skeleton.threadOf(parent) === thread;
    row = usable ? parent : skeleton.beforeOf(row);
  }
  return chain.reverse();
}

/**
 * After a compaction that kept messages, the next row may name a kept one as its parent and so pass the
 * boundary by. The detour leads such a link over the summary, from where the boundary goes on to the kept rows.
 */
function preservedDetour(
  skeleton: Skeleton,
  rows: readonly number[],
): (row: number, parent: number) => number {
  const boundaries = rows.filter((row) => skeleton.isCompaction(row));
  const kept = new Map(boundaries.map((boundary) => [boundary, preservedBy(skeleton, boundary)]));
  return (row, parent) => {
    const passed = lastBelow(boundaries, row);
    const preserved = kept.get(passed);
    if (passed < parent || !preserved?.rows.has(parent)) return parent;
    return preserved.anchor > passed && preserved.anchor < row ? preserved.anchor : passed;
  };
}

/** The rows a compaction names as kept, and the row they are shown behind. */
function preservedBy(skeleton: Skeleton, boundary: number): { rows: Set<number>; anchor: number } {
  const facts = skeleton.boundaries.get(boundary)?.facts;
  if (facts?.kind !== "compact") return { rows: new Set(), anchor: NONE };
  const { preservedSegment: segment, preservedMessages: messages } = facts;
  const ids = [...(messages?.uuids ?? []), segment?.headUuid, segment?.tailUuid];
  const rows = new Set(ids.map((id) => skeleton.rowOf(id)));
  rows.delete(NONE);
  return { rows, anchor: skeleton.rowOf(messages?.anchorUuid ?? segment?.anchorUuid) };
}

/** The greatest of the ascending `numbers` that is less than `limit`, or NONE. */
function lastBelow(numbers: readonly number[], limit: number) {
  let low = 0;
  let high = numbers.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((numbers[middle] ?? limit) < limit) low = middle + 1;
    else high = middle;
  }
  return numbers[low - 1] ?? NONE;
}

// Parallel calls make side branches that are no new messages. The three functions below give each row of such a
// branch the place of the chain's row that it belongs to; what they leave without a place was abandoned.

/** Rows of a response that the chain has other rows of. */
function placeResponses(skeleton: Skeleton, aside: readonly number[], places: Map<number, number>) {
  const responses = new Map<number, number>();
  for (const [row, place] of places) responses.set(skeleton.responseOf(row), place);
  for (const row of aside) {
    const response = skeleton.responseOf(row);
    const place = response === NONE ? undefined : responses.get(response);
    if (place !== undefined) places.set(row, place);
  }
}

/** Results of the calls that are in place by now, unless the chain has another result of the same call. */
function placeResults(skeleton: Skeleton, aside: readonly number[], places: Map<number, number>) {
  const answered = new Set<number>();
  for (const row of places.keys()) for (const call of skeleton.answersOf(row)) answered.add(call);
  // Backwards: where a call was answered twice off the chain, the later answer stands.
  for (const row of aside.toReversed()) {
    if (places.has(row)) continue;
    const answers = skeleton.answersOf(row);
    const open = answers.find((call) => !answered.has(call) && places.has(skeleton.callerOf(call)));
    const place = open === undefined ? undefined : places.get(skeleton.callerOf(open));
    if (place === undefined) continue;
    places.set(row, place);
    for (const call of answers) answered.add(call);
  }
}

/** Messages that a call brought along, and the client's own rows that hang on anything in place. */
function placeRest(skeleton: Skeleton, aside: readonly number[], places: Map<number, number>) {
  for (const row of aside) {
    if (places.has(row) || skeleton.isCompaction(row)) continue;
    const holder = skeleton.isMessage(row)
      ? skeleton.callerOf(skeleton.bringerOf(row))
      : skeleton.parentOf(row);
    const place = places.get(holder);
    if (place !== undefined) places.set(row, place);
  }
}

function mergedInOrder(
  chain: readonly number[],
  aside: readonly number[],
  places: ReadonlyMap<number, number>,
) {
  const placed = aside.filter((row) => places.has(row));
  const placeOf = (row: number) => places.get(row) ?? NONE;
  placed.sort((a, b) => placeOf(a) - placeOf(b) || a - b);
  const order: number[] = [];
  let next = 0;
  chain.forEach((row, place) => {
    order.push(row);
    for (let side = placed[next]; side !== undefined && placeOf(side) === place; side = placed[next]) {
      order.push(side);
      next += 1;
    }
  });
  return order;
}
