// Finds the words of a question in a text, for highlighting.
import { stem } from "./stem.ts";
import { asciiRuns, chineseWords, identifierParts, LONGEST_TERM, runs, termsOf } from "./terms.ts";
import { standsFor } from "./unfinished.ts";
import { baseForms } from "./wordLists.ts";

/** From in, to out, in UTF-16 units. */
export type Mark = readonly [from: number, to: number];

type IsWanted = (term: string) => boolean;

const isAnyWanted = (text: string, isWanted: IsWanted) => {
  const { sequence, extra } = termsOf(text);
  return sequence.some(isWanted) || extra.some(isWanted);
};

function* marksInCjk(run: string, isWanted: IsWanted): Generator<Mark> {
  let at = 0;
  const characters = [...run].map((character) => {
    const from = at;
    at += character.length;
    return { character, from, to: at };
  });
  if (characters.length === 1 && isWanted(run)) yield [0, run.length];
  for (const [index, { character, from }] of characters.entries()) {
    const next = characters[index + 1];
    if (next && isWanted(character + next.character)) yield [from, next.to];
  }
  for (const { segment, index } of chineseWords(run))
    if (isWanted(segment)) yield [index, index + segment.length];
}

function* marksInWord(run: string, isWanted: IsWanted): Generator<Mark> {
  const parts = /['’]/.test(run) ? [run] : run.split(identifierParts);
  const whole = run.replaceAll("_", "").toLowerCase();
  if (parts.length === 1 || isWanted(whole)) {
    if (isWanted(whole) || isAnyWanted(run, isWanted)) yield [0, run.length];
    return;
  }
  let from = 0;
  for (const part of parts) {
    from = run.indexOf(part, from);
    if (part !== "" && isAnyWanted(part, isWanted)) yield [from, from + part.length];
    from += part.length;
  }
}

/** In the order of the text; what touches is one. */
function mergedMarks(marks: readonly Mark[]): Mark[] {
  const found: [number, number][] = [];
  for (const [from, to] of [...marks].sort((a, b) => a[0] - b[0])) {
    const last = found.at(-1);
    if (last && from <= last[1]) last[1] = Math.max(last[1], to);
    else found.push([from, to]);
  }
  return found;
}

/** Most words: they have no parts, and one term. */
const plainWord = /^[A-Za-z]?[a-z]+$/;

function marksInRun(run: string, isCjk: boolean, isWanted: IsWanted): readonly Mark[] {
  if (plainWord.test(run)) {
    const word = run.toLowerCase();
    return isWanted(stem(word.slice(0, LONGEST_TERM))) || isWanted(word) ? [[0, run.length]] : [];
  }
  // Where the index writes it otherwise, places inside it are not places in the text.
  if (run.normalize("NFKC") !== run) return isAnyWanted(run, isWanted) ? [[0, run.length]] : [];
  return [...(isCjk ? marksInCjk(run, isWanted) : marksInWord(run, isWanted))];
}

export type Marker = (text: string) => Mark[];

/** Words that begin otherwise than their stem, with that stem: `went`, `folder`. */
let renamed: readonly (readonly [beginning: string, stem: string])[] | undefined;

/** The first letters of plain words that can stand for one of the terms. */
function beginningsOf(terms: readonly string[], isWanted: IsWanted) {
  renamed ??= [...baseForms]
    .map(([form, base]) => [form.charAt(0), stem(base)] as const)
    .filter(([beginning, own]) => !own.startsWith(beginning));
  const others = renamed.filter(([, own]) => isWanted(own)).map(([beginning]) => beginning);
  return new Set([...terms.map((term) => term.charAt(0)), ...others]);
}

const isAscii = (text: string) => !/[^\0-\x7f]/.test(text);

/** Marks what stands for one of the terms in any number of texts. Caches the marks of each word, because words repeat. */
export function makeMarker(terms: readonly string[]): Marker {
  const meant = terms.map(standsFor);
  const isWanted = (term: string) => meant.some((isMeant) => isMeant(term));
  const beginnings = beginningsOf(terms, isWanted);
  const known = new Map<string, readonly Mark[]>();
  const marksOf = (run: string, isCjk: boolean): readonly Mark[] => {
    const isPossible = beginnings.has(run.charAt(0).toLowerCase()) || !plainWord.test(run);
    if (!isPossible) return [];
    const marks = known.get(run) ?? marksInRun(run, isCjk, isWanted);
    known.set(run, marks);
    return marks;
  };
  return (text) => {
    const found: Mark[] = [];
    for (const { 0: run, 1: cjk, index } of text.matchAll(isAscii(text) ? asciiRuns : runs))
      for (const [from, to] of marksOf(run, cjk !== undefined)) found.push([index + from, index + to]);
    return found.length > 1 ? mergedMarks(found) : found;
  };
}
