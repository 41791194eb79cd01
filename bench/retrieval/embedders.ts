// Embedders that no model is needed for: one that knows the answers, and one that knows nothing. They bound what vectors can do.
import type { Embedder } from "../../src/embed/index.ts";
import { sha256 } from "../../src/lib/index.ts";
import { passagesWithTerms } from "../../src/terms/index.ts";
import type { QuerySet } from "./sets.ts";

const about = { languages: "any", batch: 500 } as const;
const NOISE = 64;

/** The same numbers for the same text, and nothing else. */
function noise(text: string): Float32Array {
  const digest = sha256(text);
  return Float32Array.from({ length: NOISE }, (_, at) => Number.parseInt(digest.charAt(at), 16) / 7.5 - 1);
}

export const openRandom = (): Embedder => ({
  ...about,
  id: "random",
  dimensions: NOISE,
  embed: async (texts) => texts.map(noise),
  close: async () => undefined,
});

/** A question is near its gold passages, and as near to all others as chance has it. */
export async function openOracle({ queries, store, named }: QuerySet): Promise<Embedder> {
  const answers = new Map<string, number[]>();
  for (const [at, { gold, unit }] of queries.entries()) {
    const known = gold.flatMap((id) => named.get(`${unit}/${id}`) ?? named.get(`*/${id}`) ?? []);
    const rows = await store.messagesById(known.map(({ ref }) => Number(ref.slice(1))));
    for (const { text } of rows)
      for (const { start, end } of passagesWithTerms(text)) {
        const piece = text.slice(start, end);
        answers.set(piece, [...(answers.get(piece) ?? []), at]);
      }
  }
  const questions = new Map(queries.map(({ text }, at) => [text, at]));
  const dimensions = queries.length + NOISE;
  return {
    ...about,
    id: "oracle",
    dimensions,
    embed: async (texts) =>
      texts.map((text) => {
        const vector = new Float32Array(dimensions);
        vector.set(
          noise(text).map((value) => value * 0.05),
          queries.length,
        );
        const own = questions.get(text);
        for (const at of own === undefined ? (answers.get(text) ?? []) : [own]) vector[at] = 1;
        return vector;
      }),
    close: async () => undefined,
  };
}
