// Candidates by their worth, sorted only as far as they are looked at: of many thousands a summary has room for hundreds.

interface Weighed {
  readonly worth: number;
}

/** Of equal worth the first by this order comes first. */
type TieOrder<T> = (a: T, b: T) => number;

/** From the least to the most. */
function sortedWorths(items: readonly Weighed[]) {
  const worths = new Float64Array(items.length);
  for (let at = 0; at < items.length; at++) worths[at] = items[at]?.worth ?? 0;
  return worths.sort();
}

/** Those that are worth most, in no order. */
export function best<T extends Weighed>(items: readonly T[], count: number, order: TieOrder<T>): T[] {
  if (items.length <= count) return [...items];
  const least = sortedWorths(items)[items.length - count] ?? 0;
  const above = items.filter(({ worth }) => worth > least);
  const equal = items.filter(({ worth }) => worth === least).sort(order);
  return [...above, ...equal.slice(0, count - above.length)];
}

const SORTED_AT_ONCE = 1_500;

/** The best first. The worth of an item must not change meanwhile. */
export class Ranked<T extends Weighed> {
  readonly #sorted: T[] = [];
  #rest: readonly T[];
  #worths: Float64Array | undefined;
  readonly #order: TieOrder<T>;

  constructor(items: readonly T[], order: TieOrder<T>) {
    this.#rest = items;
    this.#order = order;
  }

  at(index: number): T | undefined {
    while (index >= this.#sorted.length && this.#rest.length > 0) this.#sortMore();
    return this.#sorted[index];
  }

  #sortMore() {
    this.#worths ??= sortedWorths(this.#rest);
    const least = this.#worths[Math.max(0, this.#rest.length - SORTED_AT_ONCE)] ?? 0;
    const next = this.#rest.filter(({ worth }) => worth >= least);
    this.#rest = this.#rest.filter(({ worth }) => worth < least);
    for (const item of next.sort((a, b) => b.worth - a.worth || this.#order(a, b))) this.#sorted.push(item);
  }
}
