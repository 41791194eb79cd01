// Sums over arrays, and arrays that grow by copying: their common beginning is known without walking through them.

export function sumOf<T>(items: readonly T[], value: (item: T) => number) {
  return items.reduce((sum, item) => sum + value(item), 0);
}

interface ChainOrigin {
  readonly base: readonly unknown[];
  /** How many elements were taken over from the base. */
  readonly shared: number;
}

const origins = new WeakMap<readonly unknown[], ChainOrigin>();

/** The first `shared` elements of `base` with more behind them. Neither array may be changed afterwards. */
export function grow<T>(base: readonly T[], shared: number, added: readonly T[]): readonly T[] {
  const grown = (shared === base.length ? base : base.slice(0, shared)).concat(added);
  // One step back is enough for two requests in a row; a longer chain would keep every array alive.
  origins.delete(base);
  origins.set(grown, { base, shared });
  return grown;
}

/** How many elements two arrays have in common at their beginning. */
export function commonStart<T>(
  a: readonly T[],
  b: readonly T[],
  isSame: (x: T, y: T) => boolean = Object.is,
) {
  if (a === b) return a.length;
  const limit = Math.min(a.length, b.length);
  let same = Math.min(limit, sharedBy(a, b) ?? sharedBy(b, a) ?? 0);
  while (same < limit && isSame(a[same] as T, b[same] as T)) same++;
  return same;
}

function sharedBy(grown: readonly unknown[], base: readonly unknown[]) {
  const origin = origins.get(grown);
  return origin?.base === base ? origin.shared : undefined;
}

/** A sum over items that grows with them: only items behind the common beginning are weighed again. */
export class RunningSum<T> {
  #items: readonly T[] = [];
  readonly #sums: number[] = [0];
  /** Sums of fewer items are not known. */
  #least = 0;

  /** Starts with items of which the last sums are known: that of all of them last. */
  start(items: readonly T[], sums: readonly number[]) {
    this.#items = items;
    this.#least = items.length + 1 - sums.length;
    this.#sums.length = this.#least;
    this.#sums.push(...sums);
  }

  /** The sums over the last `count` beginnings of the items, that of all of them last. */
  last(items: readonly T[], weigh: (item: T) => number, count: number): readonly number[] {
    const least = Math.max(0, items.length + 1 - count);
    this.upTo(items, weigh, least);
    return this.#sums.slice(least, items.length + 1);
  }

  /** The sum over the first `count` items, all of them by default. */
  upTo(items: readonly T[], weigh: (item: T) => number, count = items.length) {
    if (count < this.#least) this.start([], [0]);
    if (items !== this.#items) {
      let same = commonStart(this.#items, items);
      if (same < this.#least) {
        this.start([], [0]);
        same = 0;
      }
      this.#sums.length = same + 1;
      for (let at = same; at < items.length; at++)
        this.#sums.push((this.#sums[at] ?? 0) + weigh(items[at] as T));
      this.#items = items;
    }
    return this.#sums[count] ?? 0;
  }
}

/** The last item for which something holds, in an array that grows. */
export class RunningLast<T> {
  #items: readonly T[] = [];
  #last = -1;

  in(items: readonly T[], holds: (item: T) => boolean) {
    const same = commonStart(this.#items, items);
    const added = items.slice(same).findLastIndex(holds);
    if (added >= 0) this.#last = same + added;
    else if (this.#last >= same) this.#last = items.slice(0, same).findLastIndex(holds);
    this.#items = items;
    return this.#last;
  }
}

/** What was read of an array so far. `read` goes on with what was added. */
interface GrowingReader<T> {
  readonly items: readonly T[];
  read(items: readonly T[]): void;
}

/** The whole conversation, and the part of it that a summary stands for. */
const READERS_KEPT = 3;
/** A shorter array is read at once. */
const LEAST_READ = 64;

/** Readers of arrays that grow, known by their first element: a longer array is read from where a shorter one ended. */
export class GrowingReaders<T extends object, Reader extends GrowingReader<T>> {
  readonly #known = new WeakMap<T, readonly Reader[]>();
  readonly #make: () => Reader;

  constructor(make: () => Reader) {
    this.#make = make;
  }

  /** A reader that has read these items and nothing else. */
  of(items: readonly T[]): Reader {
    const [first] = items;
    const known = (first && this.#known.get(first)) ?? [];
    let reader: Reader | undefined;
    for (const one of known) {
      const isLonger = one.items.length > (reader?.items.length ?? 0);
      if (isLonger && commonStart(one.items, items) === one.items.length) reader = one;
    }
    const found = reader ?? this.#make();
    found.read(items);
    if (items.length >= LEAST_READ) this.keep(found);
    return found;
  }

  /** Lets a reader be found that has read some items. */
  keep(reader: Reader): void {
    const [first] = reader.items;
    if (!first) return;
    const others = (this.#known.get(first) ?? []).filter((one) => one !== reader);
    this.#known.set(first, [reader, ...others].slice(0, READERS_KEPT));
  }
}

export class BoundedMap<K, V> extends Map<K, V> {
  readonly #most: number;

  constructor(most: number) {
    super();
    this.#most = most;
  }

  override set(key: K, value: V): this {
    if (this.size >= this.#most && !this.has(key)) this.clear();
    return super.set(key, value);
  }

  /** The value of the key; computed and kept where there is none. */
  remember(key: K, compute: () => V): V {
    const known = this.get(key);
    if (known !== undefined || this.has(key)) return known as V;
    const value = compute();
    this.set(key, value);
    return value;
  }
}
