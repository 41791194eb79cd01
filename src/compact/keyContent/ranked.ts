// Candidates by their worth, sorted only as far as they are looked at: of many thousands a summary has room for hundreds.

interface Weighed {
  readonly worth: number;
}

/** Of equal worth the first by this order comes first. */
type TieOrder<T> = (a: T, b: T) => number;

/** The `count`-th largest of the values, whose order changes; `count` is at most their number. */
function nthLargest(values: Float64Array, count: number) {
  const place = values.length - count;
  let [low, high] = [0, values.length - 1];
  while (low < high) {
    const pivot = values[(low + high) >> 1] as number;
    let [left, right] = [low, high];
    while (left <= right) {
      while ((values[left] as number) < pivot) left++;
      while ((values[right] as number) > pivot) right--;
      if (left > right) break;
      const value = values[left] as number;
      values[left++] = values[right] as number;
      values[right--] = value;
    }
    if (place <= right) high = right;
    else if (place >= left) low = left;
    else break;
  }
  return values[place] as number;
}

/** The least worth among the `count` items that are worth most. */
function leastOfBest(items: readonly Weighed[], count: number) {
  const worths = new Float64Array(items.length);
  for (let at = 0; at < items.length; at++) worths[at] = items[at]?.worth ?? 0;
  return nthLargest(worths, count);
}

/** Those that are worth most, in no order. */
export function best<T extends Weighed>(items: readonly T[], count: number, order: TieOrder<T>): T[] {
  if (items.length <= count) return [...items];
  const least = leastOfBest(items, count);
  const above = items.filter(({ worth }) => worth > least);
  const equal = items.filter(({ worth }) => worth === least).sort(order);
  return [...above, ...equal.slice(0, count - above.length)];
}

const SORTED_AT_ONCE = 1_500;

/** The best first. The worth of an item must not change meanwhile. */
export class Ranked<T extends Weighed> {
  readonly #sorted: T[] = [];
  #rest: readonly T[];
  readonly #order: (a: T, b: T) => number;

  constructor(items: readonly T[], order: TieOrder<T>) {
    this.#rest = items;
    this.#order = (a, b) => b.worth - a.worth || order(a, b);
  }

  at(index: number): T | undefined {
    while (index >= this.#sorted.length && this.#rest.length > 0) this.#sortMore();
    return this.#sorted[index];
  }

  /** All items in order that a condition may hold for, which does not hold again for an item for which it did not. */
  *where(mayHold: (item: T) => boolean): Generator<T> {
    for (let at = 0; ; at++) {
      if (at === this.#sorted.length) {
        const rest = this.#rest.filter(mayHold);
        if (rest.length <= SORTED_AT_ONCE) {
          yield* rest.sort(this.#order);
          return;
        }
      }
      const item = this.at(at);
      if (!item) return;
      yield item;
    }
  }

  #sortMore() {
    const items = this.#rest;
    const least = leastOfBest(items, Math.min(SORTED_AT_ONCE, items.length));
    const [next, rest]: [T[], T[]] = [[], []];
    for (const item of items) (item.worth >= least ? next : rest).push(item);
    this.#rest = rest;
    for (const item of next.sort(this.#order)) this.#sorted.push(item);
  }
}
