// Collects the candidates of a question: corrects its spelling, chooses the passages with the most of its words, adds neighbours in chats.
import { sumOf } from "../lib/index.ts";
import type { EntryFilter, IndexEntry, SearchIndex, TermStatistics } from "../store/index.ts";
import { type QueryTerm, stemsBefore, typedPart } from "../terms/index.ts";
import { chatSignals, inChat, namedSpeakers } from "./chat.ts";
import { type MeantPassage, nearnessOf } from "./meaning.ts";
import { beginningOf, meantBy } from "./misspelled.ts";
import { type FoundEntry, type FoundText, termsText, withOthers } from "./model.ts";
import { cuts, joinedTerms, type Question } from "./question.ts";
import { type Ranked, rank, type Scored, scoreEntries, type Weighing, type Word, weigh } from "./rank.ts";
import { countTerm } from "./termText.ts";
import type { Tuning } from "./weights.ts";

export type SearchedStore = Pick<
  SearchIndex,
  "passages" | "passagesById" | "termStatistics" | "vocabulary" | "surroundings" | "entries"
>;

/**
 * The limit of each kind of lookup. `any` is for each word, a third of it for keywords, of which what is wanted has most. Higher limits
 * cost time and find nothing better.
 */
const limits = { any: 100, anyInAll: 400, clause: 100, standing: 30, surrounded: 100 };
const REACH = 2;
const MOST_TERMS = 300;

interface Gathering {
  readonly store: SearchedStore;
  readonly filter: EntryFilter;
  /** Passages from elsewhere, such as memories. */
  readonly others: readonly FoundText[];
  /** Passages that are near in meaning, nearest first. */
  readonly near?: readonly MeantPassage[];
  readonly tuning: Tuning;
}

/** Terms in other spellings that do occur: joined where they stand apart, apart where they occur nowhere joined. */
async function correctSpelling(gathering: Gathering, question: Question) {
  const { store, filter, others } = gathering;
  const terms = question.terms.slice(0, MOST_TERMS);
  const tried = [...terms, ...joinedTerms(question).slice(0, MOST_TERMS)];
  const names = tried.map(({ term }) => term);
  const inStore = await store.termStatistics(names, filter);
  const statistics = { ...inStore, ...withOthers(inStore, others, names) };
  const { frequency } = statistics;
  const kept = tried.filter(({ term }, at) => at < terms.length || frequency.has(term));
  const extra: QueryTerm[] = [];
  for (const unknown of terms.filter(({ term, isTranslation }) => !isTranslation && !frequency.has(term))) {
    const { instead, found } = await alternativesFor(gathering, unknown);
    extra.push(...instead);
    for (const { term } of instead) {
      const holders = found.holders.get(term);
      (frequency as Map<string, number>).set(term, found.frequency.get(term) ?? 1);
      if (holders) (statistics.holders as Map<string, readonly number[]>).set(term, holders);
    }
  }
  const known = new Map([...kept, ...extra].map((one) => [`${one.term} ${one.word}`, one]));
  return { question: { ...question, terms: [...known.values()] }, statistics };
}

/** How many words with the same prefix are compared. */
const MOST_ALIKE = 2_000;
/** A guess counts less than what was written. */
const GUESS_WEIGHT = 0.7;

/** Alternatives for a term that occurs nowhere: two words, a word that it begins, or one with a similar spelling. */
async function alternativesFor({ store, filter }: Gathering, unknown: QueryTerm) {
  const typed = typedPart(unknown.term);
  const ways: (readonly string[])[] =
    typed === undefined ? cuts(unknown) : stemsBefore(typed).map((stem) => [stem]);
  const known = await store.termStatistics([...new Set(ways.flat())], filter);
  const way = ways.find((all) => all.every((part) => (known.frequency.get(part) ?? 0) >= all.length));
  if (way) return { found: known, instead: way.map((term) => ({ term, word: term, weight: 1 })) };
  const beginning = beginningOf(typed ?? unknown.term);
  const alike = beginning === undefined ? undefined : await store.vocabulary(beginning, MOST_ALIKE);
  const meant = alike && meantBy(typed ?? unknown.term, alike);
  if (meant === undefined) return { found: known, instead: [] };
  const found = await store.termStatistics([meant], filter);
  const guess = { term: meant, word: unknown.word, weight: GUESS_WEIGHT };
  return { found, instead: found.frequency.has(meant) ? [guess] : [] };
}

const anyLimit = ({ terms, isKeywords }: Question) =>
  Math.min(
    limits.anyInAll,
    Math.ceil((limits.any / (isKeywords ? 3 : 1)) * new Set(terms.map(({ word }) => word)).size),
  );

/** What each passage with one of the words is worth: the sum over the words, of each its best term. */
function worthOfPassages(words: readonly Word[], holders: TermStatistics["holders"]) {
  const sums = new Map<number, number>();
  for (const word of words) {
    const best = new Map<number, number>();
    for (const { term, worth } of word)
      for (const id of holders.get(term) ?? []) best.set(id, Math.max(best.get(id) ?? 0, worth));
    for (const [id, worth] of best) sums.set(id, (sums.get(id) ?? 0) + worth);
  }
  return sums;
}

