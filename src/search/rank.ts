// Ranks what the index found: passages are scored, entries get the signals of their surroundings, and the sum decides.

import { dateAgreement } from "../dates/index.ts";
import { defined, sumOf } from "../lib/index.ts";
import type { TermStatistics } from "../store/index.ts";
import type { FoundEntry, FoundText } from "./model.ts";
import type { Question } from "./question.ts";
import { bm25, type Signal, weights } from "./weights.ts";

export interface Ranked {
  readonly entry: FoundEntry;
  readonly score: number;
  /** What each signal added; signals that added nothing are absent. */
  readonly signals: Readonly<Partial<Record<Signal, number>>>;
  /** The passage that matched best; absent when only its surroundings did. */
  readonly passage?: FoundText;
  /** The words of the question that it has. */
  readonly matched: readonly string[];
}

export interface Scored {
  readonly entry: FoundEntry;
  readonly passage?: FoundText;
  /** How often each term occurs in what was found of it. */
  readonly counts: ReadonlyMap<string, number>;
  /** From 0 to 1. */
  readonly best: number;
}

interface Weighing {
  readonly question: Question;
  /** What a term is worth: rare ones more. Terms that occur nowhere are absent. */
  readonly worth: ReadonlyMap<string, number>;
  /** Speakers that the question names. */
  readonly named: ReadonlySet<string>;
  readonly total: number;
  readonly meanLength: number;
}

/** A speaker's name in the question selects the speaker; in texts it occurs mostly in greetings, so as a term it counts less. */
const NAME_WEIGHT = 0.3;

export function weigh(
  question: Question,
  statistics: TermStatistics,
  named: ReadonlySet<string> = new Set(),
): Weighing {
  const { passages, frequency, meanLength } = statistics;
  const worth = new Map<string, number>();
  let total = 0;
  for (const { term, word, weight } of question.terms) {
    const found = frequency.get(term);
    if (found === undefined) continue;
    const value =
      weight * (named.has(word) ? NAME_WEIGHT : 1) * Math.log(1 + (passages - found + 0.5) / (found + 0.5));
    worth.set(term, value);
    total += value;
  }
  return { question, worth, named, total: total || 1, meanLength: meanLength || 1 };
}

const saturated = (count: number, lengthRatio: number) =>
  (count * (bm25.k1 + 1)) / (count + bm25.k1 * lengthRatio);

function countTerms(passage: FoundText, worth: ReadonlyMap<string, number>) {
  const counts = new Map<string, number>();
  for (const term of [...passage.sequence, ...passage.extra])
    if (worth.has(term)) counts.set(term, (counts.get(term) ?? 0) + 1);
  return counts;
}

function score(
  counts: ReadonlyMap<string, number>,
  lengthRatio: number,
  terms: Iterable<string>,
  worth: ReadonlyMap<string, number>,
) {
  let sum = 0;
  for (const term of terms) {
    const count = counts.get(term);
    if (count !== undefined) sum += (worth.get(term) ?? 0) * saturated(count, lengthRatio);
  }
  return sum;
}

const most = (values: readonly number[]) => values.reduce((max, value) => Math.max(max, value), 0);

/**
 * Each entry by its best passage. A question of several sentences is several questions: an entry counts by the one it
 * answers best, so that a long sentence does not hide what answers a short one.
 */
export function scoreEntries(passages: readonly FoundText[], weighing: Weighing): Scored[] {
  const { worth, meanLength, question } = weighing;
  const clauses = question.clauses.length > 0 ? question.clauses : [[...worth.keys()]];
  const b = question.isKeywords ? bm25.keywordB : bm25.b;
  const parts = passages.map((passage) => {
    const counts = countTerms(passage, worth);
    const lengthRatio = 1 - b + (b * (passage.sequence.length + passage.extra.length)) / meanLength;
    return { passage, counts, scores: clauses.map((terms) => score(counts, lengthRatio, terms, worth)) };
  });
  const tops = clauses.map((_, at) => most(parts.map(({ scores }) => scores[at] ?? 0)) || 1);
  const entries = new Map<number, { -readonly [key in keyof Scored]: Scored[key] }>();
  for (const { passage, counts, scores } of parts) {
    const best = most(scores.map((value, at) => value / (tops[at] ?? 1)));
    const known = entries.get(passage.entry.id);
    if (known === undefined) entries.set(passage.entry.id, { entry: passage.entry, passage, counts, best });
    else {
      known.counts = added(known.counts, counts);
      if (best > known.best) Object.assign(known, { best, passage });
    }
  }
  return [...entries.values()].sort((a, b) => b.best - a.best);
}

