// Cutting a text without halving a character: half of one is no text that an API takes.

/** The first characters of a text, at most `count` of them. */
export function firstCharacters(text: string, count: number): string {
  const end = Math.max(0, Math.floor(count));
  if (end >= text.length) return text;
  return text.slice(0, isInside(text, end) ? end - 1 : end);
}

/** The last characters of a text, at most `count` of them. */
export function lastCharacters(text: string, count: number): string {
  const start = text.length - Math.max(0, Math.floor(count));
  if (start <= 0) return text;
  return text.slice(isInside(text, start) ? start + 1 : start);
}

/** Whether the two halves of one character stand on either side of an index. */
function isInside(text: string, index: number) {
  return /^[\ud800-\udbff][\udc00-\udfff]$/.test(text.slice(index - 1, index + 1));
}
