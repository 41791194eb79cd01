// How much each signal counts. One set of numbers for everything; docs/search.md says what they were measured on.

export const weights = {
  /** The best passage, by BM25, against the best of all. */
  passage: 3.8,
  /** Terms of a sentence that stand close together as they do in the question. */
  proximity: 0.3,
  /** All words are in the entry, where the question is nothing but keywords. */
  complete: 3,
  /** How much of the question its title has. */
  title: 3.2,
  /** How much of its title is in the question. */
  titleShare: 1.7,
  /** The question itself stands there, three words or more. */
  phrase: 6,
  /** The entry read together with the two before and the two after it. */
  window: 2.4,
  /** The entry follows a question that matches this one. Not used for questions about what the user did. */
  answer: 2,
  /** The three best entries of its session. */
  session: 3.2,
  date: 4.6,
  /** The question names the speaker. */
  speaker: 1.45,
  /** The question is about what the user said or did, and so is the entry. */
  firstPerson: 3.3,
  /** Words of a user or agent, or a summary of them; not the bare output of a tool. */
  spoken: 3,
  /** Near the question in meaning, where a model of vectors is set. */
  meaning: 1,
  standing: 0.55,
  /** The same where the question asks for something to be done. */
  standingRequest: 1.7,
} as const;

export type Signal = keyof typeof weights;

/** `b` is the length penalty: the usual value for keywords, a lower one for sentences. */
export const bm25 = { k1: 1.2, b: 0.6, keywordB: 0.75 } as const;
