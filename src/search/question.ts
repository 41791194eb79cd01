// Reads a query as a question: its terms, clauses, dates, and which kind of row it asks for.

import { type AskedDate, absoluteDates, datesIn, withoutDates } from "../dates/index.ts";
import {
  chineseFor,
  englishFor,
  initials,
  type QueryTerm,
  queryTerms,
  type RowClass,
  stem,
  termsOf,
  typedPart,
  typedTerms,
} from "../terms/index.ts";

export interface Question {
  readonly text: string;
  /** Terms with the same `word` say the same thing in other words; the best of them counts. */
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
  /** The classes of rows that it asks for. */
  readonly wanted: ReadonlySet<RowClass>;
}

const firstPerson = /\b(?:i|my|me|i'm|i've|we|our|mine)\b|我/i;
const request =
  /\b(?:can|could|would|will) you\b|\bhow (?:should|can|do|would|could) (?:i|we)\b|\bshould i\b|\bsuggest|\brecommend|\bhelp me|\badvice\b|\btips\b|\bwhat (?:should|would|steps|kind)\b|\bshow me\b|\bexplain|\btell me\b|\bplease\b|请|帮我|怎么做|如何|建议|推荐/i;
const aboutThePast = /\b(?:did i|have i|had i|was i|were|did we|i (?:said|mentioned|told))\b|之前|上次/i;

/** What a question asks for, by its own words. A reason is not in the output that failed, but in what was said about it. */
const asksFor: readonly {
  readonly classes: readonly RowClass[];
  readonly words: RegExp;
  readonly not?: RegExp;
  /** Words that name the kind of row and stand in few rows of that kind. */
  readonly naming?: readonly string[];
}[] = [
  {
    classes: ["shell", "failed-shell"],
    words:
      /\bcommands?\b|\binvocation\b|\bflags?\b|\bhow (?:did|do|can|to|would) (?:we|you|i)\b|\b(?:what|which) (?:can|do|should|did) (?:i|we|you) run\b|命令|怎么(?:运行|跑|执行)|如何(?:运行|执行)/i,
  },
  {
    classes: ["failure", "failed-shell"],
    words:
      /\berrors?\b|\bfail(?:ed|s|ing|ures?)?\b|\bcrash|\bpanic|\bcomplain|\bbroke\b|\bexception|\bundefined\b|\breject|\bconflict|报错|错误信息|失败|崩溃|异常/i,
    not: /\bwhy\b|为什么|为何/i,
  },
  {
    classes: ["user"],
    naming: ["user", "users", "want", "wanted", "wants", "say", "said", "ask", "asked", "用户"],
    words: /\buser(?:'s)?\b|\bwant(?:ed|s)?\b|\bprefer|\bshould\b|\basked? for\b|用户|希望|想要|应该/i,
  },
];

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

const han = /\p{Script=Han}+/gu;
/** The less usual translations of a word. */
const OTHER_TRANSLATION = 0.7;

/** The words of the trade in the other language, for each word that has some. */
function translationsOf(text: string, terms: readonly QueryTerm[]): QueryTerm[] {
  const known = new Set(terms.map(({ term }) => term));
  const fromChinese = [...text.matchAll(han)].flatMap(([run]) => englishFor(run));
  const fromEnglish = terms.map(({ term, word }) => ({ word, terms: chineseFor(term) }));
  return [...fromChinese, ...fromEnglish].flatMap(({ word, terms: said }) =>
    said
      .map((term, at) => ({
        ...{ term, word, weight: at === 0 ? 1 : OTHER_TRANSLATION },
        isTranslation: true as const,
      }))
      .filter(({ term }) => !known.has(term)),
  );
}

/** `PR` for `pull request` and the other way round. */
function initialsOf(sequence: readonly string[], terms: readonly QueryTerm[]): QueryTerm[] {
  const text = ` ${sequence.join(" ")} `;
  const known = new Map(terms.map((term) => [term.term, term]));
  const standing = (term: string, word: string): QueryTerm => ({
    ...{ term, word, weight: OTHER_TRANSLATION, isTranslation: true },
  });
  return initials.flatMap(([short, words]) => {
    const written = known.get(short);
    if (!written && !text.includes(` ${words.join(" ")} `)) return [];
    const own = words.flatMap((word) => known.get(word) ?? []);
    if (!written) return own.map(({ word }) => standing(short, word));
    return own.length > 0 ? [] : words.map((word) => standing(word, written.word));
  });
}

/** Reading dates costs more than this, and few questions have any. */
const mayNameDate =
  /\d|[今昨前明后上下本这去周月年]|\b(?:today|yesterday|tomorrow|week|month|quarter|year|ago|tonight|(?:mon|tues|wednes|thurs|fri|satur|sun)day|jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)/i;

/** The dates of a question, and its text without them: the words of a date stand in no row that was written on it. */
function datesOf(text: string, now: number) {
  if (!mayNameDate.test(text)) return { dates: [], rest: text };
  const dates = datesIn(absoluteDates(text, now).text);
  return { dates, rest: dates.length === 0 ? text : withoutDates(text, now) };
}

/** `isTyped`: the last word may be incomplete. */
export function readQuestion(
  whole: string,
  { isTyped = false, translates = true, now = Date.now() } = {},
): Question {
  const text = whole.slice(0, LONGEST);
  const termsIn = isTyped && text.length === whole.length ? typedTerms : queryTerms;
  const { dates, rest } = datesOf(text, now);
  const wanted = asksFor.filter(({ words, not }) => words.test(text) && not?.test(text) !== true);
  const naming = new Set(wanted.flatMap(({ naming: named = [] }) => named));
  const own = termsIn(rest).filter(({ word }) => !naming.has(word));
  const terms = own.length > 0 ? own : termsIn(text);
  const sequence = sequenceOf(text, terms);
  const asked = new Set(terms.map(({ term }) => term));
  return {
    text,
    terms: translates ? [...terms, ...translationsOf(rest, terms), ...initialsOf(sequence, terms)] : terms,
    sequence,
    isKeywords: asked.size > 1 && sequence.every((term) => asked.has(term)),
    clauses: clausesOf(text, termsIn),
    dates,
    isFirstPerson: firstPerson.test(text),
    isRequest: request.test(text) && !aboutThePast.test(text),
    wanted: new Set(wanted.flatMap(({ classes }) => classes)),
  };
}

/** `data frame` may be written `dataframe`: each pair of neighbouring words as one, to be tried. */
export function joinedTerms({ terms }: Question): QueryTerm[] {
  const words = [...new Map(terms.map((term) => [term.word, term])).values()];
  return words.flatMap(({ word }, at) => {
    const next = words[at + 1];
    if (!next || !/^[a-z]+$/.test(word + next.word)) return [];
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
