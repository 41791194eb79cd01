// What an import of any source shares: who watches it, and the two ways in which it can end early.
import { errorText, ThroughlineError } from "../lib/index.ts";

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

/** The worker leaves; the next one does it again, and nothing twice. */
export class Interrupted extends ThroughlineError {
  constructor() {
    super("worker-absent", "the worker left before the import was done", { fix: "throughline import" });
  }
}
