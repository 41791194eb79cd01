// Finds what people wrapped in <private> tags: nested, with attributes, in any case, escaped, or never closed.

interface Stretch {
  readonly start: number;
  readonly end: number;
}

// A tag may have been escaped for HTML or for JSON on its way here. Attributes are bounded so that a
// stray "<private" costs little.
const TAG =
  /(?:<|&lt;|\\u003c)(\/?)private(?=[\s>/&\\])(?:[^<>&\\]|&(?!gt;|lt;)|\\(?!u003[ce])){0,256}(?:>|&gt;|\\u003e)/gi;

/** The stretches between tags, tags included. A tag that is never closed hides everything up to the end. */
export function privateStretches(text: string): Stretch[] {
  const stretches: Stretch[] = [];
  let depth = 0;
  let start = 0;
  for (const match of text.matchAll(TAG)) {
    if (match[1] === "/") {
      if (depth === 0) continue;
      depth -= 1;
      if (depth === 0) stretches.push({ start, end: match.index + match[0].length });
      continue;
    }
    // <private/> holds nothing and closes nothing.
    if (/\/(?:>|&gt;|\\u003e)$/i.test(match[0])) continue;
    if (depth === 0) start = match.index;
    depth += 1;
  }
  if (depth > 0) stretches.push({ start, end: text.length });
  return stretches;
}
