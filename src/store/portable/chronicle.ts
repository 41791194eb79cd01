// A page of the chronicle, put together from the rows of each kind.
import type { Page } from "../model.ts";
import { type ChronicleRow, chronicleKinds } from "../overview.ts";
import { cursorParts } from "./rows.ts";

/** A position between two rows: a time, a kind's rank, an id. */
export type ChroniclePlace = readonly [at: number, rank: number, id: number];

export const chroniclePlaceAt = (cursor: string | undefined) =>
  cursor === undefined
    ? undefined
    : (cursorParts(cursor, /^(-?\d{1,16})_(\d)_(\d{1,16})$/) as unknown as ChroniclePlace);

const placeOf = ({ kind, row }: ChronicleRow): ChroniclePlace => [
  row.createdAtEpoch,
  chronicleKinds.indexOf(kind),
  row.id,
];

function comparePlaces(one: ChronicleRow, other: ChronicleRow) {
  const [a, b] = [placeOf(one), placeOf(other)];
  return a[0] - b[0] || a[1] - b[1] || a[2] - b[2];
}

/** `found` has at least one row more of each kind than fits, where there are more. */
export function chroniclePage(
  found: readonly ChronicleRow[],
  limit: number,
  oldestFirst: boolean,
): Page<ChronicleRow> {
  const sorted = [...found].sort((one, other) =>
    oldestFirst ? comparePlaces(one, other) : comparePlaces(other, one),
  );
  const items = sorted.slice(0, limit);
  const last = sorted.length > limit ? items.at(-1) : undefined;
  return last === undefined ? { items } : { items, next: placeOf(last).join("_") };
}
