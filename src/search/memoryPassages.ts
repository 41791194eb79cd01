// Indexes memories for search: passages beside those of the store, with the same filters and conditions.
import { BoundedMap, sumOf } from "../lib/index.ts";
import type { TermStatistics, WordCondition } from "../store/index.ts";
import { passagesWithTerms, termsOf } from "../terms/index.ts";
import type { FoundEntry, FoundText, MemoryDocument, MemorySource, SearchRequest } from "./model.ts";

export interface MemoryIndex {
  readonly texts: readonly FoundText[];
  /** By the id of their entry; newest first. */
  readonly documents: ReadonlyMap<number, MemoryDocument>;
}

const empty: MemoryIndex = { texts: [], documents: new Map() };

export const textOfMemory = ({ title, text }: MemoryDocument): string => `${title}\n${text}`;

/** `project/name` names it everywhere; from its own project the name alone does. */
export const isNamed = ({ name, project }: MemoryDocument, ref: string): boolean =>
  ref === name || ref === `${project}/${name}`;

const indexOf = (whole: string, title: string) => ({
  passages: passagesWithTerms(whole),
  title: termsOf(title).sequence,
});

/** Every search asks for the memories, and they seldom change. */
const described = new BoundedMap<string, ReturnType<typeof indexOf>>(2_000);
function describe(document: MemoryDocument) {
  const whole = textOfMemory(document);
  const known = described.get(whole) ?? indexOf(whole, document.title);
  described.set(whole, known);
  return known;
}

const follows = (sequence: readonly string[], phrase: readonly string[]) =>
  sequence.some((_, at) => phrase.every((term, next) => sequence[at + next] === term));

/** As the index answers it for rows: over all passages; a memory has a title and a text. */
function satisfies(document: MemoryDocument, condition: WordCondition): boolean {
  if ("all" in condition) return condition.all.every((part) => satisfies(document, part));
  if ("any" in condition) return condition.any.some((part) => satisfies(document, part));
  if ("not" in condition) return !satisfies(document, condition.not);
  if ("field" in condition) {
    const { field } = condition;
    if (field !== "title" && field !== "text") return false;
    return follows(termsOf(document[field]).sequence, termsOf(condition.text).sequence);
  }
  const { phrase } = condition;
  const [only, another] = phrase;
  return describe(document).passages.some(
    ({ sequence, extra }) =>
      follows(sequence, phrase) || (only !== undefined && another === undefined && extra.includes(only)),
  );
}

/** Their ids are below zero, where the store has none. */
export async function indexMemories(
  memories: MemorySource | undefined,
  request: SearchRequest,
  condition?: WordCondition,
): Promise<MemoryIndex> {
  const { projects, session, types, file, concept, kinds, from, to } = request;
  const isOfRows = [session, types, file, concept].some((value) => value !== undefined);
  if (memories === undefined || isOfRows || (kinds !== undefined && !kinds.includes("memory"))) return empty;
  const isWanted = (document: MemoryDocument) =>
    (projects === undefined || document.project === "" || projects.includes(document.project)) &&
    (from === undefined || Date.parse(document.at) >= Date.parse(from)) &&
    (to === undefined || Date.parse(document.at) < Date.parse(to)) &&
    (condition === undefined || satisfies(document, condition));
  const found = (await memories.memories(projects)).filter(isWanted);
  const documents = new Map(
    [...found].sort((a, b) => b.at.localeCompare(a.at)).map((document, at) => [-1 - at, document]),
  );
  const texts = [...documents].flatMap(([id, document]) => textsOfMemory(id, document));
  return { texts, documents };
}

function textsOfMemory(id: number, document: MemoryDocument): FoundText[] {
  const { passages, title } = describe(document);
  const entry: FoundEntry = {
    ...{ id, ref: id, kind: "memory", session: "", project: document.project, speaker: "", title },
    ...{ atEpoch: Date.parse(document.at), isCode: false, isStanding: false, isQuestion: false },
  };
  return passages.map((passage) => ({ entry, ...passage }));
}

/** How rare terms are when passages from elsewhere are counted too. */
export function withOthers(
  statistics: TermStatistics,
  others: readonly FoundText[],
  terms: readonly string[],
): TermStatistics {
  const frequency = new Map(statistics.frequency);
  for (const { sequence, extra } of others) {
    const has = new Set([...sequence, ...extra]);
    for (const term of terms) if (has.has(term)) frequency.set(term, (frequency.get(term) ?? 0) + 1);
  }
  const length = sumOf(others, ({ sequence, extra }) => sequence.length + extra.length);
  const passages = statistics.passages + others.length;
  const meanLength = passages === 0 ? 0 : (statistics.meanLength * statistics.passages + length) / passages;
  return { passages, meanLength, frequency };
}

/** Memories among the newest of the store, by time. */
export function withNewest<T extends { readonly entry: FoundEntry }>(
  { documents }: MemoryIndex,
  newest: readonly T[],
  make: (entry: FoundEntry) => T,
): T[] {
  const own = [...documents].flatMap(([id, document]) => {
    const [text] = textsOfMemory(id, document);
    return text === undefined ? [] : make(text.entry);
  });
  return [...newest, ...own].sort((a, b) => b.entry.atEpoch - a.entry.atEpoch);
}
