// The part of the contract that search by meaning is built on: a vector for each passage, of one model at a time.
import type { EntryFilter, EntryKind, FoundPassage } from "./indexModel.ts";

export interface VectorModel {
  /** Vectors of two models cannot be compared, so a model has a name that no other has. */
  readonly id: string;
  readonly dimensions: number;
}

/** A passage that nobody has made a vector of, with what decides whether anybody should. */
export interface BarePassage {
  readonly id: number;
  readonly kind: EntryKind;
  readonly speaker: string;
  readonly isCode: boolean;
  /** Which of its entry's passages it is, from 0. */
  readonly place: number;
  readonly text: string;
}

export interface NewVectors {
  readonly model: VectorModel;
  /** Everything up to this passage has been looked at; what got no vector needs none. */
  readonly until: number;
  readonly vectors: readonly { readonly passage: number; readonly vector: Float32Array }[];
}

export interface NearRequest extends Omit<EntryFilter, "words"> {
  readonly model: VectorModel;
  readonly vector: Float32Array;
  readonly limit: number;
}

export interface NearPassage extends FoundPassage {
  /** The cosine of the two vectors. */
  readonly similarity: number;
}

/**
 * Vectors are kept rounded to a byte a dimension, which is as good for ranking. They go with their passages. A model
 * that is not the one they are of finds none, and the first vectors of it take the place of all others.
 */
export interface StoreVectors {
  /** Passages that wait for a vector of this model, oldest first. */
  barePassages(model: VectorModel, limit: number): Promise<BarePassage[]>;
  addVectors(vectors: NewVectors): Promise<void>;
  /** Nearest first. Every vector that the filter leaves is compared, up to a bound of the newest. */
  nearest(request: NearRequest): Promise<NearPassage[]>;
  /** Of which model there are vectors, how many, and how many passages wait. */
  vectorState(): Promise<{
    readonly model?: VectorModel;
    readonly vectors: number;
    readonly waiting: number;
  }>;
}
