// Text of strangers for a terminal: what would steer it, reorder what is read or cannot be seen is written out.

/** The scripts and emoji that need joiners and breaks, at the end of what stands before one. */
const JOINED =
  /(?:\ufe0f|[\p{Extended_Pictographic}\p{Emoji_Modifier}\p{Script=Arabic}\p{Script=Syriac}\p{Script=Devanagari}\p{Script=Bengali}\p{Script=Gurmukhi}\p{Script=Gujarati}\p{Script=Oriya}\p{Script=Tamil}\p{Script=Telugu}\p{Script=Kannada}\p{Script=Malayalam}\p{Script=Sinhala}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}\p{Script=Mongolian}])$/u;
const FLAG = /\u{1f3f4}$/u;

/** Whether a run of characters that cannot be seen is one that the letters before it need. */
export function isNeededJoiner(text: string, start: number, run: string): boolean {
  const before = text.slice(Math.max(0, start - 2), start);
  // The flags of countries within countries are spelt out in tags that end with one of their own.
  if (run.startsWith("\u{e0067}") && run.endsWith("\u{e007f}")) return FLAG.test(before);
  return /^[\u200b-\u200d]$/.test(run) && JOINED.test(before);
}

/** Controls, format characters, what ends a line for some readers only, letters without a shape, runs of selectors. */
const UNSAFE =
  /\r\n|[\u{e0000}-\u{e007f}]+|[\u{e0100}-\u{e01ef}]{2,}|[\p{Cc}\p{Cf}\u2028\u2029\u115f\u1160\u3164\uffa0]/gu;
/** Lines and tabs, and the signs of Arabic and other scripts that are drawn around numbers. */
const SAFE = /^[\n\t\u0600-\u0605\u06dd\u070f\u0890\u0891\u08e2\u{110bd}\u{110cd}]$/u;

const writtenOut = (run: string) =>
  [...run].map((each) => `\\u{${each.codePointAt(0)?.toString(16)}}`).join("");

/** The same text with everything of that kind as `\u{1b}`. Doing it twice changes nothing. */
export function neutral(text: string): string {
  return text.replace(UNSAFE, (run: string, start: number) => {
    if (run === "\r\n") return "\n";
    return SAFE.test(run) || isNeededJoiner(text, start, run) ? run : writtenOut(run);
  });
}

const UNSAFE_IN_JSON =
  /[\u007f-\u009f\p{Cf}\u2028\u2029\u115f\u1160\u3164\uffa0\u{e0000}-\u{e007f}]|[\u{e0100}-\u{e01ef}]/gu;

/** JSON of the same values in which all of that is escaped; the characters below a space are already. */
export function neutralJson(json: string): string {
  return json.replace(UNSAFE_IN_JSON, (each) => {
    let escaped = "";
    for (let at = 0; at < each.length; at++)
      escaped += `\\u${each.charCodeAt(at).toString(16).padStart(4, "0")}`;
    return escaped;
  });
}
