// One search over everything that is kept: collects the candidates (passages, term frequencies, neighbours of the best entries), ranks them and cuts a page.
import { defined, sumOf } from "../lib/index.ts";
import {
  type EntryFilter,
  type EntryNeighbours,
  entryKinds,
  type IndexEntry,
  type IndexedRow,
  type SearchIndex,
  type TermStatistics,
} from "../store/index.ts";
import { makeMarker, type QueryTerm, standsFor, stemsBefore, typedPart } from "../terms/index.ts";
import { chatSignals, inChat, namedSpeakers } from "./chat.ts";
import { hitFrom, memoryHit, type RowStore, refOf, rowsOf } from "./hits.ts";
import { type EmbedderSource, findNear, type MeantPassage, nearnessOf } from "./meaning.ts";
import { beginningOf, meantBy } from "./misspelled.ts";
import {
  type FoundEntry,
  type FoundText,
  type Hit,
  indexMemories,
  type MemoryIndex,
  type MemorySource,
  type SearchAnswer,
  type SearchRequest,
  withNewest,
  withOthers,
} from "./model.ts";
import { cuts, joinedTerms, type Question, readQuestion, unfinishedTerm } from "./question.ts";
import { type Ranked, rank, type Scored, scoreEntries, type Weighing, weigh } from "./rank.ts";
import { parseQuery } from "./syntax.ts";
import { type Signal, type Tuning, tuning } from "./weights.ts";

type SearchedStore = Pick<
  SearchIndex,
  "passages" | "termStatistics" | "vocabulary" | "surroundings" | "entries"
>;

/**
 * The limit of each kind of lookup. `any` is for each word, half of it for keywords, of which what is wanted has most. Higher limits
 * cost time and find nothing better.
 */
const limits = { any: 100, anyInAll: 400, all: 30, phrase: 30, clause: 100, standing: 30, surrounded: 100 };
const REACH = 2;
const MOST_TERMS = 300;
/** With more terms than this no passage has them all. */
const MOST_FOR_ALL = 12;

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
  const statistics = withOthers(await store.termStatistics(names, filter), others, names);
  const { frequency } = statistics;
  const kept = tried.filter(({ term }, at) => at < terms.length || frequency.has(term));
  const extra: QueryTerm[] = [];
  for (const unknown of terms.filter(({ term }) => !frequency.has(term))) {
    const { found, instead } = await alternativesFor(gathering, unknown);
    extra.push(...instead);
    for (const [term, passages] of found) (frequency as Map<string, number>).set(term, passages);
  }
  const known = new Map([...kept, ...extra].map((term) => [term.term, term]));
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
  const { frequency } = await store.termStatistics([...new Set(ways.flat())], filter);
  const way = ways.find((all) => all.every((part) => (frequency.get(part) ?? 0) >= all.length));
  const found = (terms: readonly string[], from: TermStatistics["frequency"]) =>
    terms.map((term) => [term, from.get(term) ?? 1] as const);
  if (way !== undefined)
    return { found: found(way, frequency), instead: way.map((term) => ({ term, word: term, weight: 1 })) };
  const beginning = beginningOf(typed ?? unknown.term);
  const alike = beginning === undefined ? undefined : await store.vocabulary(beginning, MOST_ALIKE);
  const meant = alike && meantBy(typed ?? unknown.term, alike);
  const known = meant === undefined ? undefined : (await store.termStatistics([meant], filter)).frequency;
  if (meant === undefined || known?.has(meant) !== true) return { found: [], instead: [] };
  const guess = { term: meant, word: unknown.word, weight: GUESS_WEIGHT };
  return { found: found([meant], known), instead: [guess] };
}

/** A term of more passages than this is not looked up when rarer terms find enough: it costs much and discriminates little. */
const COMMON = 5_000;

const anyLimit = ({ terms, isKeywords }: Question) =>
  Math.min(
    limits.anyInAll,
    (limits.any / (isKeywords ? 2 : 1)) * new Set(terms.map(({ word }) => word)).size,
  );

function lookedUp(terms: readonly string[], frequency: TermStatistics["frequency"]) {
  const frequencyOf = (term: string) => frequency.get(term) ?? 0;
  const rare = terms.filter((term) => frequencyOf(term) <= COMMON);
  const found = sumOf(rare, frequencyOf);
  return found >= 2 * limits.anyInAll ? rare : terms;
}

