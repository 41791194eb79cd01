// Search by meaning: which passages get a vector, and how far a near one is above what chance would bring.
import type { Embedder } from "../embed/index.ts";
import { errorText, withinTime } from "../lib/index.ts";
import type { EntryFilter, NearPassage, SearchIndex, VectorModel } from "../store/index.ts";
import { hasCjk } from "../terms/index.ts";
import type { Question } from "./question.ts";

type Languages = Embedder["languages"];

/** Everything that can be found gets a vector. A model of English makes the same vector of all Chinese. */
const suits = (text: string, languages: Languages) => languages === "any" || !hasCjk(text);

/** How many near passages are fetched. */
const NEAREST = 200;
/** A person or a model waits for the answer. */
const DEADLINE_MS = 2_000;

/** A passage that means something close. */
export interface MeantPassage extends NearPassage {
  /** From 0 to 1. */
  readonly meaning: number;
}

interface Nearness {
  readonly near: readonly MeantPassage[];
  /** Why there is none although there should be. */
  readonly note?: string;
}

/** Opens it when first asked; undefined where none is set. May reject. */
export type EmbedderSource = () => Promise<Embedder | undefined>;

async function vectorOf(
  question: Question,
  source: EmbedderSource,
): Promise<{ readonly model: VectorModel; readonly vector: Float32Array } | undefined> {
  const embedder = await source();
  if (embedder === undefined || !suits(question.text, embedder.languages)) return undefined;
  const [vector] = await embedder.embed([question.text], "question");
  const { id, dimensions } = embedder;
  return vector === undefined ? undefined : { model: { id, dimensions }, vector };
}

/** Never throws: without vectors words decide alone, and a note gives the reason. */
export async function findNear(
  { store, filter }: { readonly store: Pick<SearchIndex, "nearest">; readonly filter: EntryFilter },
  question: Question,
  source: EmbedderSource,
  deadlineMs = DEADLINE_MS,
): Promise<Nearness> {
  const { words, ...rest } = filter;
  if (words !== undefined) return { near: [] };
  try {
    const asked = await withinTime(vectorOf(question, source), deadlineMs);
    if (asked === undefined) return { near: [] };
    if (asked === "late")
      return { near: [], note: `Found by words alone: there was no vector within ${deadlineMs} ms.` };
    return { near: nearerThanChance(await store.nearest({ ...rest, ...asked, limit: NEAREST })) };
  } catch (error) {
    return { near: [], note: `Found by words alone: ${errorText(error)}.` };
  }
}

/** Between the last of the near passages and a quarter down the list there is this much at least, whatever the model. */
const SMALLEST_SPREAD = 0.02;
/** Vectors without meaning put their nearest at most so many spreads above the last: 3.5 is what chance gives for 200 of 10,000. */
const CHANCE = 4;

/**
 * How far a passage is above what chance would bring near, from 0 to 1. The spread of the list itself is the unit, because models differ
 * in how near to each other they put everything. What a model cannot tell apart adds nothing.
 */
function nearerThanChance(near: readonly NearPassage[]): MeantPassage[] {
  const last = near.at(-1)?.similarity ?? 0;
  const quarter = near[Math.max(1, Math.floor(near.length / 4))]?.similarity ?? last;
  const spread = Math.max(SMALLEST_SPREAD, quarter - last);
  return near
    .map((passage) => ({
      ...passage,
      meaning: Math.min(1, ((passage.similarity - last) / spread - CHANCE) / CHANCE),
    }))
    .filter(({ meaning }) => meaning > 0);
}

/** By the id of the entry; its best passage counts. */
export function nearnessOf(near: readonly MeantPassage[]): ReadonlyMap<number, number> {
  const shares = new Map<number, number>();
  for (const { entry, meaning } of near) if (!shares.has(entry.id)) shares.set(entry.id, meaning);
  return shares;
}

export type EmbeddingStore = Pick<SearchIndex, "barePassages" | "addVectors">;

/**
 * Makes vectors of the next passages that wait. What is done is kept with how far it reaches in one transaction, so
 * that work goes on there after a crash. Returns how many were looked at; 0 when none waits.
 */
export async function embedNext(store: EmbeddingStore, embedder: Embedder): Promise<number> {
  const { id, dimensions } = embedder;
  const model = { id, dimensions };
  const bare = await store.barePassages(model, embedder.batch);
  const last = bare.at(-1);
  if (last === undefined) return 0;
  const wanted = bare.filter(({ text }) => suits(text, embedder.languages));
  const made = wanted.length === 0 ? [] : await embedder.embed(wanted.map(({ text }) => text));
  const vectors = wanted.flatMap(({ id: passage }, at) => {
    const vector = made[at];
    return vector === undefined ? [] : { passage, vector };
  });
  await store.addVectors({ model, until: last.id, vectors });
  return bare.length;
}
