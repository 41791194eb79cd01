// A text with parts of it left out or rewritten, and the way from a place in it back to the original.

interface Piece {
  /** Where it begins in the view. */
  readonly at: number;
  /** Where it begins in the original. */
  readonly from: number;
  /** Whether every character of it is one of the original; otherwise all of it stands for one character. */
  readonly isCopy: boolean;
}

export interface View {
  readonly text: string;
  /** Where the character at this place is in the original. */
  place(at: number): number;
}

/** The original itself. */
export const sameView = (text: string): View => ({ text, place: (at) => at });

/** Collects the pieces of a view in the order of the original. */
export class ViewBuilder {
  readonly #original: string;
  readonly #pieces: Piece[] = [];
  readonly #texts: string[] = [];
  #length = 0;

  constructor(original: string) {
    this.#original = original;
  }

  /** Takes over a stretch as it is. */
  copy(from: number, to: number): void {
    if (to > from) this.#add(this.#original.slice(from, to), from, true);
  }

  /** Puts something else in the place of one character. */
  rewrite(from: number, text: string): void {
    if (text !== "") this.#add(text, from, false);
  }

  #add(text: string, from: number, isCopy: boolean): void {
    this.#pieces.push({ at: this.#length, from, isCopy });
    this.#texts.push(text);
    this.#length += text.length;
  }

  build(): View {
    const [pieces, length, end] = [this.#pieces, this.#length, this.#original.length];
    return {
      text: this.#texts.join(""),
      place(at) {
        if (at >= length) return end;
        let [low, high] = [0, pieces.length - 1];
        while (low < high) {
          const middle = (low + high + 1) >> 1;
          if ((pieces[middle]?.at ?? 0) <= at) low = middle;
          else high = middle - 1;
        }
        const piece = pieces[low];
        return piece === undefined ? end : piece.from + (piece.isCopy ? at - piece.at : 0);
      },
    };
  }
}

const ESC = String.fromCharCode(27);
const BEL = String.fromCharCode(7);
// Colours, cursor movements and titles, as a terminal gets them or as they look once escaped.
const SEQUENCE = new RegExp(
  `(?:${ESC}|\\\\u001b|\\\\x1b|\\\\033|\\\\e|\\^\\[)\\[[\\d;:?]{0,32}[A-Za-z]|${ESC}\\][^${BEL}${ESC}]{0,256}(?:${BEL}|${ESC}\\\\)`,
  "gi",
);
/** How such a sequence begins, in any case. */
export const TERMINAL_LANDMARKS = [`${ESC}[`, `${ESC}]`, "\\u001b[", "\\x1b[", "\\033[", "\\e[", "^[["];

/** A text as a terminal shows it: without the sequences that colour it. */
export function withoutTerminalSequences(text: string): View {
  const view = new ViewBuilder(text);
  let at = 0;
  for (const { index, 0: sequence } of text.matchAll(SEQUENCE)) {
    view.copy(at, index);
    at = index + sequence.length;
  }
  view.copy(at, text.length);
  return view.build();
}