function added(
  one: ReadonlyMap<string, number>,
  other: ReadonlyMap<string, number>,
): ReadonlyMap<string, number> {
  const sum = new Map(one);
  for (const [term, count] of other) sum.set(term, (sum.get(term) ?? 0) + count);
  return sum;
}

/** Entries in the order of their sessions, linked where the order is known. */
interface Neighbourhood {
  readonly before: ReadonlyMap<number, FoundEntry>;
  readonly after: ReadonlyMap<number, FoundEntry>;
}

function around(entry: FoundEntry, { before, after }: Neighbourhood, reach: number) {
  if (entry.isCode) return [];
  const walk = (links: ReadonlyMap<number, FoundEntry>) => {
    const found: FoundEntry[] = [];
    for (let at = links.get(entry.id); at !== undefined && found.length < reach; at = links.get(at.id))
      found.push(at);
    return found;
  };
  return [...walk(before), ...walk(after)];
}

const generic = new Set(["", "user", "assistant", "system", "tool", "code", "human", "model"]);

export function namedSpeakers(
  { text }: Question,
  found: readonly { readonly entry: FoundEntry }[],
): ReadonlySet<string> {
  const lower = ` ${text.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, " ")} `;
  const speakers = new Set(found.map(({ entry }) => entry.speaker.toLowerCase()));
  return new Set([...speakers].filter((name) => !generic.has(name) && lower.includes(` ${name} `)));
}

const BEST_OF_SESSION = 3;
/** With fewer sessions this signal does not discriminate. */
const FEWEST_SESSIONS = 3;

function sessionScores(scored: readonly Scored[]): ReadonlyMap<string, number> {
  const bests = new Map<string, number[]>();
  for (const { entry, best } of scored) bests.set(entry.session, [...(bests.get(entry.session) ?? []), best]);
  if (bests.size < FEWEST_SESSIONS) return new Map();
  const mean = (values: readonly number[]) =>
    sumOf([...values].sort((a, b) => b - a).slice(0, BEST_OF_SESSION), (value) => value) / BEST_OF_SESSION;
  return new Map([...bests].map(([session, values]) => [session, mean(values)]));
}

const TOOL = "tool";

type Shares = { [signal in Signal]?: number };

const REACH = 2;

/**
 * Has every word that was asked for. A sentence has words that need not be found; keywords have none. The
 * long output of a tool has many words by chance.
 */
const isComplete = ({ counts, entry }: Scored, { worth, question }: Weighing) =>
  question.isKeywords &&
  entry.speaker !== TOOL &&
  counts.size === worth.size &&
  worth.size === question.terms.length;

/** Signals that make up for words which are missing. Where something has every word, there is nothing to make up for. */
const substitutes: readonly Signal[] = ["window", "answer", "session", "title", "titleShare"];

/** What the words of the entry and of those around it say. */
function wordShares(scored: Scored, weighing: Weighing, windows: Windows): Shares {
  const { worth, total } = weighing;
  const share = (terms: Iterable<string>) => sumOf([...terms], (term) => worth.get(term) ?? 0) / total;
  const near =
    scored.passage === undefined ? { closeness: 0, isPhrase: false } : closeness(scored.passage, weighing);
  return {
    passage: scored.best,
    complete: isComplete(scored, weighing) ? 1 : 0,
    title: share(new Set(scored.entry.title)),
    titleShare: inQuestion(scored.entry.title, worth),
    proximity: weighing.question.isKeywords ? 0 : near.closeness,
    phrase: near.isPhrase ? 1 : 0,
    window: windows.scores.get(scored.entry.id) ?? 0,
    answer: weighing.question.isFirstPerson ? 0 : (windows.asked.get(scored.entry.id) ?? 0),
  };
}

function inQuestion(title: readonly string[], worth: ReadonlyMap<string, number>) {
  return title.length === 0 ? 0 : title.filter((term) => worth.has(term)).length / title.length;
}

interface Windows {
  readonly scores: ReadonlyMap<number, number>;
  /** How well the question right before an entry matches. */
  readonly asked: ReadonlyMap<number, number>;
}

function windowsOf(scored: readonly Scored[], weighing: Weighing, links: Neighbourhood): Windows {
  const { worth } = weighing;
  const byId = new Map(scored.map((one) => [one.entry.id, one]));
  const asked = new Map<number, number>();
  const raw = scored.map(({ entry, counts }) => {
    let sum = counts;
    for (const other of around(entry, links, REACH))
      sum = added(sum, byId.get(other.id)?.counts ?? new Map());
    const before = links.before.get(entry.id);
    if (before?.isQuestion === true) asked.set(entry.id, byId.get(before.id)?.best ?? 0);
    return score(sum, 1, sum.keys(), worth);
  });
  const top = most(raw) || 1;
  return { scores: new Map(scored.map(({ entry }, at) => [entry.id, (raw[at] ?? 0) / top])), asked };
}

