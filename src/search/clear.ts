// Finds the few entries that a text is clearly about, in a time that does not grow with the store.
import { sumOf } from "../lib/index.ts";
import { type FoundPassage, type SearchIndex, searchableText } from "../store/index.ts";
import { makeMarker, queryTerms, termsOf } from "../terms/index.ts";
import { hitFrom, memoryHit, type RowStore, refOf, rowsOf, titleOf } from "./hits.ts";
import {
  type Hit,
  indexMemories,
  type MemoryIndex,
  type MemorySource,
  termsText,
  textOfMemory,
  withOthers,
} from "./model.ts";
import { rarityOf } from "./rank.ts";
import { countTerm } from "./termText.ts";

export interface ClearParts {
  readonly store: Pick<SearchIndex, "rarity" | "passages"> & RowStore;
  readonly memories?: MemorySource;
}

interface ClearRequest {
  readonly text: string;
  readonly project: string;
  /** Entries of this session are left out. */
  readonly session: string;
}

const MOST = 3;
const FEWEST_WORDS = 3;
/** A longer text was pasted: its words say little about the task. */
const MOST_WORDS = 40;
const LONGEST = 4_000;
/** More common terms are not looked up: they cost much and discriminate little. */
const COMMON = 2_000;
const LOOKED_AT = 60;
const JUDGED = 15;

/** How many words of a text something must have to be clearly about it. */
const limits = {
  /** Half of them, four at least; of a shorter text all. A memory was written on purpose: three are enough. */
  words: 4,
  wordsOfMemory: FEWEST_WORDS,
  share: 0.5,
  /** In what a word says that occurs only once: as much as one and a half of those in all, and one of them in the title. */
  inAll: 1.5,
  inTitle: 1,
} as const;

interface Evidence {
  readonly terms: readonly string[];
  /** The weight of a term: the rarer, the higher. Terms that occur nowhere are absent. */
  readonly worth: ReadonlyMap<string, number>;
  readonly most: number;
}

const worthOfAll = ({ worth }: Evidence, terms: readonly string[]) =>
  sumOf(terms, (term) => worth.get(term) ?? 0);

const wordsNeeded = (count: number, least: number) =>
  Math.min(count, Math.max(least, Math.ceil(count * limits.share)));

/** How much of the evidence a text has; undefined when it is not clearly about it. */
function clarity(evidence: Evidence, title: string, text: string, least: number) {
  const partsOf = (written: string) => {
    const { sequence, extra } = termsOf(written);
    const has = new Set([...sequence, ...extra]);
    return evidence.terms.filter((term) => has.has(term));
  };
  const shared = partsOf(text);
  if (shared.length < wordsNeeded(evidence.terms.length, least)) return undefined;
  const [inAll, inTitle] = [worthOfAll(evidence, shared), worthOfAll(evidence, partsOf(title))];
  const isClear =
    inAll >= limits.inAll * evidence.most &&
    inAll >= limits.share * worthOfAll(evidence, evidence.terms) &&
    inTitle >= limits.inTitle * evidence.most;
  return isClear ? inAll + inTitle : undefined;
}

/**
 * An entry with that many of the words has one of the rarest: it is enough to look those up. Empty where the words that
 * would have to be looked up are too common.
 */
function rareTerms({ terms }: Evidence, frequency: ReadonlyMap<string, number>) {
  const known = terms.filter((term) => frequency.has(term));
  const spare = known.length - wordsNeeded(terms.length, limits.words);
  if (spare < 0) return [];
  return known
    .sort((a, b) => (frequency.get(a) ?? 0) - (frequency.get(b) ?? 0))
    .slice(0, spare + 1)
    .filter((term) => (frequency.get(term) ?? 0) < COMMON);
}

async function evidenceIn({ store }: ClearParts, text: string, memoryIndex: MemoryIndex) {
  const terms = queryTerms(text.slice(0, LONGEST)).map(({ term }) => term);
  if (terms.length < FEWEST_WORDS || terms.length > MOST_WORDS) return undefined;
  const inStore = await store.rarity(terms, COMMON);
  const { passages, frequency } = withOthers({ ...inStore, meanLength: 0 }, memoryIndex.texts, terms);
  const worthOf = (found: number) => rarityOf(found, Math.max(passages, found));
  const worth = new Map([...frequency].map(([term, found]) => [term, worthOf(found)]));
  const evidence = { terms, worth, most: worthOf(1) };
  return { evidence, rare: rareTerms(evidence, inStore.frequency) };
}

/** The entries whose passages have the most terms, each with its best passage. */
function mostPromising(found: readonly FoundPassage[], { worth }: Evidence) {
  const entries = new Map<number, { readonly passage: FoundPassage; readonly words: Set<string> }>();
  for (const passage of found) {
    const known = entries.get(passage.entry.id) ?? { passage, words: new Set() };
    entries.set(passage.entry.id, known);
    const text = termsText(passage);
    for (const term of worth.keys()) if (countTerm(text, term) > 0) known.words.add(term);
  }
  return [...entries.values()]
    .sort((a, b) => b.words.size - a.words.size)
    .slice(0, JUDGED)
    .map(({ passage }) => passage);
}

async function clearRows(
  { store }: ClearParts,
  { project, session }: ClearRequest,
  { evidence, rare }: { readonly evidence: Evidence; readonly rare: readonly string[] },
) {
  if (rare.length === 0) return [];
  const kinds = ["observation", "summary"] as const;
  const looked = { terms: rare, mode: "any", limit: LOOKED_AT, projects: [project], kinds } as const;
  const found = (await store.passages(looked)).filter(({ entry }) => entry.session !== session);
  const passages = mostPromising(found, evidence);
  const entries = passages.map(({ entry }) => entry);
  const rows = await rowsOf(store, entries);
  const mark = makeMarker([...evidence.worth.keys()]);
  return passages.flatMap((passage) => {
    const row = rows.get(refOf(passage.entry.kind, passage.entry.ref));
    if (!row) return [];
    const clear = clarity(evidence, titleOf(row), searchableText(row), limits.words);
    if (clear === undefined) return [];
    return { hit: hitFrom(row, { layer: "context", passage, mark }), clarity: clear };
  });
}

/** The heading of a memory: its name and its description. */
const memoryHeading = (text: string) => text.split("\n", 2).join("\n");

function clearMemories({ documents }: MemoryIndex, evidence: Evidence) {
  return [...documents.values()].flatMap((document) => {
    const text = textOfMemory(document);
    const clear = clarity(evidence, memoryHeading(text), text, limits.wordsOfMemory);
    return clear === undefined ? [] : { hit: memoryHit(document, { layer: "context" }), clarity: clear };
  });
}

/** Clearest first, three at most. Uses words only, because a prompt waits for the result. */
export async function clearlyAbout(parts: ClearParts, request: ClearRequest): Promise<Hit[]> {
  const memoryIndex = await indexMemories(parts.memories, { query: "", projects: [request.project] });
  const asked = await evidenceIn(parts, request.text, memoryIndex);
  if (!asked) return [];
  const found = [...clearMemories(memoryIndex, asked.evidence), ...(await clearRows(parts, request, asked))];
  return found
    .sort((a, b) => b.clarity - a.clarity)
    .slice(0, MOST)
    .map(({ hit }) => hit);
}
