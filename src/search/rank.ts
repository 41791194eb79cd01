// Ranks what the index found: words of a passage, of its exchange and of its title, the class of the row, session and date.

import { dateAgreement } from "../dates/index.ts";
import { sumOf } from "../lib/index.ts";
import type { TermStatistics } from "../store/index.ts";
import { isStopWord, standsFor } from "../terms/index.ts";
import { type FoundEntry, type FoundText, lengthOf, termsText } from "./model.ts";
import { type Question, unfinishedTerm } from "./question.ts";
import { countTerm } from "./termText.ts";
import { bm25, ofTools, type Signal, type Tuning, weights } from "./weights.ts";

export interface Ranked {
  readonly entry: FoundEntry;
  readonly score: number;
  /** What each signal added; signals that added nothing are absent. */
  readonly signals: Readonly<Partial<Record<Signal, number>>>;
  /** The factor of its class, which `passage`, `around` and `title` are multiplied by. */
  readonly factor: number;
  /** The passage that matched best; absent when only its surroundings did. */
  readonly passage?: FoundText;
  /** The words of the question that it has. */
  matched(): string[];
  /** The numbers that a signal of the words is computed from; undefined for others, and in chats. */
  basis(signal: Signal): string | undefined;
}

export type Counts = ReadonlyMap<string, number>;

export interface Scored {
  readonly entry: FoundEntry;
  readonly passage?: FoundText;
  /** How often each term occurs in what was found of it. */
  readonly counts: Counts;
  /** From 0 to 1. */
  readonly best: number;
}

/** What a word of the question is worth in each of the terms that stand for it. */
export type Word = readonly { readonly term: string; readonly worth: number }[];

export interface Weighing {
  readonly question: Question;
  readonly words: readonly Word[];
  /** What a term is worth: rare ones more. Terms that occur nowhere are absent. */
  readonly worth: ReadonlyMap<string, number>;
  /** In how many of how many passages each term is. */
  readonly statistics: Pick<TermStatistics, "passages" | "frequency">;
  /** Speakers that the question names. */
  readonly named: ReadonlySet<string>;
  readonly total: number;
  readonly meanLength: number;
  /** The term of the question that a term of a text stands for: the unfinished one for what begins so, else itself. */
  readonly meant: (term: string) => string;
}

/** A speaker's name in the question selects the speaker; in texts it occurs mostly in greetings, so as a term it counts less. */
const NAME_WEIGHT = 0.3;

/** What a term says: the fewer of the passages have it, the more. */
export const rarityOf = (found: number, passages: number) =>
  Math.log(1 + (passages - found + 0.5) / (found + 0.5));

export function weigh(
  question: Question,
  statistics: Omit<TermStatistics, "holders">,
  named: ReadonlySet<string> = new Set(),
): Weighing {
  const { passages, frequency, meanLength } = statistics;
  const words = new Map<string, { term: string; worth: number }[]>();
  for (const { term, word, weight } of question.terms) {
    const found = frequency.get(term);
    if (found === undefined) continue;
    const worth = weight * (named.has(word) ? NAME_WEIGHT : 1) * rarityOf(found, passages);
    words.set(word, [...(words.get(word) ?? []), { term, worth }]);
  }
  const all = [...words.values()];
  const worth = new Map(all.flat().map((one) => [one.term, one.worth]));
  const total = sumOf(all, (word) => most(word.map((one) => one.worth))) || 1;
  return {
    ...{ question, words: all, worth, statistics, named, total },
    ...{ meanLength: meanLength || 1, meant: meantIn(question) },
  };
}

function meantIn({ terms }: Question): Weighing["meant"] {
  const unfinished = unfinishedTerm(terms);
  if (unfinished === undefined) return (term) => term;
  const isMeant = standsFor(unfinished);
  const own = new Set(terms.map(({ term }) => term));
  return (term) => (!own.has(term) && isMeant(term) ? unfinished : term);
}

const most = (values: readonly number[]) => values.reduce((max, value) => Math.max(max, value), 0);

/** BM25 of counted terms; of the terms that stand for one word the best counts. */
function score(counts: Counts, ratio: number, words: readonly Word[]) {
  let sum = 0;
  for (const word of words) {
    let best = 0;
    for (const { term, worth } of word) {
      const count = counts.get(term);
      if (count === undefined) continue;
      best = Math.max(best, (worth * count * (bm25.k1 + 1)) / (count + bm25.k1 * ratio));
    }
    sum += best;
  }
  return sum;
}

