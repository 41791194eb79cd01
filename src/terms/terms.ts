// Text into the terms it is found by: stems, the parts of identifiers, and for CJK both bigrams and words.
import { stem } from "./stem.ts";
import { languageNames, stopWords } from "./wordLists.ts";

interface Terms {
  /** In the order of the text: stems of words and of the parts of identifiers, and bigrams of CJK. Phrases live here. */
  readonly sequence: readonly string[];
  /** Whole identifiers and CJK words that are no bigram. They have no order. */
  readonly extra: readonly string[];
}

interface Token {
  readonly term: string;
  /** The word as it was written, in lower case. */
  readonly word: string;
  readonly isExtra: boolean;
}

const CJK = "\\p{Script=Han}\\p{Script=Hiragana}\\p{Script=Katakana}\\p{Script=Hangul}ー々";
/** The scripts have signs, too, that stand for no word: radicals alone, for one. */
const cjkCharacter = `(?=[\\p{L}\\p{M}\\p{N}])[${CJK}]`;
/** One after the other: a run of CJK, or a word or identifier of any other script. */
export const runs = new RegExp(
  `((?:${cjkCharacter})+)|([\\p{L}\\p{N}_][\\p{L}\\p{M}\\p{N}_]*(?:['’]\\p{L}+)?)`,
  "gu",
);
/** The same in a text of ASCII alone, where it is found faster. */
export const asciiRuns = /\w+(?:'[A-Za-z]+)?/g;
const isCjk = new RegExp(`[${CJK}]`, "u");
export const identifierParts =
  /_+|(?<=[\p{Ll}\p{N}])(?=\p{Lu})|(?<=\p{Lu})(?=\p{Lu}\p{Ll})|(?<=\p{L})(?=\p{N})|(?<=\p{N})(?=\p{L})/u;
export const LONGEST_TERM = 64;

let segmenter: Intl.Segmenter | undefined;

/** The words of a run of Chinese. The segmenter is made with the first one: that reads a dictionary. */
export function chineseWords(run: string): Intl.Segments {
  segmenter ??= new Intl.Segmenter("zh", { granularity: "word" });
  return segmenter.segment(run);
}

function* cjkTokens(run: string): Generator<Token> {
  const characters = [...run];
  if (characters.length === 1) return yield { term: run, word: run, isExtra: false };
  for (let at = 0; at + 1 < characters.length; at += 1) {
    const pair = `${characters[at]}${characters[at + 1]}`;
    yield { term: pair, word: pair, isExtra: false };
  }
  for (const { segment } of chineseWords(run)) {
    if ([...segment].length !== 2) yield { term: segment, word: segment, isExtra: true };
  }
}

function* wordTokens(run: string): Generator<Token> {
  const bare = run.replace(/['’]s$/i, "").replace(/['’]/g, "");
  const parts = bare.split(identifierParts).filter((part) => part !== "");
  for (const part of parts) {
    const word = part.toLowerCase().slice(0, LONGEST_TERM);
    yield { term: stem(word), word, isExtra: false };
  }
  if (parts.length > 1) {
    const whole = bare.replaceAll("_", "").toLowerCase().slice(0, LONGEST_TERM);
    yield { term: whole, word: whole, isExtra: true };
  }
}

function* tokens(text: string): Generator<Token> {
  for (const [, cjk, word] of text.normalize("NFKC").matchAll(runs)) {
    if (cjk !== undefined) yield* cjkTokens(cjk);
    else if (word !== undefined) yield* wordTokens(word);
  }
}

export function termsOf(text: string): Terms {
  const sequence: string[] = [];
  const extra: string[] = [];
  for (const { term, isExtra } of tokens(text)) (isExtra ? extra : sequence).push(term);
  return { sequence, extra };
}

export interface QueryTerm {
  readonly term: string;
  /** As it was written, in lower case; of an English word, before it was stemmed. */
  readonly word: string;
  /** How much it says, from 0 to 1, before anything is known of how often it occurs. */
  readonly weight: number;
  /** In other words than were written, so that its spelling is not corrected. */
  readonly isTranslation?: true;
}

const LANGUAGE_NAME_WEIGHT = 0.3;

/** What to look for: each term once, without stop words unless there is nothing else. */
export function queryTerms(text: string): QueryTerm[] {
  const found = new Map<string, QueryTerm>();
  const silent = new Map<string, QueryTerm>();
  for (const { term, word } of tokens(text)) {
    const weight = languageNames.has(word) ? LANGUAGE_NAME_WEIGHT : 1;
    const into = stopWords.has(word) ? silent : found;
    if (!into.has(term)) into.set(term, { term, word, weight });
  }
  return [...(found.size > 0 ? found : silent).values()];
}

export const isStopWord = (word: string) => stopWords.has(word);

export const hasCjk = (text: string) => isCjk.test(text);
