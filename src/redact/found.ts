// What a scan finds, how overlapping finds become one, and how they are hidden.
import { mark } from "./marks.ts";
import type { View } from "./view.ts";

/** One secret in the scanned text. `end` is the offset after its last character. */
export interface Found {
  readonly kind: string;
  readonly start: number;
  readonly end: number;
}

interface Range {
  readonly start: number;
  readonly end: number;
}

/**
 * A find of a rule. Where only a part needs hiding to make the whole worthless (the credentials of an address),
 * `hidden` is that part and the rest stays readable.
 */
export interface Find extends Found {
  readonly hidden?: Range;
  /** The secret itself, where more than it is hidden: it is looked for in the rest of the text. */
  readonly secret?: Range;
  /** Among overlapping finds the highest rank names the kind. */
  readonly rank?: number;
}

/** Finds in a view, as finds in the original. */
export function placedFinds(finds: readonly Find[], view: View): Find[] {
  const placed = ({ start, end }: Range): Range => ({
    start: view.place(start),
    end: end > start ? view.place(end - 1) + 1 : view.place(start),
  });
  return finds.map((find) => ({
    ...find,
    ...placed(find),
    ...(find.hidden ? { hidden: placed(find.hidden) } : {}),
  }));
}

interface Stretch extends Found {
  readonly rank: number;
}

function merged(stretches: Stretch[]): Stretch[] {
  stretches.sort((a, b) => a.start - b.start || b.end - a.end);
  const result: Stretch[] = [];
  for (const next of stretches) {
    const last = result.at(-1);
    if (!last || next.start >= last.end) {
      result.push(next);
      continue;
    }
    const named = next.rank > last.rank ? next : last;
    result[result.length - 1] = {
      kind: named.kind,
      rank: named.rank,
      start: last.start,
      end: Math.max(last.end, next.end),
    };
  }
  return result;
}

/** The finds as they are reported: in order, none overlapping another. */
export function mergeFinds(finds: readonly Find[]): Found[] {
  const whole = finds.map(({ kind, start, end, rank = 0 }) => ({ kind, start, end, rank }));
  return merged(whole).map(({ kind, start, end }) => ({ kind, start, end }));
}

/** The text with a mark in place of everything hidden. */
export function hideFinds(text: string, finds: readonly Find[]): string {
  const stretches = merged(
    finds.map(({ kind, start, end, hidden, rank = 0 }) => ({ kind, rank, ...(hidden ?? { start, end }) })),
  );
  const parts: string[] = [];
  let at = 0;
  for (const { kind, start, end } of stretches) {
    parts.push(text.slice(at, start), mark(kind));
    at = end;
  }
  parts.push(text.slice(at));
  return parts.join("");
}
