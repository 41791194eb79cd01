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

const isOrdered = (finds: readonly Find[], compare: (a: Find, b: Find) => number) =>
  finds.every((find, at) => at === 0 || compare(finds[at - 1] ?? find, find) <= 0);

/** The finds in order, overlapping ones as one, each by the range that is asked for. */
function merged(finds: readonly Find[], rangeOf: (find: Find) => Range): Found[] {
  const compare = (a: Find, b: Find) =>
    rangeOf(a).start - rangeOf(b).start || rangeOf(b).end - rangeOf(a).end;
  const ordered = isOrdered(finds, compare) ? finds : [...finds].sort(compare);
  const result: Found[] = [];
  let [kind, rank, from, until] = ["", 0, 0, -1];
  const close = (): void => {
    if (until >= 0) result.push({ kind, start: from, end: until });
  };
  for (const find of ordered) {
    const { start, end } = rangeOf(find);
    const ranked = find.rank ?? 0;
    if (start >= until) {
      close();
      [kind, rank, from, until] = [find.kind, ranked, start, end];
      continue;
    }
    if (ranked > rank) [kind, rank] = [find.kind, ranked];
    until = Math.max(until, end);
  }
  close();
  return result;
}

const whole = (find: Find): Range => find;
const hiddenPart = (find: Find) => find.hidden ?? find;

/** So many parts are joined at once: a list of all of them would outgrow the young generation. */
const JOINED = 4_096;

function withMarks(text: string, stretches: readonly Found[]): string {
  // One string a kind: a text may hold a hundred thousand marks.
  const marks = new Map<string, string>();
  const markOf = (kind: string): string => {
    const made = marks.get(kind) ?? mark(kind);
    marks.set(kind, made);
    return made;
  };
  let [result, at] = ["", 0];
  let parts: string[] = [];
  for (const { kind, start, end } of stretches) {
    parts.push(text.slice(at, start), markOf(kind));
    at = end;
    if (parts.length < JOINED) continue;
    result += parts.join("");
    parts = [];
  }
  return result + parts.join("") + text.slice(at);
}

/** The text with a mark in place of everything hidden. */
export const hideFinds = (text: string, finds: readonly Find[]): string =>
  withMarks(text, merged(finds, hiddenPart));

/** The same with the finds as they are reported: in order, none overlapping another. */
export function reportFinds(text: string, finds: readonly Find[]): { text: string; found: Found[] } {
  const found = merged(finds, whole);
  const isWhole = finds.every(({ hidden }) => hidden === undefined);
  return { text: isWhole ? withMarks(text, found) : hideFinds(text, finds), found };
}
