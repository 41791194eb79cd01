// Made-up observations in a vocabulary that is used as words are: few often, most of them hardly ever.
import type { NewObservation } from "../../src/store/index.ts";

export type Tongue = "en" | "zh";

export interface Generator {
  observation(at: number): NewObservation & { readonly narrative: string };
  /** From 0 to below `below`. */
  chance(below: number): number;
}

/** The same numbers for the same seed, everywhere. */
function random(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

const VOCABULARY = 20_000;
const onsets = "b br c ch cl d dr f fl g gl h j k l m n p pl qu r s sh sl st t tr v w z".split(" ");
const vowels = "a e i o u ai ea oo ou".split(" ");
const codas = "b ck d f g k l m n p r st t x".split(" ");

function words(tongue: Tongue, next: () => number): string[] {
  const from = (list: readonly string[]): string => list[Math.floor(next() * list.length)] ?? "";
  const han = (): string => String.fromCodePoint(0x4e00 + Math.floor(next() * 3_000));
  const made = new Set<string>();
  while (made.size < VOCABULARY) {
    const syllables = 2 + Math.floor(next() * 2);
    const parts = Array.from({ length: syllables }, () => from(onsets) + from(vowels));
    made.add(tongue === "zh" ? han() + han() : parts.join("") + from(codas));
  }
  return [...made];
}

export function generator(tongue: Tongue, seed: number): Generator {
  const next = random(seed);
  const vocabulary = words(tongue, next);
  const weights = vocabulary.map((_, rank) => 1 / (rank + 1));
  const sums: number[] = [];
  for (const weight of weights) sums.push((sums.at(-1) ?? 0) + weight);
  const total = sums.at(-1) ?? 1;
  const word = (): string => {
    const target = next() * total;
    let [low, high] = [0, sums.length - 1];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((sums[middle] ?? 0) < target) low = middle + 1;
      else high = middle;
    }
    return vocabulary[low] ?? "";
  };
  const text = (count: number): string =>
    Array.from({ length: count }, word).join(tongue === "zh" ? "，" : " ");
  return {
    chance: (below) => Math.floor(next() * below),
    observation: (at) => ({
      uid: `ob_${tongue}_${at}`,
      session: `session-${Math.floor(at / 25)}`,
      project: "probe",
      promptNumber: 1,
      at: new Date(Date.UTC(2026, 0, 1) + at * 60_000).toISOString(),
      type: "discovery",
      title: text(6),
      narrative: text(40),
    }),
  };
}

/** The words of a text, as they were put together. */
export const wordsOf = (text: string): string[] => text.split(/[，\s]+/).filter((word) => word !== "");
