// A property that a short run and a long one both try: the sentence it holds, and how to try it.

interface Trial {
  readonly numRuns: number;
  readonly seed: number;
}

export interface Property {
  readonly says: string;
  /** Throws with the seed and the smallest counterexample when the sentence is not true. */
  readonly holds: (trial: Trial) => void;
}
