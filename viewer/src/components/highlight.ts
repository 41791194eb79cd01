// Splits a text at its marks, so that matches are highlighted without any markup in the text.

/** Start and end, which is excluded, in UTF-16 units, as search gives them. */
export type MarkRange = readonly [from: number, to: number];

/** Marks may overlap, touch or lie outside: the pieces together are always the text. */
export function splitAtMarks(text: string, marks: readonly MarkRange[] = []) {
  const pieces: { text: string; isMarked: boolean }[] = [];
  const push = (from: number, to: number, isMarked: boolean) => {
    const last = pieces.at(-1);
    if (last?.isMarked === isMarked) last.text += text.slice(from, to);
    else pieces.push({ text: text.slice(from, to), isMarked });
  };
  let at = 0;
  for (const [from, to] of marks.toSorted(([a], [b]) => a - b)) {
    const [start, end] = [Math.max(at, from), Math.min(text.length, to)];
    if (end <= start) continue;
    if (start > at) push(at, start, false);
    push(start, end, true);
    at = end;
  }
  if (at < text.length) push(at, text.length, false);
  return pieces;
}