const lengthRatio = (passage: FoundText, meanLength: number) =>
  1 - bm25.b + (bm25.b * lengthOf(passage)) / meanLength;

function countTerms(passage: FoundText, worth: ReadonlyMap<string, number>): Counts {
  const counts = new Map<string, number>();
  const text = termsText(passage);
  for (const term of worth.keys()) {
    const count = countTerm(text, term);
    if (count > 0) counts.set(term, count);
  }
  return counts;
}

export function added(one: Counts, other: Counts, share = 1): Counts {
  const sum = new Map(one);
  for (const [term, count] of other) sum.set(term, (sum.get(term) ?? 0) + share * count);
  return sum;
}

/**
 * Each entry by its best passage. `isSplit`: a question of several sentences is several questions, and an entry counts by the one
 * it answers best, so that a long sentence does not hide what answers a short one.
 */
export function scoreEntries(
  passages: readonly FoundText[],
  { worth, words, meanLength, question: { clauses } }: Weighing,
  isSplit: boolean,
): Scored[] {
  const wordsOf = (terms: readonly string[]) =>
    words.filter((word) => word.some(({ term }) => terms.includes(term)));
  const asked = isSplit && clauses.length > 0 ? clauses.map(wordsOf) : [words];
  const parts = passages.map((passage) => {
    const counts = countTerms(passage, worth);
    const ratio = lengthRatio(passage, meanLength);
    return { passage, counts, scores: asked.map((some) => score(counts, ratio, some)) };
  });
  const tops = asked.map((_, at) => most(parts.map(({ scores }) => scores[at] ?? 0)) || 1);
  const entries = new Map<number, { -readonly [key in keyof Scored]: Scored[key] }>();
  for (const { passage, counts, scores } of parts) {
    const best = most(scores.map((value, at) => value / (tops[at] ?? 1)));
    const known = entries.get(passage.entry.id);
    if (!known) entries.set(passage.entry.id, { entry: passage.entry, passage, counts, best });
    else {
      known.counts = added(known.counts, counts);
      if (best > known.best) Object.assign(known, { best, passage });
    }
  }
  return [...entries.values()].sort((a, b) => b.best - a.best);
}

/** From 0 to 1: BM25 of what each place holds in all, against the best place. */
export function placeScores<K>(places: ReadonlyMap<K, Counts>, { words }: Weighing): ReadonlyMap<K, number> {
  const raw = new Map([...places].map(([place, counts]) => [place, score(counts, 1, words)]));
  const top = most([...raw.values()]) || 1;
  return new Map([...raw].map(([place, value]) => [place, value / top]));
}

/** Of an exchange, files and output are most, and repeat what they have. */
const TOOL_SHARE = 0.25;

/** What was found of each exchange, all entries of it together; what tools did and printed counts a quarter. */
function exchangeCounts(scored: readonly Scored[]) {
  const places = new Map<number, Counts>();
  for (const { entry, counts } of scored) {
    const share = ofTools.has(entry.rowClass) ? TOOL_SHARE : 1;
    places.set(entry.exchange, added(places.get(entry.exchange) ?? new Map(), counts, share));
  }
  return places;
}

const BEST_OF_SESSION = 3;
/** With fewer sessions this signal does not discriminate. */
const FEWEST_SESSIONS = 3;

function sessionScores(scored: readonly Scored[]) {
  const bests = new Map<string, number[]>();
  for (const { entry, best } of scored) {
    const known = bests.get(entry.session);
    if (!known) bests.set(entry.session, [best]);
    else known.push(best);
  }
  if (bests.size < FEWEST_SESSIONS) return new Map();
  const mean = (values: readonly number[]) => sumOf(bestThree(values), (value) => value) / BEST_OF_SESSION;
  return new Map([...bests].map(([session, values]) => [session, mean(values)]));
}

const bestThree = (values: readonly number[]) => [...values].sort((a, b) => b - a).slice(0, BEST_OF_SESSION);

/** How much of the question is in the title, and of the title in the question. */
function titleShares(title: readonly string[], { worth, total, meant }: Weighing) {
  const asked = new Set<string>();
  let [words, shared] = [0, 0];
  for (const written of title) {
    if (isStopWord(written)) continue;
    words += 1;
    const term = meant(written);
    if (!worth.has(term)) continue;
    shared += 1;
    asked.add(term);
  }
  return words === 0 ? [0, 0] : [sumOf([...asked], (term) => worth.get(term) ?? 0) / total, shared / words];
}

const titleScore = (title: readonly string[], weighing: Weighing) =>
  sumOf(titleShares(title, weighing), (share) => share) / 2;

