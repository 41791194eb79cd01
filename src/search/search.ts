// One search over everything that is kept: observations, summaries, prompts, messages and memories.
import { type Entry, type EntryFilter, entryKinds, type IndexedRow, type Store } from "../store/index.ts";
import { passagesOf, termsOf } from "../terms/index.ts";
import type { FoundEntry, FoundText } from "./found.ts";
import { gather, type SearchedStore } from "./gather.ts";
import { hitFrom, type RowStore, refOf, roughTokens, rowsOf, textsOf } from "./hits.ts";
import { type EmbedderSource, findNear } from "./meaning.ts";
import type {
  Hit,
  Layer,
  MemoryDocument,
  MemorySource,
  Reason,
  SearchAnswer,
  SearchRequest,
} from "./model.ts";
import { readQuestion } from "./question.ts";
import type { Ranked } from "./rank.ts";
import { parseQuery } from "./syntax.ts";

export interface SearchParts {
  /** Whose vectors the store has. Without one, words decide alone. */
  readonly embedder?: EmbedderSource;
  readonly store: SearchedStore & RowStore & Pick<Store, "nearest">;
  readonly memories?: MemorySource;
}

const DEFAULT_LIMIT = 20;

interface MemoryShelf {
  readonly texts: readonly FoundText[];
  readonly documents: ReadonlyMap<number, MemoryDocument>;
}

/** Memories as passages beside those of the store. Their ids are below zero, where the store has none. */
async function memoryShelf(parts: SearchParts, request: SearchRequest): Promise<MemoryShelf> {
  const { projects, session, types, file, concept, kinds, from, to } = request;
  const isOfRows = [session, types, file, concept].some((value) => value !== undefined);
  if (parts.memories === undefined || isOfRows || (kinds !== undefined && !kinds.includes("memory")))
    return { texts: [], documents: new Map() };
  const isWanted = ({ project, at }: MemoryDocument): boolean =>
    (projects === undefined || project === "" || projects.includes(project)) &&
    (from === undefined || Date.parse(at) >= Date.parse(from)) &&
    (to === undefined || Date.parse(at) < Date.parse(to));
  const documents = new Map<number, MemoryDocument>();
  const texts: FoundText[] = [];
  for (const document of (await parts.memories.memories()).filter(isWanted)) {
    const id = -1 - documents.size;
    documents.set(id, document);
    const entry: FoundEntry = {
      id,
      kind: "memory",
      ref: id,
      session: "",
      project: document.project,
      speaker: "",
      title: termsOf(document.title).sequence,
      atEpoch: Date.parse(document.at),
      isCode: false,
      isStanding: false,
    };
    const whole = `${document.title}\n${document.text}`;
    for (const { start, end } of passagesOf(whole))
      texts.push({ entry, start, end, ...termsOf(whole.slice(start, end)) });
  }
  return { texts, documents };
}

function memoryHit(document: MemoryDocument, layer: Layer, passage?: FoundText): Hit {
  const text = `${document.title}\n${document.text}`;
  return {
    ref: document.name,
    kind: "memory",
    title: document.title,
    at: document.at,
    project: document.project,
    session: "",
    tokens: roughTokens(text),
    ...textsOf(text, layer, passage ?? { start: 0, end: text.length }),
  };
}

function explained(ranked: Ranked, request: SearchRequest): Partial<Hit> {
  const score = Math.round(ranked.score * 1_000) / 1_000;
  if (request.explain !== true) return { score };
  const why = (Object.entries(ranked.signals) as [Reason["signal"], number][])
    .map(([signal, points]) => ({ signal, points: Math.round(points * 1_000) / 1_000 }))
    .sort((a, b) => b.points - a.points);
  return { score, matched: ranked.matched, why };
}

/** A prompt is kept twice, as the hook told it and as the transcript has it; one of the two is enough. */
function isRepeated(indexed: IndexedRow | undefined, seen: Set<string>): boolean {
  if (indexed === undefined || (indexed.kind !== "prompt" && indexed.kind !== "message")) return false;
  if (indexed.kind === "message" && indexed.row.role !== "user") return false;
  const [session, text] =
    indexed.kind === "prompt"
      ? [indexed.row.claudeSessionId, indexed.row.promptText]
      : [indexed.row.session, indexed.row.text];
  const key = `${session}\n${text.trim()}`;
  if (seen.has(key)) return true;
  seen.add(key);
  return false;
}

interface Candidate {
  readonly entry: FoundEntry;
  readonly passage?: FoundText;
  readonly extra: Partial<Hit>;
}

async function toAnswer(
  parts: SearchParts,
  request: SearchRequest,
  candidates: readonly Candidate[],
  shelf: MemoryShelf,
): Promise<SearchAnswer> {
  const { limit = DEFAULT_LIMIT, offset = 0, layer = "context" } = request;
  const hits: Hit[] = [];
  const seen = new Set<string>();
  // Repetitions are only seen in the rows, so a few more are read than are shown.
  const looked = candidates.slice(0, (offset + limit) * 2 + 10);
  const rows = await rowsOf(
    parts.store,
    looked.map(({ entry }) => entry),
  );
  for (const { entry, passage, extra } of looked) {
    const document = shelf.documents.get(entry.id);
    if (document !== undefined) hits.push({ ...memoryHit(document, layer, passage), ...extra });
    if (entry.kind === "memory") continue;
    const indexed = rows.get(refOf(entry.kind, entry.ref));
    if (indexed === undefined || isRepeated(indexed, seen)) continue;
    hits.push({ ...hitFrom(indexed, layer, passage), ...extra });
  }
  return { hits: hits.slice(offset, offset + limit), more: hits.length > offset + limit, notes: [] };
}

function filterOf(request: SearchRequest): EntryFilter {
  const { projects, session, from, to, types, file, concept } = request;
  const kinds = request.kinds?.flatMap((kind) => entryKinds.find((known) => known === kind) ?? []);
  const given = { projects, session, from, to, types, file, concept, kinds };
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
}

/** Never fails for what was written: every text is a query. */
export async function search(parts: SearchParts, request: SearchRequest): Promise<SearchAnswer> {
  const { limit = DEFAULT_LIMIT, offset = 0 } = request;
  const { text, condition } = parseQuery(request.query);
  const filter = filterOf(request);
  const shelf = await memoryShelf(parts, request);
  const question = readQuestion(text);
  if (question.terms.length === 0) {
    const newest: Entry[] = await parts.store.entries(filter, (offset + limit) * 2 + 10);
    return toAnswer(
      parts,
      request,
      newest.map((entry) => ({ entry, extra: {} })),
      shelf,
    );
  }
  const gathering = {
    store: parts.store,
    filter: condition === undefined ? filter : { ...filter, words: condition },
    // A condition on words is the store's to decide; memories are ranked by plain words alone.
    others: condition === undefined ? shelf.texts : [],
  };
  const { near, note } =
    parts.embedder === undefined
      ? { near: [], note: undefined }
      : await findNear({ ...gathering, store: parts.store }, question, parts.embedder);
  const ranked = await gather({ ...gathering, near }, question);
  const candidates = ranked.map((one) => ({
    entry: one.entry,
    extra: explained(one, request),
    ...(one.passage === undefined ? {} : { passage: one.passage }),
  }));
  const answer = await toAnswer(parts, request, candidates, shelf);
  return note === undefined ? answer : { ...answer, notes: [...answer.notes, note] };
}
