// What an embedder is worth on a user's own store, before it is switched on: titles of observations and the texts that belong to them.
import type { Embedder } from "../embed/index.ts";
import { sumOf } from "../lib/index.ts";
import type { Observation } from "../store/index.ts";
import { queryTerms, termsOf } from "../terms/index.ts";

export interface EmbedderMeasure {
  /** How many titles were looked for among as many texts. */
  readonly asked: number;
  /** For how many the right text was the first, by the model and by words. */
  readonly byModel: number;
  readonly byWords: number;
  readonly textsPerSecond: number;
}

interface Pair {
  readonly title: string;
  readonly text: string;
}

const SHORTEST_TEXT = 80;
const LONGEST_TEXT = 1_000;

/** Titles with the text below them, which does not repeat them; each title once. */
export function pairsOf(rows: readonly Observation[]): Pair[] {
  const pairs = new Map<string, Pair>();
  for (const { title, narrative = "", text = "", facts = [] } of rows) {
    const told = [narrative, ...facts, text].join("\n").replaceAll(title, "").trim();
    if (told.length >= SHORTEST_TEXT) pairs.set(title, { title, text: told.slice(0, LONGEST_TEXT) });
  }
  return [...pairs.values()];
}

const dot = (one: Float32Array, other: Float32Array) =>
  one.reduce((sum, value, at) => sum + value * (other[at] ?? 0), 0);

const cosine = (one: Float32Array, other: Float32Array) =>
  dot(one, other) / (Math.sqrt(dot(one, one) * dot(other, other)) || 1);

/** How many of the titles have their own text first; one that is as near as another is not counted. */
function countFirst(scores: (title: number, text: number) => number, count: number) {
  const places = Array.from({ length: count }, (_, at) => at);
  return places.filter((title) => {
    const own = scores(title, title);
    return places.every((text) => text === title || scores(title, text) < own);
  }).length;
}

function byWords(pairs: readonly Pair[]) {
  const texts = pairs.map(({ text }) => {
    const { sequence, extra } = termsOf(text);
    return new Set([...sequence, ...extra]);
  });
  const asked = pairs.map(({ title }) => queryTerms(title).map(({ term }) => term));
  const rarity = (term: string) =>
    Math.log(1 + texts.length / (1 + texts.filter((text) => text.has(term)).length));
  const worth = new Map(asked.flat().map((term) => [term, rarity(term)]));
  const score = (title: number, text: number) =>
    sumOf(
      (asked[title] ?? []).filter((term) => texts[text]?.has(term)),
      (term) => worth.get(term) ?? 0,
    );
  return countFirst(score, pairs.length);
}

async function embedAll(embedder: Embedder, texts: readonly string[], as: "question" | "passage") {
  const vectors: Float32Array[] = [];
  for (let at = 0; at < texts.length; at += embedder.batch)
    vectors.push(...(await embedder.embed(texts.slice(at, at + embedder.batch), as)));
  return vectors;
}

export async function measureEmbedder(embedder: Embedder, pairs: readonly Pair[]): Promise<EmbedderMeasure> {
  const titles = await embedAll(
    embedder,
    pairs.map(({ title }) => title),
    "question",
  );
  const begun = performance.now();
  const texts = await embedAll(
    embedder,
    pairs.map(({ text }) => text),
    "passage",
  );
  const seconds = (performance.now() - begun) / 1_000;
  const nothing = new Float32Array(embedder.dimensions);
  const near = (title: number, text: number) => cosine(titles[title] ?? nothing, texts[text] ?? nothing);
  return {
    asked: pairs.length,
    byModel: countFirst(near, pairs.length),
    byWords: byWords(pairs),
    textsPerSecond: Math.round(pairs.length / Math.max(seconds, 0.001)),
  };
}
