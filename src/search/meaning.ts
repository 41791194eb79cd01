// Search by meaning: which passages get a vector, which questions may ask for near ones, and what nearness is worth.
import type { Embedder } from "../embed/index.ts";
import { errorText, withinTime } from "../lib/index.ts";
import type { BarePassage, EntryFilter, NearPassage, SearchIndex, VectorModel } from "../store/index.ts";
import { hasCjk, isEnglishProse, isProse } from "../terms/index.ts";
import type { Question } from "./question.ts";

type Languages = Embedder["languages"];

const suits = (text: string, languages: Languages) =>
  languages === "en" ? !hasCjk(text) && isEnglishProse(text) : isProse(text);

/** Whether a passage gets a vector: prose in a language of the model, no code and no tool output. */
function isEmbeddable(passage: BarePassage, { languages, depth }: Pick<Embedder, "languages" | "depth">) {
  const { text, isCode, speaker, place } = passage;
  return place < depth && !isCode && speaker !== "tool" && suits(text, languages);
}

/** Identifiers of programs: meant literally. */
const names = /[\p{Ll}\d]\p{Lu}|_|\w\/\w|\w\.\w|\(\)|[`{}<>=;\\]/u;

/** A word in capitals within a sentence: people and products, which a model of sentences cannot tell apart. */
const properName = /(?<=[\p{L}\p{N},]\s)(?!I\b)\p{Lu}/u;

/** Whether what the question means can say more than its words: only of a sentence in a language of the model. */
function asksMeaning(question: Question, languages: Languages) {
  return (
    !question.isKeywords &&
    !names.test(question.text) &&
    !properName.test(question.text) &&
    suits(question.text, languages)
  );
}

/** How many near passages are fetched. */
const NEAREST = 200;
/** A person or a model waits for the answer. */
const DEADLINE_MS = 2_000;

interface Nearness {
  readonly near: readonly NearPassage[];
  /** Why there is none although there should be. */
  readonly note?: string;
}

/** Opens it when first asked; undefined where none is set. May reject. */
export type EmbedderSource = () => Promise<Embedder | undefined>;

async function vectorOf(
  question: Question,
  source: EmbedderSource,
): Promise<{ readonly model: VectorModel; readonly vector: Float32Array } | undefined> {
  // A question that suits no model does not wait for one to start.
  if (!asksMeaning(question, "any")) return undefined;
  const embedder = await source();
  if (embedder === undefined || !asksMeaning(question, embedder.languages)) return undefined;
  const [vector] = await embedder.embed([question.text]);
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
    return { near: await store.nearest({ ...rest, ...asked, limit: NEAREST }) };
  } catch (error) {
    return { near: [], note: `Found by words alone: ${errorText(error)}.` };
  }
}

/** Similarity scaled from 0 (the last passage) to 1 (the nearest), by the id of the entry. */
export function nearnessOf(near: readonly NearPassage[]): ReadonlyMap<number, number> {
  const top = near[0]?.similarity ?? 0;
  const low = near.at(-1)?.similarity ?? 0;
  const shares = new Map<number, number>();
  for (const { entry, similarity } of near)
    if (!shares.has(entry.id)) shares.set(entry.id, top > low ? (similarity - low) / (top - low) : 1);
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
  const wanted = bare.filter((passage) => isEmbeddable(passage, embedder));
  const made = wanted.length === 0 ? [] : await embedder.embed(wanted.map(({ text }) => text));
  const vectors = wanted.flatMap(({ id: passage }, at) => {
    const vector = made[at];
    return vector === undefined ? [] : { passage, vector };
  });
  await store.addVectors({ model, until: last.id, vectors });
  return bare.length;
}
