// What went wrong while reading: told, counted, never fatal.

export type ProblemKind =
  /** A line that is not JSON. */
  | "broken-line"
  /** A line of JSON that is not an object. */
  | "not-an-object"
  /** A line over the size cap; skipped unread. */
  | "line-too-long"
  /** A last line that its writer has not finished; a later scan finds it whole. */
  | "torn-tail"
  /** The file is shorter than the offset to go on from. */
  | "shrunk"
  /** No row is in a form this reader knows. */
  | "unknown-dialect"
  /** A subagent's transcript could not be read. */
  | "subagent-unreadable";

export interface Problem {
  readonly kind: ProblemKind;
  readonly message: string;
  /** Where in the file: the line counted from where the scan began, and its bytes. */
  readonly place?: { readonly line: number; readonly start: number; readonly end: number };
  /** The other file that is meant, when it is not the transcript itself. */
  readonly file?: string;
}

/** A broken file can have a problem a line: the first ones are told, all are counted. */
const KEPT_PROBLEMS = 200;

export class Problems {
  readonly list: Problem[] = [];
  readonly #counts = new Map<ProblemKind, number>();

  add(problem: Problem): void {
    this.#counts.set(problem.kind, this.count(problem.kind) + 1);
    if (this.list.length < KEPT_PROBLEMS) this.list.push(problem);
  }

  count(kind: ProblemKind): number {
    return this.#counts.get(kind) ?? 0;
  }
}
