// Sums over arrays, and arrays that grow by copying: their common beginning is known without walking through them.

export function sumOf<T>(items: readonly T[], value: (item: T) => number): number {
  return items.reduce((sum, item) => sum + value(item), 0);
}

interface Origin {
  readonly base: readonly unknown[];
  /** How many elements were taken over from the base. */
  readonly shared: number;
}

const origins = new WeakMap<readonly unknown[], Origin>();

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
): number {
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
