// A file that is read again: what the window already shows of it is pointed at and not repeated.

/** A text that stands in the window: the result of an earlier call, or what a call wrote. */
export interface ShownText {
  readonly toolUseId: string;
  readonly text: string;
}

/** Runs of known lines shorter than this are cheaper shown than explained. */
const SHORTEST_RUN = 400;
/** Places of one and the same line that are tried; the newest ones. */
const MOST_PLACES = 8;

/** The number that Read puts before a line. */
const lineNumber = /^\s*(\d+)(→|\t)/;

/** A copy in view, its lines without their numbers. */
interface Copy {
  readonly toolUseId: string;
  readonly lines: readonly string[];
  readonly bare: readonly string[];
}

interface LinePlace {
  readonly copy: Copy;
  readonly at: number;
}

/** Lines that stand in a copy one behind the other, exactly as they do here. */
interface LineRun extends LinePlace {
  readonly count: number;
  readonly characters: number;
}

const bareLine = (line: string) => line.replace(lineNumber, "");

/** What to show of `text` when the window holds `shown` of the same file; undefined when that would save nothing. */
export function rereadOf(text: string, shown: readonly ShownText[], handle: string) {
  const same = shown.findLast((copy) => copy.text === text);
  if (same) {
    const lines = text.split("\n").length;
    const pointer = `[Unchanged: the same ${lines} lines as in the result of ${same.toolUseId} above. Whole text: recall ${handle}]`;
    return pointer.length < text.length ? { kind: "same", text: pointer } : undefined;
  }
  if (shown.length === 0) return undefined;
  const all = text.split("\n");
  const { lines, left } = withoutKnownRuns(all, linePlaces(shown));
  if (left === 0) return undefined;
  const header = `[Read again: of ${all.length} lines ${left} stand above as they are and are left out (⋯). Whole text: recall ${handle}]`;
  const shorter = [header, ...lines].join("\n");
  return shorter.length < text.length * 0.8 ? { kind: "changed", text: shorter } : undefined;
}

/** Where every line stands in the copies, newest first. */
function linePlaces(shown: readonly ShownText[]) {
  const places = new Map<string, LinePlace[]>();
  for (const { toolUseId, text } of shown.toReversed()) {
    const lines = text.split("\n");
    const copy: Copy = { toolUseId, lines, bare: lines.map(bareLine) };
    copy.bare.forEach((line, at) => {
      const known = places.get(line);
      if (!known) places.set(line, [{ copy, at }]);
      else if (known.length < MOST_PLACES) known.push({ copy, at });
    });
  }
  return places;
}

/**
 * Only lines that follow each other in a copy are left out together: a line that moved, or a gap where lines were
 * deleted, ends the run and so is seen.
 */
function withoutKnownRuns(lines: readonly string[], places: ReadonlyMap<string, readonly LinePlace[]>) {
  const bare = lines.map(bareLine);
  const out: string[] = [];
  let left = 0;
  for (let at = 0; at < lines.length; ) {
    const run = longestRun(bare, at, places);
    if (run && run.characters > SHORTEST_RUN) {
      out.push(gapMark(lines, at, run));
      left += run.count;
      at += run.count;
    } else {
      out.push(lines[at] ?? "");
      at += 1;
    }
  }
  return { lines: out, left };
}

function longestRun(
  bare: readonly string[],
  from: number,
  places: ReadonlyMap<string, readonly LinePlace[]>,
) {
  let best: LineRun | undefined;
  for (const { copy, at } of places.get(bare[from] ?? "") ?? []) {
    let count = 0;
    let characters = 0;
    while (from + count < bare.length && bare[from + count] === copy.bare[at + count])
      characters += (bare[from + count++]?.length ?? 0) + 1;
    if (!best || count > best.count) best = { copy, at, count, characters };
  }
  return best;
}

/** Says which lines are left out, where they stand above, and under which numbers if those differ. */
function gapMark(lines: readonly string[], from: number, { copy, at, count }: LineRun) {
  const here = lineSpan(lines, from, count);
  const there = lineSpan(copy.lines, at, count);
  return here === there
    ? `  ⋯ lines ${here} as in ${copy.toolUseId} above`
    : `  ⋯ lines ${here}, as lines ${there} of ${copy.toolUseId} above`;
}

function lineSpan(lines: readonly string[], from: number, count: number) {
  const number = (index: number) => lineNumber.exec(lines[index] ?? "")?.[1] ?? String(index + 1);
  return `${number(from)}-${number(from + count - 1)}`;
}
