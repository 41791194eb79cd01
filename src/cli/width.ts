// How much room a text takes on a terminal, and how it is broken to fit.
import { withoutColours } from "./terminal.ts";

const twoCellsWide =
  /[\u1100-\u115f\u2e80-\u9fff\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]|\p{Emoji_Presentation}|\ufe0f/u;

/** Cells of a terminal; Chinese, Japanese and Korean characters and emoji take two, colours none. */
export function widthOf(text: string): number {
  const seen = withoutColours(text);
  if (/^[\x20-\x7e]*$/.test(seen)) return seen.length;
  let width = 0;
  for (const { segment } of new Intl.Segmenter().segment(seen)) width += twoCellsWide.test(segment) ? 2 : 1;
  return width;
}

/** A text in lines of at most `width` cells, broken between words. A word that is wider stands alone. */
export function wrapped(text: string, width: number): string[] {
  const lines: string[] = [];
  let line = "";
  for (const word of text.split(" ")) {
    const longer = line === "" ? word : `${line} ${word}`;
    if (line !== "" && widthOf(longer) > width) {
      lines.push(line);
      line = word;
    } else line = longer;
  }
  return [...lines, line];
}
