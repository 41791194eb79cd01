// Reads a query as a question: its terms, clauses, dates, and whether it is about the user.

import { type AskedDate, datesIn } from "../dates/index.ts";
import { type QueryTerm, queryTerms, stem, termsOf, typedPart, typedTerms } from "../terms/index.ts";

export interface Question {
  readonly text: string;
  readonly terms: readonly QueryTerm[];
  /** The terms in the order of the text, stop words among them: what a phrase would be. */
  readonly sequence: readonly string[];
  /** The terms of each sentence, when there are several. */
  readonly clauses: readonly (readonly string[])[];
  readonly dates: readonly AskedDate[];
  /** A few words without any that only make a sentence. */
  readonly isKeywords: boolean;
  /** The question is about what the user said or did. */
  readonly isFirstPerson: boolean;
  /** Asks for help or for something to be made, so that standing requests matter. */
  readonly isRequest: boolean;
}

const firstPerson = /\b(?:i|my|me|i'm|i've|we|our|mine)\b|我/i;
const request =
  /\b(?:can|could|would|will) you\b|\bhow (?:should|can|do|would|could) (?:i|we)\b|\bshould i\b|\bsuggest|\brecommend|\bhelp me|\badvice\b|\btips\b|\bwhat (?:should|would|steps|kind)\b|\bshow me\b|\bexplain|\btell me\b|\bplease\b|请|帮我|怎么做|如何|建议|推荐/i;
const aboutThePast = /\b(?:did i|have i|had i|was i|were|did we|i (?:said|mentioned|told))\b|之前|上次/i;
const sentenceEnd = /[?!。？！；;\n]+|(?<=[a-z])\.\s/;
const SHORTEST_CLAUSE = 4;
/** What is longer than this is a text, not a question; its first words say enough. */
const LONGEST = 2_000;
const MOST_CLAUSES = 16;

function clausesOf(text: string, termsIn: (text: string) => readonly QueryTerm[]) {
  const parts = text
    .split(sentenceEnd)
    .map((part) => part.trim())
    .filter(({ length }) => length >= SHORTEST_CLAUSE)
    .slice(0, MOST_CLAUSES);
  const clauses = parts.map((part, at) =>
    (at === parts.length - 1 ? termsIn : queryTerms)(part).map(({ term }) => term),
  );
  return clauses.length > 1 ? clauses : [];
}

/** The term of the word that is still being typed. */
export const unfinishedTerm = (terms: readonly QueryTerm[]) =>
  terms.find(({ term }) => typedPart(term) !== undefined)?.term;

/** With the last term as it is asked for, where that is unfinished. */
function sequenceOf(text: string, terms: readonly QueryTerm[]) {
  const { sequence } = termsOf(text);
  const unfinished = unfinishedTerm(terms);
  return unfinished === undefined ? sequence : [...sequence.slice(0, -1), unfinished];
}

/** `isTyped`: the last word may be incomplete. */
export function readQuestion(whole: string, isTyped = false): Question {
  const text = whole.slice(0, LONGEST);
  const termsIn = isTyped && text.length === whole.length ? typedTerms : queryTerms;
  const terms = termsIn(text);
  const sequence = sequenceOf(text, terms);
  const asked = new Set(terms.map(({ term }) => term));
  return {
    text,
    terms,
    sequence,
    isKeywords: asked.size > 1 && sequence.every((term) => asked.has(term)),
    clauses: clausesOf(text, termsIn),
    dates: datesIn(text),
    isFirstPerson: firstPerson.test(text),
    isRequest: request.test(text) && !aboutThePast.test(text),
  };
}

/** `data frame` may be written `dataframe`: each pair of neighbouring words as one, to be tried. */
export function joinedTerms({ terms }: Question): QueryTerm[] {
  return terms.flatMap(({ word }, at) => {
    const next = terms[at + 1];
    if (next === undefined || !/^[a-z]+$/.test(word + next.word)) return [];
    return { term: stem(word + next.word), word: word + next.word, weight: 1 };
  });
}

const SHORTEST_PART = 3;

/** `textfile` may be written `text file`: the ways to cut a word that occurs nowhere. */
export function cuts({ word }: QueryTerm): (readonly [string, string])[] {
  if (word.length < 2 * SHORTEST_PART || !/^[a-z]+$/.test(word)) return [];
  return Array.from({ length: word.length - 2 * SHORTEST_PART + 1 }, (_, at) => {
    const cut = at + SHORTEST_PART;
    return [stem(word.slice(0, cut)), stem(word.slice(cut))] as const;
  });
}
