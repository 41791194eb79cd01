// How much each signal counts. One set of numbers for everything; docs/search.md says what they were measured on.

export const weights = {
  /** The best passage, by BM25, against the best of all. */
  passage: 4.3,
  /** Terms that stand close together as they do in the question. */
  proximity: 0.55,
  /** All terms of the question are in the entry. */
  complete: 2,
  /** The question itself stands there. */
  phrase: 4,
  /** How much of the question the entry answers by its words. */
  coverage: 0.4,
  /** The entry read together with the two before and the two after it. */
  window: 2.5,
  /** How much of the question is answered by the entry and its direct neighbours. */
  windowCoverage: 0.6,
  /** The three best entries of its session. */
  session: 2.1,
  date: 4.8,
  /** Said by whom the question names. */
  speaker: 1.7,
  /** The question is about what the user said or did, and so is the entry. */
  firstPerson: 2.9,
  standing: 1.2,
  /** The same where the question asks for something to be done. */
  standingRequest: 1.2,
} as const;

export type Signal = keyof typeof weights;

export const bm25 = { k1: 1.2, b: 0.6 } as const;
