// A text as a person reads it: letters of other widths and styles made plain, and what cannot be seen left out.

export interface Readable {
  readonly text: string;
  /** Where a place in this text is in the one that it was made from. */
  place(at: number): number;
}

const PLAIN = /^[\t\n\r\x20-\x7e\u00a0-\u02ff\u3000-\u303f\u3040-\u30ff\u4e00-\u9fff]*$/;
const UNSEEN =
  /\u034f|[\ufe00-\ufe0f]|[\u00ad\u115f\u1160\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f\u3164\ufeff\uffa0\u{e0000}-\u{e01ef}]/u;

export function readable(text: string): Readable {
  if (PLAIN.test(text)) return { text, place: (at) => at };
  const places: number[] = [];
  let plain = "";
  let from = 0;
  for (const character of text) {
    const shown = UNSEEN.test(character)
      ? ""
      : character < "\u0080"
        ? character
        : character.normalize("NFKC");
    for (let at = 0; at < shown.length; at++) places.push(from);
    plain += shown;
    from += character.length;
  }
  return { text: plain, place: (at) => places[at] ?? text.length };
}
