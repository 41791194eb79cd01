// How closely the terms of a question stand together in a passage, and whether the question stands there as it is.
import type { FoundText } from "./model.ts";
import type { Weighing } from "./rank.ts";

const FARTHEST = 8;
/** Terms that are farther apart in the question have little to do with each other. */
const PAIRED = 3;

function positionsOf(
  sequence: readonly string[],
  wanted: ReadonlyMap<string, number>,
): Map<string, number[]> {
  const positions = new Map<string, number[]>();
  for (const [at, term] of sequence.entries()) {
    if (!wanted.has(term)) continue;
    const known = positions.get(term);
    if (known === undefined) positions.set(term, [at]);
    else known.push(at);
  }
  return positions;
}

/** The smallest distance between two ascending lists. */
function smallestGap(one: readonly number[], other: readonly number[]) {
  let [i, j, gap] = [0, 0, Number.POSITIVE_INFINITY];
  while (i < one.length && j < other.length) {
    const distance = (one[i] ?? 0) - (other[j] ?? 0);
    gap = Math.min(gap, Math.abs(distance));
    if (distance < 0) i += 1;
    else j += 1;
  }
  return gap;
}

/** Two words stand side by side by chance; three do not. */
const SHORTEST_PHRASE = 3;

function hasPhrase(sequence: readonly string[], phrase: readonly string[]) {
  if (phrase.length < SHORTEST_PHRASE) return false;
  const [first] = phrase;
  return sequence.some(
    (term, at) => term === first && phrase.every((wanted, next) => sequence[at + next] === wanted),
  );
}

/** `closeness` is 0 where nothing is close, and about 1 where every pair is adjacent. */
export function closeness(
  { sequence }: FoundText,
  { question, worth, total }: Weighing,
): { readonly closeness: number; readonly isPhrase: boolean } {
  const positions = positionsOf(sequence, worth);
  const terms = question.terms.map(({ term }) => term);
  let sum = 0;
  for (const [at, term] of terms.entries()) {
    const here = positions.get(term);
    if (here === undefined) continue;
    for (const other of terms.slice(at + 1, at + 1 + PAIRED)) {
      const there = positions.get(other);
      if (there === undefined || other === term) continue;
      const gap = smallestGap(here, there);
      if (gap <= FARTHEST)
        sum += Math.min(worth.get(term) ?? 0, worth.get(other) ?? 0) / (1 + Math.log(1 + gap));
    }
  }
  return { closeness: sum / total, isPhrase: hasPhrase(sequence, question.sequence) };
}
