// What can be asked of search, and what it answers.
import type { EntryFilter } from "../store/index.ts";
import type { Mark } from "../terms/index.ts";
import type { HitKind } from "./found.ts";
import type { Signal } from "./weights.ts";

/** About 50, 100 and 500 tokens an item: what it is, what it says where it matched, the whole of it. */
export const layers = ["index", "context", "full"] as const;

export type Layer = (typeof layers)[number];

export interface SearchFilter extends Omit<EntryFilter, "kinds" | "words"> {
  readonly kinds?: readonly HitKind[];
}

export interface SearchRequest extends SearchFilter {
  /** Plain words, or the query language. Empty: the newest that pass the filter. */
  readonly query: string;
  /** 20 unless given. */
  readonly limit?: number;
  readonly offset?: number;
  /** `context` unless given. */
  readonly layer?: Layer;
  readonly explain?: boolean;
  /** The last word is still being typed: it stands for every word that begins so. */
  readonly typed?: boolean;
}

/** Why something was found. */
export interface Reason {
  readonly signal: Signal;
  readonly points: number;
}

export interface Hit {
  /** `#12` an observation, `S12` a summary, `P12` a prompt, `M12` a message; `name.md` a memory, `project/name.md` that of another project. */
  readonly ref: string;
  readonly kind: HitKind;
  readonly title: string;
  readonly at: string;
  readonly project: string;
  readonly session: string;
  readonly speaker?: string;
  /** Of an observation. */
  readonly type?: string;
  readonly files?: readonly string[];
  /** What it would cost to read it whole. */
  readonly tokens: number;
  /** Around what matched; from the layer `context` on. */
  readonly excerpt?: string;
  /** The layer `full`. */
  readonly text?: string;
  /** Where in these texts the words stand that were asked for. */
  readonly marks?: { readonly [text in "title" | "excerpt" | "text"]?: readonly Mark[] };
  readonly score?: number;
  /** Words of the question that it has; with `explain`. */
  readonly matched?: readonly string[];
  readonly why?: readonly Reason[];
}

export interface SearchAnswer {
  readonly hits: readonly Hit[];
  /** Whether there is more after these. */
  readonly more: boolean;
  /** What the reader should know of how the answer came to be. */
  readonly notes: readonly string[];
}

/** Memories that live outside the store. Whoever has them hands them in. */
export interface MemorySource {
  /** Of these projects at least; of all that are known unless given. */
  memories(projects?: readonly string[]): Promise<readonly MemoryDocument[]>;
}

export interface MemoryDocument {
  /** Names it for `show`: its file, and before it the project where that is another than the asker's. */
  readonly name: string;
  readonly title: string;
  readonly text: string;
  /** ISO time of its last change. */
  readonly at: string;
  /** Empty for one that belongs to every project. */
  readonly project: string;
}
