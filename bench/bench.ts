// What a bench is: something measured in one run, as tables of numbers, with what has to hold of them.

export type Cell = string | number;

/** A table of numbers. A column's name says its unit. */
export interface Finding {
  readonly title: string;
  readonly rows: readonly Readonly<Record<string, Cell>>[];
  /** What a reader has to know beside the numbers. */
  readonly notes?: readonly string[];
}

/** What has to hold. */
export interface Bar {
  readonly what: string;
  readonly value: number;
  /** One of the two. */
  readonly atMost?: number;
  readonly atLeast?: number;
}

export interface Outcome {
  readonly findings: readonly Finding[];
  readonly bars?: readonly Bar[];
}

export interface Bench {
  /** How it is called: `npm run bench:NAME`. */
  readonly name: string;
  /** One sentence: what is measured, and against what. */
  readonly about: string;
  /** The folders whose code it measures: a result is older than the code when a file in them has changed since. */
  readonly measures: readonly string[];
  /** What may follow its name. */
  readonly usage?: string;
  run(args: readonly string[]): Promise<Outcome>;
}

/** What it needs is not there: nothing was measured, which is no failure. */
export class NotRun extends Error {}

/** Wrong arguments: how it is called is printed, and the exit code is 2. */
export class UsageError extends Error {}

export function holds({ value, atMost, atLeast }: Bar): boolean {
  return (atMost === undefined || value <= atMost) && (atLeast === undefined || value >= atLeast);
}
