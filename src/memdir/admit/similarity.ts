// How much two texts say the same: by the pairs of terms they share, in any language that terms are known for.
import { queryTerms, termsOf } from "../../terms/index.ts";

function termPairs(text: string): Set<string> {
  const { sequence } = termsOf(text);
  if (sequence.length === 1) return new Set(sequence);
  return new Set(sequence.slice(1).map((term, at) => `${sequence[at]} ${term}`));
}

/** From 0 to 1: shared pairs among all pairs (Jaccard). */
export function similarity(a: string, b: string): number {
  return jaccard(termPairs(a), termPairs(b));
}

export function jaccard(a: ReadonlySet<string>, b: ReadonlySet<string>): number {
  if (a.size === 0 || b.size === 0) return 0;
  let shared = 0;
  for (const each of a) if (b.has(each)) shared += 1;
  return shared / (a.size + b.size - shared);
}

export interface Likeness {
  readonly pairs: ReadonlySet<string>;
  /** Without the words that every text has. */
  readonly content: ReadonlySet<string>;
}

/** What is compared, made once for each text. */
export const likenessOf = (text: string): Likeness => ({
  pairs: termPairs(text),
  content: contentTerms(text),
});

export const contentTerms = (text: string): Set<string> => new Set(queryTerms(text).map(({ term }) => term));

const SAME = 0.95;
const NEAR_PAIRS = 0.6;
const NEAR_CONTENT = 0.75;
const FEWEST_TERMS = 4;

/** Whether two texts say the same, or nearly: in the same order, or with the same words in another one. */
export function likeness(a: Likeness, b: Likeness): "same" | "near" | undefined {
  const pairs = jaccard(a.pairs, b.pairs);
  if (pairs >= SAME) return "same";
  const isLong = Math.min(a.content.size, b.content.size) >= FEWEST_TERMS;
  return pairs >= NEAR_PAIRS || (isLong && jaccard(a.content, b.content) >= NEAR_CONTENT)
    ? "near"
    : undefined;
}
