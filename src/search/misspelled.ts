// Corrects a misspelled word: finds the nearest known word within one or two edits.

/** How many letters must be added, left out, changed or swapped with their neighbour to get from one to the other; at most `most` + 1. */
export function editDistance(one: string, other: string, most: number) {
  if (Math.abs(one.length - other.length) > most) return most + 1;
  let before: number[] = [];
  let last = Array.from({ length: other.length + 1 }, (_, at) => at);
  for (let i = 1; i <= one.length; i += 1) {
    const row = [i];
    for (let j = 1; j <= other.length; j += 1) {
      const isSame = one[i - 1] === other[j - 1];
      let cost = Math.min((last[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1, (last[j - 1] ?? 0) + (isSame ? 0 : 1));
      const isSwapped = i > 1 && j > 1 && one[i - 1] === other[j - 2] && one[i - 2] === other[j - 1];
      if (isSwapped) cost = Math.min(cost, (before[j - 2] ?? 0) + 1);
      row.push(cost);
    }
    [before, last] = [last, row];
  }
  return Math.min(last[other.length] ?? 0, most + 1);
}

const SHORTEST = 5;
const LONG = 8;

/** The prefix that a misspelled word shares with the word that was meant; undefined for a term that is too short or no word. */
export const beginningOf = (term: string) =>
  term.length >= SHORTEST && /^[a-z]+$/.test(term) ? term.slice(0, 2) : undefined;

/** The nearest known word, and among equals the most common one. Allows one edit, in a long word two. */
export function meantBy(term: string, known: ReadonlyMap<string, number>) {
  const most = term.length >= LONG ? 2 : 1;
  let best: { readonly term: string; readonly distance: number; readonly count: number } | undefined;
  for (const [other, count] of known) {
    const distance = editDistance(term, other, most);
    if (distance > most) continue;
    const isBetter =
      best === undefined || distance < best.distance || (distance === best.distance && count > best.count);
    if (isBetter) best = { term: other, distance, count };
  }
  return best?.term;
}
