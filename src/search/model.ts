// Requests and answers of search.
import { z } from "zod";
import { type EntryFilter, entryKinds, type FoundPassage, type IndexEntry } from "../store/index.ts";
import type { Mark } from "../terms/index.ts";
import { type Signal, weights } from "./weights.ts";

export const hitKinds = [...entryKinds, "memory"] as const;

export type HitKind = (typeof hitKinds)[number];

/** What ranking looks at: an entry of the store, or a memory, which lives outside it. */
export interface FoundEntry extends Omit<IndexEntry, "kind"> {
  readonly kind: HitKind;
}

export interface FoundText extends Omit<FoundPassage, "entry"> {
  readonly entry: FoundEntry;
}

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

const mark: z.ZodType<Mark> = z.tuple([z.number(), z.number()]);
const marks = z.array(mark).exactOptional();

/** One item of an answer. */
export const hitSchema = z.object({
  /** `#12` an observation, `S12` a summary, `P12` a prompt, `M12` a message; `name.md` a memory, `project/name.md` that of another project. */
  ref: z.string(),
  kind: z.enum(hitKinds),
  title: z.string(),
  at: z.string(),
  project: z.string(),
  session: z.string(),
  speaker: z.string().exactOptional(),
  /** Of an observation. */
  type: z.string().exactOptional(),
  files: z.array(z.string()).readonly().exactOptional(),
  /** What it would cost to read it whole. */
  tokens: z.number(),
  /** Around what matched; from the layer `context` on. */
  excerpt: z.string().exactOptional(),
  /** The layer `full`. */
  text: z.string().exactOptional(),
  /** Where in these texts the words of the query are. */
  marks: z.object({ title: marks, excerpt: marks, text: marks }).exactOptional(),
  score: z.number().exactOptional(),
  /** Words of the query that it has; with `explain`. */
  matched: z.array(z.string()).readonly().exactOptional(),
  /** Why it was found; with `explain`. */
  why: z
    .array(z.object({ signal: z.enum(Object.keys(weights) as Signal[]), points: z.number() }))
    .readonly()
    .exactOptional(),
});

export type Hit = Readonly<z.output<typeof hitSchema>>;

export const searchAnswerSchema = z.object({
  hits: z.array(hitSchema).readonly(),
  /** Whether there is more after these. */
  more: z.boolean(),
  /** What the reader should know of how the answer was made. */
  notes: z.array(z.string()).readonly(),
});

export type SearchAnswer = Readonly<z.output<typeof searchAnswerSchema>>;

/** Memories live outside the store; the caller passes them in. */
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
