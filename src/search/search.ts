// One search over everything that is kept: collects the candidates (passages, term frequencies, neighbours of the best entries), ranks them and cuts a page.
import { defined } from "../lib/index.ts";
import { type EntryFilter, entryKinds, type IndexedRow, type SearchIndex } from "../store/index.ts";
import { makeMarker, type QueryTerm } from "../terms/index.ts";
import { gather, type SearchedStore } from "./candidates.ts";
import { hitFrom, memoryHit, type RowStore, refOf, rowsOf } from "./hits.ts";
import { type EmbedderSource, findNear } from "./meaning.ts";
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
} from "./model.ts";
import { readQuestion } from "./question.ts";
import type { Ranked } from "./rank.ts";
import { parseQuery } from "./syntax.ts";
import { type Signal, type Tuning, tuning } from "./weights.ts";

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
    .map(([signal, points]) => ({
      ...{ signal, points: Math.round(points * 1_000) / 1_000 },
      ...defined({ basis: ranked.basis(signal) }),
    }))
    .sort((a, b) => b.points - a.points);
  return { score, matched: ranked.matched(), factor: Math.round(ranked.factor * 100) / 100, why };
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
  return role === "tool" && passage ? `tool\n${passage.sequence}` : undefined;
}

/** The question itself, which the agent may have captured a moment ago. */
function isQuestionItself(indexed: IndexedRow, { query, asked = query }: SearchRequest) {
  const own = asked.trim();
  if (own === "") return false;
  if (indexed.kind === "prompt") return indexed.row.promptText.trim() === own;
  return indexed.kind === "message" && indexed.row.role === "user" && indexed.row.text.trim() === own;
}

const MOST_OF_TURN = 4;

/** For each exchange that has a hit: its kind, and the refs of what else was found of it. */
type Turns = Map<number, { readonly kind: FoundEntry["kind"]; readonly refs: string[] }>;

/**
 * A turn is kept as messages, observations and a summary, which say the same: what ranks best of it is the hit, and it names the others.
 * Rows of one kind are different rows, and each can be a hit.
 */
function isFolded(turns: Turns, { exchange, kind, ref }: FoundEntry) {
  const turn = turns.get(exchange);
  if (!turn || turn.kind === kind || kind === "memory") return false;
  if (turn.refs.length < MOST_OF_TURN) turn.refs.push(refOf(kind, ref));
  return true;
}

/** The list is filled while further entries of the turn are met. */
function withTurn(hit: Hit, turns: Turns, { exchange, kind }: FoundEntry): Hit {
  if (turns.has(exchange)) return hit;
  const refs: string[] = [];
  turns.set(exchange, { kind, refs });
  return { ...hit, turn: refs };
}

function withoutEmptyTurn({ turn = [], ...hit }: Hit): Hit {
  return turn.length === 0 ? hit : { ...hit, turn };
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
  const mark = makeMarker(terms.map(({ term }) => term));
  const hits: Hit[] = [];
  const turns: Turns = new Map();
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
    if (document) hits.push({ ...memoryHit(document, showing), ...extra });
    if (entry.kind === "memory") continue;
    const indexed = rows.get(refOf(entry.kind, entry.ref));
    const repetition = indexed && repetitionOf(indexed, passage);
    if (!indexed || (repetition !== undefined && seen.has(repetition))) continue;
    if (isQuestionItself(indexed, request)) continue;
    if (repetition !== undefined) seen.add(repetition);
    if (!isFolded(turns, entry))
      hits.push(withTurn({ ...hitFrom(indexed, showing), ...extra }, turns, entry));
  }
  const page = hits.slice(offset, offset + limit).map(withoutEmptyTurn);
  return { hits: page, more: hits.length > offset + limit, notes: [] };
}

function filterOf(request: SearchRequest): EntryFilter {
  const { projects, session, client, from, to, types, file, concept } = request;
  const kinds = request.kinds?.flatMap((kind) => entryKinds.find((known) => known === kind) ?? []);
  return defined({ projects, session, client, from, to, types, file, concept, kinds });
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
    filter: condition ? { ...filter, words: condition } : filter,
    others: memoryIndex.texts,
    tuning: ranking,
  };
  const { near, note } = parts.embedder
    ? await findNear({ ...gathering, store: parts.store }, question, parts.embedder)
    : { near: [], note: undefined };
  const { ranked, terms } = await gather({ ...gathering, near }, question);
  const candidates = ranked.map((one) => {
    const { entry, passage } = one;
    return { entry, extra: explainRank(one, request), ...defined({ passage }) };
  });
  const answer = await toAnswer(parts, request, memoryIndex, candidates, terms);
  return note === undefined ? answer : { ...answer, notes: [...answer.notes, note] };
}