const shown = (value: number) => String(Math.round(value * 1_000) / 1_000);

/** BM25 of counted terms with what it is made of: of each word the term that counts, how often, its worth and in how many passages it is. */
function scoreText(counts: Counts, ratio: number, share: number, { words, statistics }: Weighing) {
  const parts = words.flatMap((word) => {
    const points = word.map((one) => score(counts, ratio, [[one]]));
    const { term, worth } = word[points.indexOf(most(points))] ?? { term: "", worth: 0 };
    const count = counts.get(term);
    if (count === undefined) return [];
    return `${term} ×${shown(count)} worth ${shown(worth)} in ${statistics.frequency.get(term)}`;
  });
  const raw = score(counts, ratio, words);
  return `${shown(raw)} / ${shown(raw / share)}: ${parts.join(", ")}`;
}

interface Explained {
  readonly scored: readonly Scored[];
  readonly exchanges: ReadonlyMap<number, Counts>;
  readonly weighing: Weighing;
}

/** The numbers behind the share of a signal, as docs/search.md computes it. */
function basisOf(signal: Signal, share: number, { entry, passage }: Scored, explained: Explained) {
  const { scored, exchanges, weighing } = explained;
  const { meanLength, statistics, worth } = weighing;
  if (signal === "passage" && passage) {
    const text = scoreText(countTerms(passage, worth), lengthRatio(passage, meanLength), share, weighing);
    return `${text}; ${lengthOf(passage)} terms, mean ${shown(meanLength)}, ${statistics.passages} passages`;
  }
  if (signal === "around") return scoreText(exchanges.get(entry.exchange) ?? new Map(), 1, share, weighing);
  if (signal === "title") return `(${titleShares(entry.title, weighing).map(shown).join(" + ")}) / 2`;
  if (signal !== "session") return undefined;
  const bests = scored.filter((other) => other.entry.session === entry.session).map(({ best }) => best);
  return `(${bestThree(bests).map(shown).join(" + ")}) / ${BEST_OF_SESSION}`;
}

type Shares = { [signal in Signal]?: number };

interface Surroundings {
  /** Entries of chats, by the id of the entry: the signals that only chats have. */
  readonly chat: ReadonlyMap<number, Shares>;
  /** Nearness in meaning, by the id of the entry. */
  readonly near: ReadonlyMap<number, number>;
}

const signalNames = Object.keys(weights) as Signal[];

/** Signals of the words: they count by what kind of row these words stand in. */
const ofWords: ReadonlySet<Signal> = new Set(["passage", "around", "title"]);

/** The sum that decides: weight × value for every signal, the words times the factor of their class. */
export function rank(
  scored: readonly Scored[],
  weighing: Weighing,
  { chat, near }: Surroundings,
  { weights: tuned, classFactors, askedFor }: Tuning,
): Ranked[] {
  const { question, worth } = weighing;
  const exchanges = exchangeCounts(scored);
  const places = placeScores(exchanges, weighing);
  const sessions = sessionScores(scored);
  const ranked = scored.map((one): Ranked => {
    const { entry, passage } = one;
    const { rowClass } = entry;
    const factor = chat.has(entry.id)
      ? 1
      : classFactors[rowClass] + (question.wanted.has(rowClass) ? askedFor : 0);
    const shares: Shares = {
      passage: one.best,
      around: places.get(entry.exchange) ?? 0,
      title: titleScore(entry.title, weighing),
      session: sessions.get(entry.session) ?? 0,
      date: dateAgreement(question.dates, entry.atEpoch),
      meaning: near.get(entry.id) ?? 0,
      ...chat.get(entry.id),
    };
    const signals: Shares = {};
    let sum = 0;
    for (const signal of signalNames) {
      const { [signal]: share = 0 } = shares;
      if (share <= 0) continue;
      const points = tuned[signal] * share * (ofWords.has(signal) ? factor : 1);
      signals[signal] = points;
      sum += points;
    }
    const matched = () => {
      const terms = question.terms.filter(({ term }) => one.counts.has(term) && worth.has(term));
      return [...new Set(terms.map(({ word }) => word))];
    };
    const basis = (signal: Signal) =>
      chat.has(entry.id)
        ? undefined
        : basisOf(signal, shares[signal] ?? 0, one, { scored, exchanges, weighing });
    const found = { entry, score: sum, signals, factor, matched, basis };
    return passage === undefined ? found : { ...found, passage };
  });
  // What is equal stays in the order in which the index gave it.
  return ranked.sort((a, b) => b.score - a.score);
}
