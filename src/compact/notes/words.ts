// Words made short enough for a line of notes.
import { firstCharacters } from "../../lib/index.ts";

/** What colours a terminal says nothing on a page. */
const colour = /\p{Cc}\[[\d;]*m/gu;

/** A text on one line, without control characters. */
export function oneLine(text: string): string {
  return text
    .replace(colour, "")
    .replace(/[\s\p{Cc}]+/gu, " ")
    .trim();
}

/** The beginning of a text on one line; never half a character. */
export function clip(text: string, characters: number): string {
  // Only as much is folded as can be shown: a text may be megabytes long.
  const line = oneLine(firstCharacters(text, characters * 4));
  if (line.length <= characters) return text.length > characters * 4 ? `${line}…` : line;
  return `${firstCharacters(line, characters - 1)}…`;
}

/** The first lines of a text, as they are, within so many characters. */
export function firstLines(text: string, characters: number): string[] {
  const lines = text.trim().split("\n");
  const kept: string[] = [];
  let room = characters;
  for (const line of lines) {
    room -= line.length + 1;
    if (room < 0) return [...kept, kept.length === 0 ? clip(line, characters) : "…"];
    kept.push(line.trimEnd());
  }
  return kept;
}
