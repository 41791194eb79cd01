// The index that search is built on: entries, their passages, and a vector for each passage, of one model at a time.

import type { RowClass } from "../terms/index.ts";

/** What can be found. `ref` of an entry is the id of the row of that kind. */
export const entryKinds = ["observation", "summary", "prompt", "message"] as const;

export type EntryKind = (typeof entryKinds)[number];

/** One row of any kind, as the index knows it. */
export interface IndexEntry {
  readonly id: number;
  readonly kind: EntryKind;
  readonly ref: number;
  readonly session: string;
  readonly project: string;
  /** The speaker: `user`, `assistant`, a tool, a name. Empty for observations and summaries. */
  readonly speaker: string;
  readonly atEpoch: number;
  /** The terms of its name: an observation's title, or what a piece of code defines. */
  readonly title: readonly string[];
  /** Mostly source code. */
  readonly isCode: boolean;
  /** A standing instruction of the user. */
  readonly isStanding: boolean;
  /** A question; the next entry is the answer. */
  readonly isQuestion: boolean;
  /** What kind of row it is. */
  readonly rowClass: RowClass;
  /** The entry that opened its exchange: a message of the user and all that follows in the session up to the next one. */
  readonly exchange: number;
}

/** A passage that matches, with its terms, so that ranking need not read the texts again. */
export interface FoundPassage {
  readonly id: number;
  readonly entry: IndexEntry;
  /** Offsets into the searchable text of the row. */
  readonly start: number;
  readonly end: number;
  /** Its terms in the order of the text, with a space between two. */
  readonly sequence: string;
  /** Its terms that have no order. */
  readonly extra: string;
}

/** Which entries are meant; everything that is given must hold. */
export interface EntryFilter {
  readonly kinds?: readonly EntryKind[];
  /** Any of them. */
  readonly projects?: readonly string[];
  readonly session?: string;
  /** The coding agent of the session. */
  readonly client?: string;
  /** ISO times; `from` is in, `to` is out. */
  readonly from?: string;
  readonly to?: string;
  /** The rest is about observations, and leaves out everything else. */
  readonly types?: readonly string[];
  /** A file that was read or changed, or the end of its path. */
  readonly file?: string;
  readonly concept?: string;
  /** What the words of the entry must satisfy. */
  readonly words?: WordCondition;
}

/** Which words an entry must have. A phrase holds where its terms follow each other. */
export type WordCondition =
  | { readonly phrase: readonly string[] }
  /** In one field of its row, as written. */
  | { readonly field: string; readonly text: string }
  | { readonly all: readonly WordCondition[] }
  | { readonly any: readonly WordCondition[] }
  | { readonly not: WordCondition };

/** Fields that can be named in a condition. */
export const namedFields = [
  "title",
  "subtitle",
  "narrative",
  "text",
  "facts",
  "concepts",
  "request",
  "investigated",
  "learned",
  "completed",
  "next_steps",
  "notes",
  "prompt_text",
] as const;

export interface PassageRequest extends EntryFilter {
  /** One may be unfinished (`typedTerms`): the last, where it is a phrase. */
  readonly terms: readonly string[];
  /** `any`: best first by the engine's own measure. `all`: every term in one passage. `phrase`: in this order. */
  readonly mode: "any" | "all" | "phrase";
  readonly limit: number;
}

/** How often terms occur among what a filter's projects and kinds hold. */
export interface TermStatistics {
  readonly passages: number;
  readonly meanLength: number;
  /** Passages by term; terms that are nowhere are absent. */
  readonly frequency: ReadonlyMap<string, number>;
  /** The ids of the passages with a term that satisfy the whole filter; absent for a term that is too common to list them. */
  readonly holders: ReadonlyMap<string, readonly number[]>;
}

export interface EntryNeighbours {
  /** Of the same session and kind, nearest first. */
  readonly before: readonly IndexEntry[];
  readonly after: readonly IndexEntry[];
}

export interface EntryTimelineRequest extends EntryFilter {
  /** An entry that stands in the middle, or a time. */
  readonly around: number | { readonly at: string };
  readonly before: number;
  readonly after: number;
}

export interface VectorModel {
  /** Vectors of two models cannot be compared, so a model has a name that no other has. */
  readonly id: string;
  readonly dimensions: number;
}

/** A passage without a vector. */
export interface BarePassage {
  readonly id: number;
  readonly text: string;
}

export interface NewVectors {
  readonly model: VectorModel;
  /** All passages up to this one are done; those without a vector need none. */
  readonly until: number;
  readonly vectors: readonly { readonly passage: number; readonly vector: Float32Array }[];
}

export interface NearRequest extends Omit<EntryFilter, "words"> {
  readonly model: VectorModel;
  readonly vector: Float32Array;
  readonly limit: number;
}

/** How far the vectors of the model are that the store has some of. */
export interface VectorState {
  readonly model?: string;
  readonly passages: number;
  /** Passages that the model has read, or left alone because they are in no language of it. */
  readonly done: number;
}

export interface NearPassage extends FoundPassage {
  /** The cosine of the two vectors. */
  readonly similarity: number;
}

/** Written in the transaction that writes the rows, so that it never lags behind them. */
export interface SearchIndex {
  passages(request: PassageRequest): Promise<FoundPassage[]>;
  /** In the order of their ids; those that are not there any more are left out. */
  passagesById(ids: readonly number[]): Promise<FoundPassage[]>;
  termStatistics(terms: readonly string[], filter: EntryFilter): Promise<TermStatistics>;
  /** As `termStatistics`, over everything, roughly and quickly: each is counted up to `most` only. */
  rarity(terms: readonly string[], most: number): Promise<Pick<TermStatistics, "passages" | "frequency">>;
  /** Terms that begin so, with how many passages have each; as many as `limit`, in the order of the alphabet. */
  vocabulary(beginning: string, limit: number): Promise<ReadonlyMap<string, number>>;
  /** For each entry, by its id, up to `reach` entries on both sides. */
  surroundings(entries: readonly IndexEntry[], reach: number): Promise<ReadonlyMap<number, EntryNeighbours>>;
  /** Entries that satisfy the filter, newest first. */
  entries(filter: EntryFilter & { readonly standing?: true }, limit: number): Promise<IndexEntry[]>;
  /** The entries of rows, in their order; rows that are not there are left out. */
  entriesOf(rows: readonly { readonly kind: EntryKind; readonly ref: number }[]): Promise<IndexEntry[]>;
  /** Oldest first, the entry in the middle among them. */
  timeline(request: EntryTimelineRequest): Promise<IndexEntry[]>;

  /**
   * Passages that wait for a vector of this model, oldest first. Vectors are kept rounded to a byte a dimension, which is as
   * good for ranking, and are deleted with their passages. The first vectors of another model replace all others.
   */
  barePassages(model: VectorModel, limit: number): Promise<BarePassage[]>;
  addVectors(vectors: NewVectors): Promise<void>;
  vectorState(): Promise<VectorState>;
  /** Nearest first. Every vector that the filter leaves is compared, up to a bound of the newest. */
  nearest(request: NearRequest): Promise<NearPassage[]>;
}
