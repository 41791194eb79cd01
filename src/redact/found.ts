// The interface of a rule: the landmarks that trigger it, how it scans around one, what it finds, how overlapping finds become one, and how they are hidden.
import { mark } from "./marks.ts";
import type { View } from "./view.ts";

/** A part of the scanned text. `end` is the offset after its last character. */
export interface Range {
  readonly start: number;
  readonly end: number;
}

/** One secret in the scanned text. */
export interface Found extends Range {
  readonly kind: string;
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

/** The find of a value that begins at `start`. */
export const findAt = (kind: string, start: number, value: string, rank?: number): Find => ({
  kind,
  start,
  end: start + value.length,
  ...(rank !== undefined && { rank }),
});

/** Finds in a view, as finds in the original. */
export function placedFinds(finds: readonly Find[], view: View): Find[] {
  const placed = ({ start, end }: Range): Range => ({
    start: view.place(start),
    end: end > start ? view.place(end - 1) + 1 : view.place(start),
  });
  return finds.map((find) => ({
    ...find,
    ...placed(find),
    ...(find.hidden && { hidden: placed(find.hidden) }),
  }));
}

const compare = (a: Find, b: Find) => a.start - b.start || b.end - a.end;
/** Above every other: what is private is called so. Private finds carry no rank, so that they are reported uncopied. */
const PRIVATE_RANK = 9;
const rankOf = ({ kind, rank = 0 }: Find) => (kind === "private" ? PRIVATE_RANK : rank);

/** The finds in order, overlapping ones as one. A find that overlaps no other is itself in the result. */
function merged(finds: readonly Find[]) {
  const isOrdered = finds.every((find, at) => at === 0 || compare(finds[at - 1] ?? find, find) <= 0);
  const result: Find[] = [];
  let last: Find | undefined;
  for (const find of isOrdered ? finds : [...finds].sort(compare)) {
    if (!last || find.start >= last.end) {
      result.push(find);
      last = find;
      continue;
    }
    const named = rankOf(find) > rankOf(last) ? find : last;
    last = {
      kind: named.kind,
      rank: rankOf(named),
      start: last.start,
      end: Math.max(last.end, find.end),
    };
    result[result.length - 1] = last;
  }
  return result;
}

/** A text may hold a hundred thousand finds: only what has more to it than a report shows is copied. */
function reported(find: Find): Found {
  const { kind, start, end, hidden, secret, rank } = find;
  const isPlain = hidden === undefined && secret === undefined && rank === undefined;
  return isPlain ? find : { kind, start, end };
}

/** So many parts are joined at once: a list of all of them would outgrow the young generation. */
const JOINED_AT_ONCE = 4_096;

/** What `hideStretches` does, for a hundred thousand stretches. */
function withMarks(text: string, stretches: readonly Found[]) {
  // One string a kind: a text may hold a hundred thousand marks.
  const marks = new Map<string, string>();
  const markOf = (kind: string) => {
    const made = marks.get(kind) ?? mark(kind);
    marks.set(kind, made);
    return made;
  };
  let [result, at] = ["", 0];
  let parts: string[] = [];
  for (const { kind, start, end } of stretches) {
    parts.push(text.slice(at, start), markOf(kind));
    at = end;
    if (parts.length < JOINED_AT_ONCE) continue;
    result += parts.join("");
    parts = [];
  }
  return result + parts.join("") + text.slice(at);
}

/** The text with a mark in place of everything hidden. */
export const hideFinds = (text: string, finds: readonly Find[]) =>
  withMarks(text, merged(finds.map((find) => (find.hidden ? { ...find, ...find.hidden } : find))));

/** The same with the finds as they are reported: in order, none overlapping another. */
export function reportFinds(text: string, finds: readonly Find[]): { text: string; found: Found[] } {
  const found = merged(finds).map(reported);
  const isWhole = finds.every(({ hidden }) => hidden === undefined);
  return { text: isWhole ? withMarks(text, found) : hideFinds(text, finds), found };
}

/** Looks around one landmark. `at` is where it begins; its case may differ from the literal's. */
type Look = (text: string, at: number, literal: string) => Find | readonly Find[] | undefined;

export interface Finder {
  /** Says in a report which rule it was. */
  readonly name: string;
  /** Literals with `|` between them, in any case. A text without one of them is not looked at; the empty one is in every text. */
  readonly landmarks: string;
  /** Called for every landmark. */
  readonly look?: Look;
  /** Called once for a text that has a landmark. The caller may add to the list. */
  readonly scan?: (text: string) => Find[];
}

export const landmarksOf = ({ landmarks }: Finder) => landmarks.split("|");

/** Runs a sticky pattern at a place. */
export function matchAt(pattern: RegExp, text: string, at: number) {
  pattern.lastIndex = at;
  return pattern.exec(text) ?? undefined;
}

/** The length of a text without these characters at its end. */
export function trimmedLength(text: string, characters: string) {
  let length = text.length;
  while (length > 0 && characters.includes(text.charAt(length - 1))) length -= 1;
  return length;
}

let scans = 0;

/** Starts a new scan: every `Progress` of an earlier scan, even of the same text, is reset. */
export function beginScan() {
  scans += 1;
}

/** Records how far a rule has read a text, so that no part is read repeatedly. */
export class Progress {
  #scan = 0;
  #until = 0;

  isPast(at: number) {
    return at < this.#until && scans === this.#scan;
  }

  reached(until: number) {
    this.#scan = scans;
    this.#until = until;
  }
}
