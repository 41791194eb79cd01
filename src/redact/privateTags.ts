// Finds what people wrapped in <private> tags: nested, with attributes, in any case, escaped, or never closed.
import type { Find } from "./found.ts";

/** Above every other rule: what is private is called so. */
const RANK = 9;

// A tag may have been escaped for HTML or for JSON on its way here. Both patterns are only tested, and the places are
// read from where they stop: a match for each tag would be more to collect than the text is long.
const NAME = "private";
const BEGIN = /(?:<|&lt;|\\u003c)\/?private/gi;
/** Attributes are bounded so that a stray "<private" costs little. */
const REST = /(?=[\s>/&\\])(?:[^<>&\\]|&(?!gt;|lt;)|\\(?!u003[ce])){0,256}(?:>|&gt;|\\u003e)/iy;

/** How long the bracket is that ends before a place: one character, or one of its escapes. */
function bracketBefore(text: string, at: number): number {
  const last = text.charAt(at - 1);
  if (last === "<" || last === ">") return 1;
  return last === ";" ? "&lt;".length : "\\u003c".length;
}

/** The stretches between tags, tags included. A tag that is never closed hides everything up to the end. */
export function privateStretches(text: string): Find[] {
  const stretches: Find[] = [];
  const add = (from: number, end: number): void => {
    stretches.push({ kind: "private", start: from, end, rank: RANK });
  };
  let [depth, start] = [0, 0];
  BEGIN.lastIndex = 0;
  while (BEGIN.test(text)) {
    const name = BEGIN.lastIndex - NAME.length;
    REST.lastIndex = BEGIN.lastIndex;
    if (!REST.test(text)) continue;
    const end = REST.lastIndex;
    BEGIN.lastIndex = end;
    if (text.charAt(name - 1) === "/") {
      if (depth === 1) add(start, end);
      depth = Math.max(0, depth - 1);
      continue;
    }
    // <private/> holds nothing and closes nothing.
    if (text.charAt(end - bracketBefore(text, end) - 1) === "/") continue;
    if (depth === 0) start = name - bracketBefore(text, name);
    depth += 1;
  }
  if (depth > 0) add(start, text.length);
  return stretches;
}
