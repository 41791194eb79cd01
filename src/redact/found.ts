// What a scan finds, how overlapping finds become one, and how they are hidden.
import { mark } from "./marks.ts";

/** One secret in the scanned text. `end` is the offset after its last character. */
export interface Found {
  readonly kind: string;
  readonly start: number;
  readonly end: number;
}

/**
 * A find of a rule. Where only a part needs hiding to make the whole worthless (the credentials of an address),
 * `hidden` is that part and the rest stays readable.
 */
export interface Find extends Found {
  readonly hidden?: { readonly start: number; readonly end: number };
  /** Among overlapping finds the highest rank names the kind. */
  readonly rank?: number;
}

interface Stretch extends Found {
  readonly rank: number;
}

function merged(stretches: readonly Stretch[]): Stretch[] {
  const sorted = [...stretches].sort((a, b) => a.start - b.start || b.end - a.end);
  const result: Stretch[] = [];
  for (const next of sorted) {
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
  let result = "";
  let at = 0;
  for (const { kind, start, end } of stretches) {
    result += text.slice(at, start) + mark(kind);
    at = end;
  }
  return result + text.slice(at);
}
