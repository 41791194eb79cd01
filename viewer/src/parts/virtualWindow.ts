// Which rows of a long list have to be there: arithmetic on heights, so that a list of any length costs the same.

/** Where each row begins; one more than there are rows, the last being the height of all. */
export function startsOf(heights: readonly number[]): readonly number[] {
  const starts = new Array<number>(heights.length + 1);
  let at = 0;
  for (let index = 0; index < heights.length; index++) {
    starts[index] = at;
    at += heights[index] ?? 0;
  }
  starts[heights.length] = at;
  return starts;
}

/** The row at this height: the last one that begins at or before it. */
export function rowAt(starts: readonly number[], offset: number): number {
  let low = 0;
  let high = Math.max(0, starts.length - 2);
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if ((starts[middle] ?? 0) <= offset) low = middle;
    else high = middle - 1;
  }
  return low;
}

interface View {
  readonly top: number;
  readonly height: number;
}

/** First in, last out. Some rows more on each side, so that a step never meets nothing. */
export function rowsIn(
  starts: readonly number[],
  { top, height }: View,
  beyond = 12,
): { readonly first: number; readonly end: number } {
  const rows = starts.length - 1;
  if (rows <= 0) return { first: 0, end: 0 };
  const first = Math.max(0, rowAt(starts, top) - beyond);
  const end = Math.min(rows, rowAt(starts, top + height) + 1 + beyond);
  return { first, end };
}

/** What the reader looks at: a row, and how far it is scrolled past the top. */
export interface Anchor {
  readonly key: string;
  readonly past: number;
}

export function anchorAt(
  starts: readonly number[],
  keys: readonly string[],
  top: number,
): Anchor | undefined {
  const at = rowAt(starts, top);
  const key = keys[at];
  return key === undefined ? undefined : { key, past: top - (starts[at] ?? 0) };
}

/** Where to scroll so that the anchor stays where it is; undefined when it is gone. */
export function topOf(
  starts: readonly number[],
  keys: readonly string[],
  { key, past }: Anchor,
): number | undefined {
  const at = keys.indexOf(key);
  return at === -1 ? undefined : (starts[at] ?? 0) + past;
}
