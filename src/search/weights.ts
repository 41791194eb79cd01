// How much each signal counts, and each class of row. One set of numbers for everything; docs/search.md gives reasons and gains.
import type { RowClass } from "../terms/index.ts";

export const weights = {
  /** The best passage, by BM25, against the best of all. */
  passage: 1,
  /** What stands around it: its exchange in a session of work, the two entries on either side in a chat. */
  around: 0.7,
  /** Its title, or the name that a piece of code defines. */
  title: 0.8,
  /** The three best entries of its session. */
  session: 0.8,
  date: 1.2,
  /** Nearer in meaning than chance, where an embedder is set: as much as all words together. */
  meaning: 3,
  // The rest is for chats.
  /** It follows a question that matches this one. */
  answer: 0.5,
  /** Said by whom the question names. */
  speaker: 0.4,
  /** The question is about the user, and these are words of the user. */
  own: 0.9,
  /** A standing instruction of the user. */
  standing: 0.15,
  /** The same, where the question asks for something to be done. */
  standingRequest: 0.45,
} as const;

export type Signal = keyof typeof weights;

/** In a session of work: what is said explains, what ran shows, files and lists repeat. Multiplies what the words of an entry are worth. */
const classFactors: Readonly<Record<RowClass, number>> = {
  prose: 1,
  user: 0.9,
  pasted: 0.7,
  brief: 0.7,
  shell: 0.7,
  failure: 0.7,
  "failed-shell": 0.7,
  other: 0.5,
};

/** Calls and output of tools. */
export const ofTools: ReadonlySet<RowClass> = new Set(["shell", "failure", "failed-shell", "other"]);

/** `b` is the length penalty. */
export const bm25 = { k1: 1.2, b: 0.6 } as const;

/** The numbers of the ranking that a measurement may leave out. */
export interface Tuning {
  readonly weights: Readonly<Record<Signal, number>>;
  readonly classFactors: Readonly<Record<RowClass, number>>;
  /** Added to the factor of a class that the question asks for. */
  readonly askedFor: number;
  /** Whether words of the trade are looked up in the other language. */
  readonly translates: boolean;
}

export const tuning: Tuning = { weights, classFactors, askedFor: 0.5, translates: true };
