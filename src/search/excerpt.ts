// The part of a text that is shown: one line, cut at words, where most of what was asked for stands.
import type { Mark, Marker } from "../terms/index.ts";

const LENGTH = 280;
/** So much is shown before the first word that was asked for. */
const LEAD = 40;

const oneLine = (text: string) => text.replace(/\s+/g, " ").trim();

/** Cut to a length, at the end of a word where there is one. */
export function shortened(text: string, length: number): string {
  const line = oneLine(text);
  if (line.length <= length) return line;
  const cut = line.slice(0, length).replace(/[\ud800-\udbff]$/, "");
  const space = cut.lastIndexOf(" ");
  return `${space > length * 0.6 ? cut.slice(0, space) : cut}…`;
}

/** Where to begin so that most marks are seen; the earliest of equal places. */
function bestStart(marks: readonly Mark[]) {
  const seenFrom = (start: number) =>
    marks.filter(([from, to]) => from >= start && to <= start + LENGTH).length;
  let best = { start: 0, seen: seenFrom(0) };
  for (const [from] of marks) {
    const start = Math.max(0, from - LEAD);
    const seen = seenFrom(start);
    if (seen > best.seen) best = { start, seen };
  }
  return best.start;
}

export function excerptOf(passage: string, mark?: Marker): string {
  const line = oneLine(passage);
  if (line.length <= LENGTH || mark === undefined) return shortened(line, LENGTH);
  const start = bestStart(mark(line));
  if (start === 0) return shortened(line, LENGTH);
  const space = line.indexOf(" ", start);
  const from = space !== -1 && space < start + LEAD ? space + 1 : start;
  return `…${shortened(line.slice(from).replace(/^[\udc00-\udfff]/, ""), LENGTH)}`;
}