/** `nearness` is by the id of the entry; empty when there are no vectors. */
export function rank(
  scored: readonly Scored[],
  weighing: Weighing,
  links: Neighbourhood,
  nearness: ReadonlyMap<number, number> = new Map(),
): Ranked[] {
  const { question, worth, named } = weighing;
  const windows = windowsOf(scored, weighing, links);
  const sessions = sessionScores(scored);
  const hasComplete = scored.some((one) => isComplete(one, weighing));
  const ranked = scored.map((one): Ranked => {
    const { entry } = one;
    const speaker = entry.speaker.toLowerCase();
    const shares: Shares = {
      ...wordShares(one, weighing, windows),
      session: sessions.get(entry.session) ?? 0,
      date: dateAgreement(question.dates, entry.atEpoch),
      speaker: named.has(speaker) ? 1 / named.size : 0,
      firstPerson: question.isFirstPerson && (speaker === "user" || speaker === "") ? 1 : 0,
      spoken: speaker === TOOL ? 0 : 1,
      meaning: nearness.get(entry.id) ?? 0,
      standing: entry.isStanding ? 1 : 0,
      standingRequest: entry.isStanding && question.isRequest ? 1 : 0,
    };
    const signals: Shares = {};
    let score = 0;
    for (const [signal, share] of Object.entries(shares) as [Signal, number][]) {
      if (share <= 0 || (hasComplete && substitutes.includes(signal))) continue;
      const points = weights[signal] * share;
      signals[signal] = points;
      score += points;
    }
    const matched = question.terms.filter(({ term }) => one.counts.has(term) && worth.has(term));
    return {
      entry,
      score,
      signals,
      matched: matched.map(({ word }) => word),
      ...defined({ passage: one.passage }),
    };
  });
  // What is equal stays in the order in which the index gave it.
  return ranked.sort((a, b) => b.score - a.score);
}

const FARTHEST = 8;
/** Terms that are farther apart in the question have little to do with each other. */
const PAIRED = 3;

function positionsOf(sequence: readonly string[], wanted: ReadonlyMap<string, number>) {
  const positions = new Map<string, number[]>();
  for (const [at, term] of sequence.entries()) {
    if (!wanted.has(term)) continue;
    const known = positions.get(term);
    if (known === undefined) positions.set(term, [at]);
    else known.push(at);
  }
  return positions;
}

/** The smallest distance between two ascending lists. */
function smallestGap(one: readonly number[], other: readonly number[]) {
  let [i, j, gap] = [0, 0, Number.POSITIVE_INFINITY];
  while (i < one.length && j < other.length) {
    const distance = (one[i] ?? 0) - (other[j] ?? 0);
    gap = Math.min(gap, Math.abs(distance));
    if (distance < 0) i += 1;
    else j += 1;
  }
  return gap;
}

/** Two words stand side by side by chance; three do not. */
const SHORTEST_PHRASE = 3;

function hasPhrase(sequence: readonly string[], phrase: readonly string[]) {
  if (phrase.length < SHORTEST_PHRASE) return false;
  const [first] = phrase;
  return sequence.some(
    (term, at) => term === first && phrase.every((wanted, next) => sequence[at + next] === wanted),
  );
}

/** `closeness` is 0 where nothing is close, and about 1 where every pair is adjacent. */
function closeness(
  { sequence }: FoundText,
  { question, worth, total }: Weighing,
): { readonly closeness: number; readonly isPhrase: boolean } {
  const positions = positionsOf(sequence, worth);
  const terms = question.terms.map(({ term }) => term);
  let sum = 0;
  for (const [at, term] of terms.entries()) {
    const here = positions.get(term);
    if (here === undefined) continue;
    for (const other of terms.slice(at + 1, at + 1 + PAIRED)) {
      const there = positions.get(other);
      if (there === undefined || other === term) continue;
      const gap = smallestGap(here, there);
      if (gap <= FARTHEST)
        sum += Math.min(worth.get(term) ?? 0, worth.get(other) ?? 0) / (1 + Math.log(1 + gap));
    }
  }
  return { closeness: sum / total, isPhrase: hasPhrase(sequence, question.sequence) };
}
