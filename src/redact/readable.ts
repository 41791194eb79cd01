// A text as a person reads it: letters of other widths and styles made plain, and what cannot be seen left out.
import { sameView, type View, viewOf } from "./view.ts";

const PLAIN = /^[\t\n\r\x20-\x7e\u00a0-\u02ff\u3000-\u303f\u3040-\u30ff\u4e00-\u9fff]*$/;
/** Letters that a rule could look for in another form, and what cannot be seen. */
const OTHER = /[^\t\n\r\x20-\x7e\u3040-\u30ff\u4e00-\u9fff]/gu;
const UNSEEN_CHARACTERS =
  /\u034f|[\ufe00-\ufe0f]|[\u00ad\u115f\u1160\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f\u3164\ufeff\uffa0\u{e0000}-\u{e01ef}]/u;

const readableCharacter = (character: string) => {
  if (UNSEEN_CHARACTERS.test(character)) return "";
  return character < "\u0080" ? character : character.normalize("NFKC");
};

export const readable = (text: string): View =>
  PLAIN.test(text) ? sameView(text) : viewOf(text, OTHER, readableCharacter);