async function findPassages(gathering: Gathering, question: Question, { frequency }: TermStatistics) {
  const { store, filter, others } = gathering;
  const terms = question.terms.map(({ term }) => term);
  const look = (mode: "any" | "all" | "phrase", wanted: readonly string[], limit: number) =>
    store.passages({ ...filter, terms: wanted, mode, limit });
  const hasSome = (count: number) => count > 1 && count <= MOST_FOR_ALL;
  const found = [
    await look("any", lookedUp(terms, frequency), anyLimit(question)),
    question.isKeywords && hasSome(terms.length) ? await look("all", terms, limits.all) : [],
    hasSome(question.sequence.length) ? await look("phrase", question.sequence, limits.phrase) : [],
  ];
  for (const clause of question.clauses)
    found.push(await look("any", lookedUp(clause, frequency), limits.clause));
  const wanted = new Set(terms);
  const matching = others.filter(({ sequence, extra }) =>
    [...sequence, ...extra].some((term) => wanted.has(term)),
  );
  return deduplicate([...found.flat(), ...matching]);
}

function deduplicate(passages: readonly FoundText[]) {
  return [...new Map(passages.map((passage) => [`${passage.entry.id}:${passage.start}`, passage])).values()];
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
      if (next !== undefined) {
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

async function gather(around: Gathering, asked: Question): Promise<Gathered> {
  const gathering = withTypedTerm(around, asked);
  const { question, statistics } = await correctSpelling(gathering, asked);
  const worded = await findPassages(gathering, question, statistics);
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

/** Replaces every term that the unfinished one stands for by the unfinished term. */
function withTypedTerm(gathering: Gathering, { terms }: Question): Gathering {
  const unfinished = unfinishedTerm(terms);
  if (unfinished === undefined) return gathering;
  const isMeant = standsFor(unfinished);
  const own = new Set(terms.map(({ term }) => term));
  const renamed = (words: readonly string[]) =>
    words.map((word) => (!own.has(word) && isMeant(word) ? unfinished : word));
  const entry = <T extends FoundEntry>(one: T): T => ({ ...one, title: renamed(one.title) });
  const text = <T extends FoundText>(one: T): T => ({
    ...one,
    entry: entry(one.entry),
    sequence: renamed(one.sequence),
    extra: renamed(one.extra),
  });
  const sides = ({ before, after }: EntryNeighbours): EntryNeighbours => ({
    before: before.map(entry),
    after: after.map(entry),
  });
  const { store, others, near } = gathering;
  return {
    ...gathering,
    others: others.map(text),
    ...defined({ near: near?.map(text) }),
    store: {
      termStatistics: (wanted, filter) => store.termStatistics(wanted, filter),
      vocabulary: (beginning, limit) => store.vocabulary(beginning, limit),
      passages: async (request) => (await store.passages(request)).map(text),
      entries: async (filter, limit) => (await store.entries(filter, limit)).map(entry),
      surroundings: async (entries, reach) =>
        new Map([...(await store.surroundings(entries, reach))].map(([id, around]) => [id, sides(around)])),
    },
  };
}

export interface SearchParts {
  /** Whose vectors the store has. Without one, words decide alone. */
  readonly embedder?: EmbedderSource;
  readonly store: SearchedStore & RowStore & Pick<SearchIndex, "nearest">;
  readonly memories?: MemorySource;
  /** Other numbers than the product's, to measure what each is worth. */
  readonly tuning?: Tuning;
}

const DEFAULT_LIMIT = 20;

function explainRank(ranked: Ranked, request: SearchRequest): Partial<Hit> {
  const score = Math.round(ranked.score * 1_000) / 1_000;
  if (request.explain !== true) return { score };
  const why = (Object.entries(ranked.signals) as [Signal, number][])
    .map(([signal, points]) => ({ signal, points: Math.round(points * 1_000) / 1_000 }))
    .sort((a, b) => b.points - a.points);
  return { score, matched: ranked.matched, factor: Math.round(ranked.factor * 100) / 100, why };
}

/**
 * A prompt is stored twice, from the hook and from the transcript, and a file that was read repeatedly is
 * in as many messages; one hit is enough. Undefined for what does not repeat.
 */
function repetitionOf(indexed: IndexedRow, passage: FoundText | undefined) {
  if (indexed.kind === "prompt") return `${indexed.row.claudeSessionId}\n${indexed.row.promptText.trim()}`;
  if (indexed.kind !== "message") return undefined;
  const { role, session, text } = indexed.row;
  if (role === "user") return `${session}\n${text.trim()}`;
  return role === "tool" && passage !== undefined ? `tool\n${passage.sequence.join(" ")}` : undefined;
}

const READ_AT_ONCE = 24;

interface RankedEntry {
  readonly entry: FoundEntry;
  readonly passage?: FoundText;
  readonly extra: Partial<Hit>;
}

async function toAnswer(
  parts: SearchParts,
  request: SearchRequest,
  memoryIndex: MemoryIndex,
  candidates: readonly RankedEntry[],
  terms: readonly QueryTerm[] = [],
) {
  const { limit = DEFAULT_LIMIT, offset = 0, layer = "context" } = request;
  const meant = terms.map(({ term }) => standsFor(term));
  const mark = makeMarker((term) => meant.some((isMeant) => isMeant(term)));
  const hits: Hit[] = [];
  const seen = new Set<string>();
  const wanted = offset + limit + 1;
  let rows: ReadonlyMap<string, IndexedRow> = new Map();
  for (const [at, { entry, passage, extra }] of candidates.entries()) {
    if (hits.length >= wanted) break;
    // Repetitions are only seen in the rows, so that it is not known before how many rows are needed.
    if (at % READ_AT_ONCE === 0)
      rows = await rowsOf(
        parts.store,
        candidates.slice(at, at + READ_AT_ONCE).map((one) => one.entry),
      );
    const showing = { layer, mark, ...defined({ passage }) };
    const document = memoryIndex.documents.get(entry.id);
    if (document !== undefined) hits.push({ ...memoryHit(document, showing), ...extra });
    if (entry.kind === "memory") continue;
    const indexed = rows.get(refOf(entry.kind, entry.ref));
    const repetition = indexed && repetitionOf(indexed, passage);
    if (indexed === undefined || (repetition !== undefined && seen.has(repetition))) continue;
    if (repetition !== undefined) seen.add(repetition);
    hits.push({ ...hitFrom(indexed, showing), ...extra });
  }
  return { hits: hits.slice(offset, offset + limit), more: hits.length > offset + limit, notes: [] };
}

function filterOf(request: SearchRequest): EntryFilter {
  const { projects, session, from, to, types, file, concept } = request;
  const kinds = request.kinds?.flatMap((kind) => entryKinds.find((known) => known === kind) ?? []);
  return defined({ projects, session, from, to, types, file, concept, kinds });
}

/** Never throws for the text of a query: every text is valid. */
export async function search(parts: SearchParts, request: SearchRequest): Promise<SearchAnswer> {
  const { limit = DEFAULT_LIMIT, offset = 0 } = request;
  const { text, condition } = parseQuery(request.query);
  const filter = filterOf(request);
  const { tuning: ranking = tuning } = parts;
  const memoryIndex = await indexMemories(parts.memories, request, condition);
  // A word of a condition is meant as it is.
  const question = readQuestion(text, {
    isTyped: request.typed === true && condition === undefined,
    translates: ranking.translates,
  });
  if (question.terms.length === 0) {
    const newest = await parts.store.entries(filter, (offset + limit) * 2 + 10);
    const plain = (entry: FoundEntry): RankedEntry => ({ entry, extra: {} });
    const candidates = withNewest(memoryIndex, newest.map(plain), plain);
    return toAnswer(parts, request, memoryIndex, candidates);
  }
  const gathering = {
    store: parts.store,
    filter: condition === undefined ? filter : { ...filter, words: condition },
    others: memoryIndex.texts,
    tuning: ranking,
  };
  const { near, note } =
    parts.embedder === undefined
      ? { near: [], note: undefined }
      : await findNear({ ...gathering, store: parts.store }, question, parts.embedder);
  const { ranked, terms } = await gather({ ...gathering, near }, question);
  const candidates = ranked.map((one) => {
    const { entry, passage } = one;
    return { entry, extra: explainRank(one, request), ...defined({ passage }) };
  });
  const answer = await toAnswer(parts, request, memoryIndex, candidates, terms);
  return note === undefined ? answer : { ...answer, notes: [...answer.notes, note] };
}
