// A text cut where marks begin and end, so that what was asked for can be shown without any markup in it.

/** From in, to out, in UTF-16 units; as search gives them. */
export type MarkRange = readonly [from: number, to: number];

interface Piece {
  readonly text: string;
  readonly isMarked: boolean;
}

/** Marks may overlap, touch or lie outside: the pieces together are always the text. */
export function splitAtMarks(text: string, marks: readonly MarkRange[] = []): Piece[] {
  const pieces: Piece[] = [];
  let at = 0;
  for (const [from, to] of marks.toSorted(([a], [b]) => a - b)) {
    const [start, end] = [Math.max(at, from), Math.min(text.length, to)];
    if (end <= start) continue;
    if (start > at) pieces.push({ text: text.slice(at, start), isMarked: false });
    const last = pieces.at(-1);
    if (last?.isMarked && start === at) {
      pieces[pieces.length - 1] = { text: last.text + text.slice(start, end), isMarked: true };
    } else pieces.push({ text: text.slice(start, end), isMarked: true });
    at = end;
  }
  if (at < text.length) pieces.push({ text: text.slice(at), isMarked: false });
  return pieces;
}
