// What imports of any source share: their dependencies, the caller's view of their progress, and the two ways to end early.
import type { Pause } from "../home/index.ts";
import type { IngestParts } from "../intake/index.ts";
import { type Clock, errorText, ThroughlineError } from "../lib/index.ts";
import type { Store } from "../store/index.ts";

export interface ImportParts extends Pick<IngestParts, "redact" | "badFolder" | "isExcluded" | "log"> {
  readonly store: Store;
  readonly pauses: () => readonly Pause[];
  readonly clock: Clock;
}

export interface Watch {
  readonly signal: AbortSignal;
  /** The share of the source that is done, from 0 to 1. */
  readonly onProgress: (share: number) => void;
}

/** The source itself cannot be read; others can. */
export class UnreadableSource extends Error {}

/** For what fails while a source is read. */
export function unreadable(error: unknown): never {
  throw new UnreadableSource(errorText(error), { cause: error });
}

/** The worker stops; the next one imports the source again, and stores nothing twice. */
export class Interrupted extends ThroughlineError {
  constructor() {
    super("worker-absent", "the worker stopped before the import was done", { fix: "throughline import" });
  }
}
