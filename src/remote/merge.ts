// Three texts of one file, line by line: what both sides changed of what they had in common.

/** Longer texts are not compared line by line. */
const MOST_LINES = 3_000;

interface Merged {
  readonly text: string;
  /** Whether both changed the same lines; then the text has the lines of both, theirs first. */
  readonly isConflict: boolean;
}

/** For each line of `base` the line of `other` that it became; undefined for one that went. */
function keptLines(base: readonly string[], other: readonly string[]) {
  const width = other.length + 1;
  const longest = new Uint16Array((base.length + 1) * width);
  for (let row = base.length - 1; row >= 0; row--)
    for (let column = other.length - 1; column >= 0; column--)
      longest[row * width + column] =
        base[row] === other[column]
          ? 1 + (longest[(row + 1) * width + column + 1] ?? 0)
          : Math.max(longest[(row + 1) * width + column] ?? 0, longest[row * width + column + 1] ?? 0);
  const kept: (number | undefined)[] = [];
  for (let row = 0, column = 0; row < base.length; row++) {
    // A line of `other` that is not in the base is passed over.
    while (
      column < other.length &&
      base[row] !== other[column] &&
      longest[row * width + column + 1] === longest[row * width + column]
    )
      column += 1;
    if (column < other.length && base[row] === other[column]) kept.push(column++);
    else kept.push(undefined);
  }
  return kept;
}

const same = (one: readonly string[], other: readonly string[]) =>
  one.length === other.length && one.every((line, at) => line === other[at]);

export function mergeTexts(baseText: string, mineText: string, theirsText: string): Merged {
  const split = (text: string) => (text === "" ? [] : text.split("\n"));
  const [base, mine, theirs] = [split(baseText), split(mineText), split(theirsText)];
  if (Math.max(base.length, mine.length, theirs.length) > MOST_LINES)
    return { text: `${theirsText}\n${mineText}`, isConflict: true };
  const [inMine, inTheirs] = [keptLines(base, mine), keptLines(base, theirs)];
  const merged: string[] = [];
  let isConflict = false;
  let from = { base: 0, mine: 0, theirs: 0 };
  const close = (to: typeof from) => {
    const [was, own, other] = [
      base.slice(from.base, to.base),
      mine.slice(from.mine, to.mine),
      theirs.slice(from.theirs, to.theirs),
    ];
    if (same(own, was)) merged.push(...other);
    else if (same(other, was) || same(own, other)) merged.push(...own);
    else {
      isConflict = true;
      merged.push(...other, ...own.filter((line) => !other.includes(line)));
    }
  };
  for (const [at, line] of base.entries()) {
    const [own, other] = [inMine[at], inTheirs[at]];
    if (own === undefined || other === undefined) continue;
    close({ base: at, mine: own, theirs: other });
    merged.push(line);
    from = { base: at + 1, mine: own + 1, theirs: other + 1 };
  }
  close({ base: base.length, mine: mine.length, theirs: theirs.length });
  return { text: merged.join("\n"), isConflict };
}
