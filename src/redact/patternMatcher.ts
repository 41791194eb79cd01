// Finds every landmark in a text in one pass, ignoring case; rules scan only around landmarks.

/** Called for each landmark, in the order in which they end. */
type Visit<T> = (owner: T, at: number, literal: string) => void;

interface Landmark<T> {
  readonly literal: string;
  readonly owner: T;
}

/** An Aho-Corasick automaton over the landmarks of all owners: the time of a scan does not depend on their number. */
export class PatternMatcher<T> {
  /** The class of each character code; 0 for all that occur in no landmark. */
  readonly #classes = new Uint8Array(65_536);
  readonly #next: Uint16Array;
  readonly #width: number;
  readonly #seen: (readonly Landmark<T>[] | undefined)[] = [];
  readonly #isSeen: Uint8Array;

  constructor(landmarks: readonly Landmark<T>[]) {
    this.#width = this.#classify(landmarks.map(({ literal }) => literal));
    const capacity = 1 + landmarks.reduce((sum, { literal }) => sum + literal.length, 0);
    this.#next = new Uint16Array(capacity * this.#width);
    const states = this.#plant(landmarks);
    this.#link(states);
    this.#isSeen = Uint8Array.from({ length: states }, (_, state) => (this.#seen[state] ? 1 : 0));
  }

  #classify(literals: readonly string[]) {
    let classes = 1;
    for (const char of new Set(literals.join("").toLowerCase())) {
      const upper = char.toUpperCase();
      this.#classes[char.charCodeAt(0)] = classes;
      if (upper.length === 1) this.#classes[upper.charCodeAt(0)] = classes;
      classes += 1;
    }
    return classes;
  }

  /** Builds the trie of landmarks; returns the number of its nodes. */
  #plant(landmarks: readonly Landmark<T>[]) {
    let states = 1;
    for (const landmark of landmarks) {
      const { literal } = landmark;
      let state = 0;
      for (let at = 0; at < literal.length; at += 1) {
        const edge = state * this.#width + (this.#classes[literal.charCodeAt(at)] ?? 0);
        if (this.#next[edge] === 0) {
          this.#next[edge] = states;
          states += 1;
        }
        state = this.#next[edge] ?? 0;
      }
      this.#seen[state] = [...(this.#seen[state] ?? []), landmark];
    }
    return states;
  }

  /** Adds the failure links: a missing branch continues at the longest suffix that begins a landmark. */
  #link(states: number) {
    const fallback = new Uint16Array(states);
    const queue: number[] = [0];
    for (let state = queue.shift(); state !== undefined; state = queue.shift()) {
      for (let char = 0; char < this.#width; char += 1) {
        const edge = state * this.#width + char;
        const child = this.#next[edge] ?? 0;
        const other = state === 0 ? 0 : (this.#next[(fallback[state] ?? 0) * this.#width + char] ?? 0);
        if (child === 0) {
          this.#next[edge] = other;
          continue;
        }
        fallback[child] = other;
        const inherited = this.#seen[other];
        if (inherited) this.#seen[child] = [...(this.#seen[child] ?? []), ...inherited];
        queue.push(child);
      }
    }
  }

  scan(text: string, visit: Visit<T>) {
    const classes = this.#classes;
    const next = this.#next;
    const width = this.#width;
    const isSeen = this.#isSeen;
    let state = 0;
    for (let at = 0; at < text.length; at += 1) {
      state = next[state * width + (classes[text.charCodeAt(at)] ?? 0)] ?? 0;
      if (isSeen[state] === 0) continue;
      for (const { literal, owner } of this.#seen[state] ?? [])
        visit(owner, at - literal.length + 1, literal);
    }
  }
}
