// Texts: cut without halving a character, compared with what was probably meant, freed of control characters.
import { usageError } from "./errors.ts";

/** A code block of Markdown whose fence is longer than any in the text. */
export function fenced(text: string, language = "") {
  const longest = Math.max(2, ...[...text.matchAll(/`{3,}/g)].map(([run]) => run.length));
  const fence = "`".repeat(longest + 1);
  return `${fence}${language}\n${text}\n${fence}`;
}

/** The text on one line: every run of white space is one space. */
export function singleLine(text: string) {
  return text.replace(/\s+/g, " ").trim();
}

/** The first characters of a text, at most `count` of them. */
export function firstCharacters(text: string, count: number) {
  const end = Math.max(0, Math.floor(count));
  if (end >= text.length) return text;
  return text.slice(0, isInside(text, end) ? end - 1 : end);
}

/** The last characters of a text, at most `count` of them. */
export function lastCharacters(text: string, count: number) {
  const start = text.length - Math.max(0, Math.floor(count));
  if (start <= 0) return text;
  return text.slice(isInside(text, start) ? start + 1 : start);
}

/** Whether the two halves of one character stand on either side of an index. */
function isInside(text: string, index: number) {
  return /^[\ud800-\udbff][\udc00-\udfff]$/.test(text.slice(index - 1, index + 1));
}

/** Edits (insert, delete, replace, swap of neighbours) that turn `from` into `to`. */
function editDistance(from: string, to: string) {
  let beforeLast: number[] = [];
  let last = Array.from({ length: to.length + 1 }, (_, column) => column);
  for (let row = 1; row <= from.length; row++) {
    const current = [row];
    for (let column = 1; column <= to.length; column++) {
      const same = from[row - 1] === to[column - 1];
      const swapped = from[row - 1] === to[column - 2] && from[row - 2] === to[column - 1];
      current[column] = Math.min(
        (last[column] ?? 0) + 1,
        (current[column - 1] ?? 0) + 1,
        (last[column - 1] ?? 0) + (same ? 0 : 1),
        row > 1 && column > 1 && swapped ? (beforeLast[column - 2] ?? 0) + 1 : Number.POSITIVE_INFINITY,
      );
    }
    beforeLast = last;
    last = current;
  }
  return last[to.length] ?? 0;
}

/** The candidate closest to `word`, or undefined when none is close enough to be a slip of the hand. */
export function nearest(word: string, candidates: Iterable<string>) {
  let best: string | undefined;
  let bestDistance = Number.POSITIVE_INFINITY;
  for (const candidate of candidates) {
    const distance = editDistance(word.toLowerCase(), candidate.toLowerCase());
    const length = Math.max(word.length, candidate.length);
    // Short words are all near each other: at least half of the letters must be right.
    const isSlip = distance <= Math.max(2, length / 3) && distance * 2 < length;
    if (isSlip && distance < bestDistance) {
      best = candidate;
      bestDistance = distance;
    }
  }
  return best;
}

/** The scripts and emoji that need joiners and breaks, at the end of what stands before one. */
const JOINED_CHARACTERS =
  /(?:\ufe0f|[\p{Extended_Pictographic}\p{Emoji_Modifier}\p{Script=Arabic}\p{Script=Syriac}\p{Script=Devanagari}\p{Script=Bengali}\p{Script=Gurmukhi}\p{Script=Gujarati}\p{Script=Oriya}\p{Script=Tamil}\p{Script=Telugu}\p{Script=Kannada}\p{Script=Malayalam}\p{Script=Sinhala}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}\p{Script=Mongolian}])$/u;
const FLAG_EMOJI = /\u{1f3f4}$/u;

/** Whether a run of characters that cannot be seen is one that the letters before it need. */
export function isNeededJoiner(text: string, start: number, run: string) {
  const before = text.slice(Math.max(0, start - 2), start);
  // The flags of countries within countries are spelt out in tags that end with one of their own.
  if (run.startsWith("\u{e0067}") && run.endsWith("\u{e007f}")) return FLAG_EMOJI.test(before);
  return /^[\u200b-\u200d]$/.test(run) && JOINED_CHARACTERS.test(before);
}

/** Controls, format characters, what ends a line for some readers only, letters without a shape, runs of selectors. */
const UNSAFE =
  /\r\n|[\u{e0000}-\u{e007f}]+|[\u{e0100}-\u{e01ef}]{2,}|[\p{Cc}\p{Cf}\u2028\u2029\u115f\u1160\u3164\uffa0]/gu;
/** Lines and tabs, and the signs of Arabic and other scripts that are drawn around numbers. */
const SAFE = /^[\n\t\u0600-\u0605\u06dd\u070f\u0890\u0891\u08e2\u{110bd}\u{110cd}]$/u;

/** The same text with everything of that kind as `\u{1b}`. Doing it twice changes nothing. */
export function neutral(text: string) {
  return text.replace(UNSAFE, (run: string, start: number) => {
    if (run === "\r\n") return "\n";
    return SAFE.test(run) || isNeededJoiner(text, start, run)
      ? run
      : [...run].map((each) => `\\u{${each.codePointAt(0)?.toString(16)}}`).join("");
  });
}

const UNSAFE_IN_JSON =
  /[\u007f-\u009f\p{Cf}\u2028\u2029\u115f\u1160\u3164\uffa0\u{e0000}-\u{e007f}]|[\u{e0100}-\u{e01ef}]/gu;

/** JSON of the same values in which all of that is escaped; the characters below a space are already. */
export function neutralJson(json: string) {
  return json.replace(UNSAFE_IN_JSON, (each) => {
    let escaped = "";
    for (let at = 0; at < each.length; at++)
      escaped += `\\u${each.charCodeAt(at).toString(16).padStart(4, "0")}`;
    return escaped;
  });
}

const givenPlan =
  /^(?:please )?implement (?:the following|this) plan:?\s*#*\s*(?:plan:\s*)?([^\n]{4,}?)(?=\s+#{1,6}\s|\n|$)/iu;

/** The name of a plan that a request gives to be carried out, as Claude Code words it. */
export const planInRequest = (request: string) => givenPlan.exec(request)?.[1]?.trim();

/** Lines `A-B`, or one line `A`, as a model asks for them. Throws `usage` for anything else. */
export function lineRange(lines: string) {
  const match = /^(\d+)(?:-(\d+))?$/.exec(lines.trim());
  if (match === null) throw usageError(`lines are A-B, not ${lines}`, "for example 10-40");
  return [Number(match[1]), Number(match[2] ?? match[1])] as const;
}

/** Whether two paths name one file, of which one may begin further up. */
export const isSameFile = (one: string, other: string) =>
  one === other || one.endsWith(`/${other}`) || other.endsWith(`/${one}`);
