// What ranking looks at: entries of the store, and memories, which live outside it.
import type { Entry, EntryKind, FoundPassage } from "../store/index.ts";

export type HitKind = EntryKind | "memory";

export interface FoundEntry extends Omit<Entry, "kind"> {
  readonly kind: HitKind;
}

export interface FoundText extends Omit<FoundPassage, "entry"> {
  readonly entry: FoundEntry;
}
