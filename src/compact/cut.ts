// Cutting a text to a number of tokens, at the end of a line.
import { firstCharacters } from "../lib/index.ts";
import { estimateText, type TokenizerFamily } from "../tokens/index.ts";

/** The beginning of a text that fits with `note` behind it; the text itself when it fits; undefined when nothing does. */
export function cutToTokens(
  text: string,
  tokens: number,
  family: TokenizerFamily,
  note: string,
): string | undefined {
  const whole = estimateText(text, family);
  if (whole <= tokens) return text;
  let length = Math.floor((text.length * tokens) / whole);
  while (length > 0) {
    const end = text.lastIndexOf("\n", length);
    // A text without a line end near enough is cut inside its line.
    const head = firstCharacters(text, end > length / 2 ? end : length);
    const cut = `${head}\n${note}`;
    if (estimateText(cut, family) <= tokens) return cut;
    length = Math.floor(length * 0.9);
  }
  return undefined;
}
