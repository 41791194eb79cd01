// Requests and answers of search, and memories as the entries and passages that it ranks.
import { z } from "zod";
import { BoundedMap, sumOf } from "../lib/index.ts";
import {
  type EntryFilter,
  entryKinds,
  type FoundPassage,
  type IndexEntry,
  type TermStatistics,
  type WordCondition,
} from "../store/index.ts";
import { type Mark, passagesWithTerms, termsOf } from "../terms/index.ts";
import { countTerm, hasTerms, padded, termCount } from "./termText.ts";
import { type Signal, weights } from "./weights.ts";

export interface MemoryIndex {
  readonly texts: readonly FoundText[];
  /** By the id of their entry; newest first. */
  readonly documents: ReadonlyMap<number, MemoryDocument>;
}

const empty: MemoryIndex = { texts: [], documents: new Map() };

export const textOfMemory = ({ title, text }: MemoryDocument) => `${title}\n${text}`;

/** `project/name` names it everywhere; from its own project the name alone does. */
export const isNamed = ({ name, project }: MemoryDocument, ref: string) =>
  ref === name || ref === `${project}/${name}`;

const indexOf = (whole: string, title: string) => ({
  passages: passagesWithTerms(whole).map(({ start, end, sequence, extra }) => ({
    ...{ start, end, sequence: sequence.join(" "), extra: extra.join(" ") },
  })),
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

/** As the index answers it for rows: over all passages; a memory has a title and a text. */
function satisfies(document: MemoryDocument, condition: WordCondition): boolean {
  if ("all" in condition) return condition.all.every((part) => satisfies(document, part));
  if ("any" in condition) return condition.any.some((part) => satisfies(document, part));
  if ("not" in condition) return !satisfies(document, condition.not);
  if ("field" in condition) {
    const { field } = condition;
    if (field !== "title" && field !== "text") return false;
    return hasTerms(padded(termsOf(document[field]).sequence.join(" ")), termsOf(condition.text).sequence);
  }
  const { phrase } = condition;
  return describe(document).passages.some(
    ({ sequence, extra }) =>
      hasTerms(padded(sequence), phrase) || (phrase.length === 1 && hasTerms(padded(extra), phrase)),
  );
}

/** Their ids are below zero, where the store has none. */
export async function indexMemories(
  memories: MemorySource | undefined,
  request: SearchRequest,
  condition?: WordCondition,
): Promise<MemoryIndex> {
  const { projects, session, client, types, file, concept, kinds, from, to } = request;
  const isOfRows = [session, client, types, file, concept].some((value) => value !== undefined);
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
  const passages = [...documents].flatMap(([id, document]) => textsOfMemory(id, document));
  return { texts: passages.map((passage, at) => ({ ...passage, id: -1 - at })), documents };
}

function textsOfMemory(id: number, document: MemoryDocument): Omit<FoundText, "id">[] {
  const { passages, title } = describe(document);
  const entry: FoundEntry = {
    ...{ id, ref: id, kind: "memory", session: "", project: document.project, speaker: "", title },
    ...{ atEpoch: Date.parse(document.at), isCode: false, isStanding: false, isQuestion: false },
    ...{ rowClass: "prose", exchange: id },
  };
  return passages.map((passage) => ({ entry, ...passage }));
}

/** How rare terms are when passages from elsewhere are counted too. */
export function withOthers(
  statistics: Omit<TermStatistics, "holders">,
  others: readonly FoundText[],
  terms: readonly string[],
): Omit<TermStatistics, "holders"> {
  const frequency = new Map(statistics.frequency);
  for (const other of others) {
    const text = termsText(other);
    for (const term of terms)
      if (countTerm(text, term) > 0) frequency.set(term, (frequency.get(term) ?? 0) + 1);
  }
  const length = sumOf(others, lengthOf);
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

export const hitKinds = [...entryKinds, "memory"] as const;

export type HitKind = (typeof hitKinds)[number];

/** What ranking looks at: an entry of the store, or a memory, which lives outside it. */
export interface FoundEntry extends Omit<IndexEntry, "kind"> {
  readonly kind: HitKind;
}

export interface FoundText extends Omit<FoundPassage, "entry"> {
  readonly entry: FoundEntry;
}

/** Its terms as one text that `countTerm` takes. */
export const termsText = ({ sequence, extra }: Pick<FoundText, "sequence" | "extra">) =>
  padded(`${sequence} ${extra}`);

export const lengthOf = ({ sequence, extra }: Pick<FoundText, "sequence" | "extra">) =>
  termCount(sequence) + termCount(extra);

/** About 50, 100 and 500 tokens an item: what it is, what it says where it matched, the whole of it. */
export const layers = ["index", "context", "full"] as const;

export type Layer = (typeof layers)[number];

export interface SearchFilter extends Omit<EntryFilter, "kinds" | "words"> {
  readonly kinds?: readonly HitKind[];
}

export interface SearchRequest extends SearchFilter {
  /** Plain words, or the query language. Empty: the newest that pass the filter. */
  readonly query: string;
  /** 20 unless given. */
  readonly limit?: number;
  readonly offset?: number;
  /** `context` unless given. */
  readonly layer?: Layer;
  readonly explain?: boolean;
  /** The whole question, where `query` is a part of it: what repeats it is no answer. */
  readonly asked?: string;
  /** The last word is still being typed: it stands for every word that begins so. */
  readonly typed?: boolean;
}

const text = z.string();
const optional = text.exactOptional();
const texts = z.array(text).readonly();
const number = z.number();
const mark: z.ZodType<Mark> = z.tuple([number, number]);
const marks = z.array(mark).exactOptional();

/** One item of an answer. */
export const hitSchema = z.object({
  /** `#12` an observation, `S12` a summary, `P12` a prompt, `M12` a message; `name.md` a memory, `project/name.md` that of another project. */
  ref: text,
  kind: z.enum(hitKinds),
  title: text,
  at: text,
  project: text,
  session: text,
  speaker: optional,
  /** Of an observation. */
  type: optional,
  files: texts.exactOptional(),
  /** What it would cost to read it whole. */
  tokens: number,
  /** Of a memory: its age, its last check and its trust, in words. */
  standing: optional,
  /** Of a memory: what it says and no longer holds. */
  stale: texts.exactOptional(),
  /** What else of its turn was found: refs of other kinds, best first. */
  turn: texts.exactOptional(),
  /** Of an item that is shown whole: what stands before and after it in its session. */
  neighbours: z
    .array(z.object({ ref: text, title: text }))
    .readonly()
    .exactOptional(),
  /** Around what matched; from the layer `context` on. */
  excerpt: optional,
  /** The layer `full`. */
  text: optional,
  /** Where in these texts the words of the query are. */
  marks: z.object({ title: marks, excerpt: marks, text: marks }).exactOptional(),
  score: number.exactOptional(),
  /** Words of the query that it has; with `explain`. */
  matched: texts.exactOptional(),
  /** The factor of its class of row, which the points of its words contain; with `explain`. */
  factor: number.exactOptional(),
  /** Why it was found, and the numbers that points of words are computed from; with `explain`. */
  why: z
    .array(
      z.object({
        signal: z.enum(Object.keys(weights) as Signal[]),
        points: number,
        basis: z.string().exactOptional(),
      }),
    )
    .readonly()
    .exactOptional(),
});

export type Hit = Readonly<z.output<typeof hitSchema>>;

export const searchAnswerSchema = z.object({
  hits: z.array(hitSchema).readonly(),
  /** Whether there is more after these. */
  more: z.boolean(),
  /** What the reader should know of how the answer was made. */
  notes: texts,
});

export type SearchAnswer = Readonly<z.output<typeof searchAnswerSchema>>;

/** Memories live outside the store; the caller passes them in. */
export interface MemorySource {
  /** Of these projects at least; of all that are known unless given. */
  memories(projects?: readonly string[]): Promise<readonly MemoryDocument[]>;
  /** Looks whether those with these names still hold, so that `memories` knows it; gives up in time. */
  check?(names: readonly string[]): Promise<void>;
}

export interface MemoryDocument {
  /** Names it for `show`: its file, and before it the project where that is another than the asker's. */
  readonly name: string;
  readonly title: string;
  readonly text: string;
  /** ISO time of its last change. */
  readonly at: string;
  /** Empty for one that belongs to every project. */
  readonly project: string;
  readonly standing?: string;
  readonly stale?: readonly string[];
}
