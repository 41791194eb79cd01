// How much two texts say the same: by the pairs of terms they share, in any language that terms are known for.
import { termsOf } from "../terms/index.ts";

function pairsOf(text: string): Set<string> {
  const { sequence } = termsOf(text);
  if (sequence.length === 1) return new Set(sequence);
  return new Set(sequence.slice(1).map((term, at) => `${sequence[at]} ${term}`));
}

/** From 0 to 1: shared pairs among all pairs (Jaccard). */
export function similarity(a: string, b: string): number {
  return overlap(pairsOf(a), pairsOf(b));
}

export function overlap(a: ReadonlySet<string>, b: ReadonlySet<string>): number {
  if (a.size === 0 || b.size === 0) return 0;
  let shared = 0;
  for (const each of a) if (b.has(each)) shared += 1;
  return shared / (a.size + b.size - shared);
}

export interface Likeness {
  readonly pairs: ReadonlySet<string>;
  readonly terms: ReadonlySet<string>;
}

/** What is compared, made once for each text. */
export const likenessOf = (text: string): Likeness => ({
  pairs: pairsOf(text),
  terms: new Set(termsOf(text).sequence),
});
