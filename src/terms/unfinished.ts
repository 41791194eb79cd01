// The term of a word that is still being typed: it matches every word with that prefix, and the word itself.
import { stem } from "./stem.ts";
import { hasCjk, isStopWord, type QueryTerm, queryTerms } from "./terms.ts";

/** No term has this sign in it. */
const UNFINISHED_MARK = "*";

/** What was typed of it; undefined for a term that is whole. */
export const typedPart = (term: string) =>
  term.endsWith(UNFINISHED_MARK) ? term.slice(0, -UNFINISHED_MARK.length) : undefined;

/** Whether a term stands for another. `parse*` stands for `pars`, which is `parse` in the index, and for `parser`. */
export function standsFor(term: string): (other: string) => boolean {
  const typed = typedPart(term);
  if (typed === undefined) return (other) => other === term;
  const whole = stem(typed);
  return (other) => other === whole || other.startsWith(typed);
}

const lastPart = /(?:\p{Lu}?[\p{Ll}\p{Lm}\p{Lo}\p{M}]+|\p{Lu}+|\p{N}+)$/u;
/** One letter begins too much. */
const SHORTEST_PREFIX = 2;

/** The word at the very end of a text, or the last part of the identifier there; undefined when it is not to be completed. */
function unfinishedWord(text: string) {
  const found = lastPart.exec(text);
  if (found === null) return undefined;
  const before = text.slice(0, found.index);
  const word = found[0].normalize("NFKC").toLowerCase();
  // Of several characters of CJK the pairs are found as they are.
  if (hasCjk(word)) return [...word].length === 1 ? { word, before } : undefined;
  return word.length >= SHORTEST_PREFIX ? { word, before } : undefined;
}

/** As `queryTerms`, with a last word that may be incomplete. */
export function typedTerms(text: string): QueryTerm[] {
  const last = unfinishedWord(text);
  if (!last) return queryTerms(text);
  const earlier = queryTerms(last.before).filter(({ word }) => !isStopWord(word));
  if (earlier.length > 0 && isStopWord(last.word)) return earlier;
  const unfinished = { term: `${last.word}${UNFINISHED_MARK}`, word: last.word, weight: 1 };
  return [...earlier.filter(({ word }) => word !== last.word), unfinished];
}

const LONGEST_ENDING = 4;
const SHORTEST_STEM = 4;

/** `configurat` begins no stem, but `configur` is one: what it could be the beginning of, longest first. */
export function stemsBefore(typed: string) {
  const shortest = Math.max(SHORTEST_STEM, typed.length - LONGEST_ENDING);
  return Array.from({ length: Math.max(0, typed.length - shortest) }, (_, cut) =>
    typed.slice(0, typed.length - 1 - cut),
  );
}
