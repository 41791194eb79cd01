// A text with parts of it left out or rewritten, and the way from a place in it back to the original.

export interface View {
  readonly text: string;
  /** Where the character at this place is in the original. */
  place(at: number): number;
}

/** The original itself. */
export const sameView = (text: string): View => ({ text, place: (at) => at });

/** What is shown in place of a match: nothing, or what a function makes of it, where a match is one character. */
type Shown = "" | ((character: string) => string);

/** A replacement by a function keeps all matches of its text until it is done: a long text is replaced in steps. */
const VIEW_STEP = 16_384;
const isPairAt = (text: string, at: number) => (text.codePointAt(at - 1) ?? 0) > 0xffff;

function replacedInSteps(text: string, pattern: RegExp, shown: (character: string) => string) {
  let result = "";
  for (let at = 0; at < text.length; ) {
    const end = at + VIEW_STEP + (isPairAt(text, at + VIEW_STEP) ? 1 : 0);
    result += text.slice(at, end).replace(pattern, shown);
    at = end;
  }
  return result;
}

/**
 * The view in which every match of a global pattern is replaced. Most views are read and never asked for a place: the
 * way back is worked out when the first place is asked for, so that a view costs no more than its text.
 */
export function viewOf(text: string, pattern: RegExp, shown: Shown): View {
  // A replacement by nothing allocates the result alone.
  const seen = shown === "" ? text.replace(pattern, shown) : replacedInSteps(text, pattern, shown);
  let place: View["place"] | undefined;
  return {
    text: seen,
    place(at) {
      if (at >= seen.length) return text.length;
      place ??= placesOf(text, pattern, shown);
      return place(at);
    },
  };
}

/** Pieces in the order of the view, a number each in three lists: an object for each would outweigh the text. */
function placesOf(text: string, pattern: RegExp, shown: Shown): View["place"] {
  /** Where each begins in the view, and where in the original. */
  const [begins, origins] = [[0], [0]];
  /** 1 where every character is one of the original, 0 where all of them stand for the match at the origin. */
  const steps = [1];
  let [begin, origin] = [0, 0];
  const add = (from: number, step: number) => {
    begins.push(begin);
    origins.push(from);
    steps.push(step);
  };
  for (const { index, 0: part } of text.matchAll(pattern)) {
    const instead = shown === "" ? "" : shown(part);
    if (instead === part) continue;
    begin += index - origin;
    if (instead !== "") add(index, 0);
    begin += instead.length;
    origin = index + part.length;
    add(origin, 1);
  }
  return (at) => {
    // Of several that begin at one place, all but the last are empty.
    let [low, high] = [0, begins.length - 1];
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if ((begins[middle] ?? 0) <= at) low = middle;
      else high = middle - 1;
    }
    return (origins[low] ?? 0) + (at - (begins[low] ?? 0)) * (steps[low] ?? 1);
  };
}

const ESC = String.fromCharCode(27);
const BEL = String.fromCharCode(7);
// Colours, cursor movements and titles, as a terminal gets them or as they look once escaped.
const SEQUENCE = new RegExp(
  `(?:${ESC}|\\\\u001b|\\\\x1b|\\\\033|\\\\e|\\^\\[)\\[[\\d;:?]{0,32}[A-Za-z]|${ESC}\\][^${BEL}${ESC}]{0,256}(?:${BEL}|${ESC}\\\\)`,
  "gi",
);
/** How such a sequence begins, in any case. */
export const TERMINAL_LANDMARKS = `${ESC}[|${ESC}]|\\u001b[|\\x1b[|\\033[|\\e[|^[[`;

/** A text as a terminal shows it: without the sequences that colour it. */
export const withoutTerminalSequences = (text: string): View => viewOf(text, SEQUENCE, "");
