// A text as a person reads it: letters of other widths and styles made plain, and what cannot be seen left out.
import { sameView, type View, ViewBuilder } from "./view.ts";

const PLAIN = /^[\t\n\r\x20-\x7e\u00a0-\u02ff\u3000-\u303f\u3040-\u30ff\u4e00-\u9fff]*$/;
/** Letters that a rule could look for in another form, and what cannot be seen. */
const OTHER = /[^\t\n\r\x20-\x7e\u3040-\u30ff\u4e00-\u9fff]/gu;
const UNSEEN =
  /\u034f|[\ufe00-\ufe0f]|[\u00ad\u115f\u1160\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f\u3164\ufeff\uffa0\u{e0000}-\u{e01ef}]/u;

export function readable(text: string): View {
  if (PLAIN.test(text)) return sameView(text);
  const view = new ViewBuilder(text);
  let at = 0;
  for (const { index, 0: character } of text.matchAll(OTHER)) {
    const shown = UNSEEN.test(character)
      ? ""
      : character < "\u0080"
        ? character
        : character.normalize("NFKC");
    if (shown === character) continue;
    view.copy(at, index);
    view.rewrite(index, shown);
    at = index + character.length;
  }
  view.copy(at, text.length);
  return view.build();
}