/** The passages whose words are worth most, best first; of equals the newest. */
function mostPromising(words: readonly Word[], holders: TermStatistics["holders"], limit: number) {
  const sums = worthOfPassages(words, holders);
  const least = sums.size <= limit ? 0 : (Float64Array.from(sums.values()).sort().at(-limit) ?? 0);
  return [...sums]
    .filter(([, sum]) => sum >= least)
    .sort((a, b) => b[1] - a[1] || b[0] - a[0])
    .slice(0, limit)
    .map(([id]) => id);
}

/** Common words cost much and discriminate little: they are not looked up where rarer ones find enough. */
function lookedUp(terms: readonly string[], { frequency, holders }: TermStatistics) {
  const rare = terms.filter((term) => !frequency.has(term) || holders.has(term));
  return sumOf(rare, (term) => frequency.get(term) ?? 0) >= 2 * limits.anyInAll ? rare : terms;
}

/** Of a sentence, passages differ in how often they have its words as well: the index ranks. */
async function findRanked({ store, filter }: Gathering, question: Question, statistics: TermStatistics) {
  const look = (wanted: readonly string[], limit: number) =>
    store.passages({ ...filter, terms: lookedUp(wanted, statistics), mode: "any", limit });
  const terms = question.terms.map(({ term }) => term);
  const found = await look(terms, anyLimit(question));
  for (const clause of question.clauses) found.push(...(await look(clause, limits.clause)));
  return found;
}

/** Of keywords, passages differ in which they have: the lists of the index tell, without ranking everything that has one. */
async function findListed({ store }: Gathering, { question, words }: Weighing, { holders }: TermStatistics) {
  return store.passagesById(mostPromising(words, holders, anyLimit(question)));
}

async function findPassages(gathering: Gathering, weighing: Weighing, statistics: TermStatistics) {
  const { question } = weighing;
  const terms = question.terms.map(({ term }) => term);
  const isListed =
    question.isKeywords &&
    lookedUp(terms, statistics).every(
      (term) => !statistics.frequency.has(term) || statistics.holders.has(term),
    );
  const found = isListed
    ? await findListed(gathering, weighing, statistics)
    : await findRanked(gathering, question, statistics);
  const matching = gathering.others.filter((other) => {
    const text = termsText(other);
    return terms.some((term) => countTerm(text, term) > 0);
  });
  return deduplicate([...found, ...matching]);
}

function deduplicate(passages: readonly FoundText[]) {
  return [...new Map(passages.map((passage) => [passage.id, passage])).values()];
}

const nothingFound = (entry: FoundEntry): Scored => ({ entry, counts: new Map(), best: 0 });

/**
 * Whether an entry that no word led to may be added: an answer has other words than its question, but what was
 * observed stands for itself. And only where the filter can be asked of it here.
 */
function mayAdd({ filter }: Gathering, entry: FoundEntry) {
  if (entry.kind !== "message") return false;
  const { projects, kinds: _kinds, ...rest } = filter;
  const isNarrow = Object.values(rest).some((value) => value !== undefined);
  return !isNarrow && (projects === undefined || projects.includes(entry.project));
}

/** The entries of chats with those around them, and the signals that only chats have. */
async function lookAround(gathering: Gathering, scored: readonly Scored[], weighing: Weighing) {
  const isChat = inChat(scored);
  const middle = scored.filter(({ entry }) => isChat(entry)).slice(0, limits.surrounded);
  const inStore = middle.map(({ entry }) => entry).filter((entry) => entry.kind !== "memory");
  const sides = await gathering.store.surroundings(inStore as IndexEntry[], REACH);
  const before = new Map<number, FoundEntry>();
  const after = new Map<number, FoundEntry>();
  const known = new Map(scored.map((one) => [one.entry.id, one]));
  for (const entry of inStore) {
    const side = sides.get(entry.id);
    const row: FoundEntry[] = [...(side?.before ?? [])].reverse();
    row.push(entry, ...(side?.after ?? []));
    for (const [at, one] of row.entries()) {
      const next = row[at + 1];
      if (next) {
        after.set(one.id, next);
        before.set(next.id, one);
      }
      if (!known.has(one.id) && mayAdd(gathering, one)) known.set(one.id, nothingFound(one));
    }
  }
  const all = [...known.values()];
  const ofChats = all.filter(({ entry }) => isChat(entry));
  return { all, chat: chatSignals(ofChats, weighing, { before, after }) };
}

interface Gathered {
  /** Everything that answers the question, best first. */
  readonly ranked: readonly Ranked[];
  /** The terms after spelling correction. */
  readonly terms: readonly QueryTerm[];
}

export async function gather(gathering: Gathering, asked: Question): Promise<Gathered> {
  const { question, statistics } = await correctSpelling(gathering, asked);
  const worded = await findPassages(gathering, weigh(question, statistics), statistics);
  const near = gathering.near ?? [];
  const weighing = weigh(question, statistics, namedSpeakers(question, worded));
  const passages = deduplicate([...worded, ...near]);
  const isChat = inChat(worded);
  const isSplit = passages.every(({ entry }) => isChat(entry));
  const scored = scoreEntries(passages, weighing, isSplit);
  if (question.isRequest && isSplit) {
    const known = new Set(scored.map(({ entry }) => entry.id));
    const standing = await gathering.store.entries({ ...gathering.filter, standing: true }, limits.standing);
    for (const entry of standing) if (!known.has(entry.id)) scored.push(nothingFound(entry));
  }
  const { all, chat } = await lookAround(gathering, scored, weighing);
  return {
    ranked: rank(all, weighing, { chat, near: nearnessOf(near) }, gathering.tuning),
    terms: question.terms,
  };
}
