// A map for what can be computed again: it is emptied when it is full, so that a long process keeps a bounded part.

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
