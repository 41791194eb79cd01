// Finds what people wrapped in <private> tags: nested, with attributes, in any case, escaped, or never closed.
import type { Found } from "./found.ts";

// A tag may have been escaped for HTML or for JSON on its way here. Both patterns are only tested, and the places are
// read from where they stop: a match for each tag would be more to collect than the text is long.
const NAME_LENGTH = 7;
const BEGIN = /(?:<|&lt;|\\u003c)\/?private/gi;
/** Attributes are bounded so that a stray "<private" costs little. */
const TAG_REST = /(?=[\s>/&\\])(?:[^<>&\\]|&(?!gt;|lt;)|\\(?!u003[ce])){0,256}(?:>|&gt;|\\u003e)/iy;

/** How long the bracket is that ends before a place: one character, &lt; or \u003c. */
function bracketBefore(text: string, at: number) {
  const last = text.charAt(at - 1);
  return /[<>]/.test(last) ? 1 : last === ";" ? 4 : 6;
}

/** The stretches between tags, tags included. A tag that is never closed hides everything up to the end. */
export function privateStretches(text: string) {
  const stretches: Found[] = [];
  let depth = 0;
  let start = 0;
  const add = (end: number): unknown => stretches.push({ kind: "private", start, end });
  BEGIN.lastIndex = 0;
  while (BEGIN.test(text)) {
    TAG_REST.lastIndex = BEGIN.lastIndex;
    const name = TAG_REST.lastIndex - NAME_LENGTH;
    if (!TAG_REST.test(text)) continue;
    const end = TAG_REST.lastIndex;
    BEGIN.lastIndex = end;
    if (text.charAt(name - 1) === "/") {
      if (depth > 0 && --depth === 0) add(end);
    } else if (text.charAt(end - bracketBefore(text, end) - 1) !== "/") {
      // <private/> holds nothing and closes nothing.
      if (depth === 0) start = name - bracketBefore(text, name);
      depth += 1;
    }
  }
  if (depth > 0) add(text.length);
  return stretches;
}
