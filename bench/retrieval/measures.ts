// The usual measures of a ranking: how much of what was wanted is among the first few, and how early it comes.

export interface Judged {
  /** Best first, each once. */
  readonly found: readonly string[];
  readonly gold: readonly string[];
}

export const measures = ["any@1", "any@5", "any@10", "all@5", "all@10", "R@5", "R@10", "MRR"] as const;

export type Measure = (typeof measures)[number];

export type Scores = Readonly<Record<Measure, number>>;

const SHOWN = 10;

export function scores({ found, gold }: Judged): Scores {
  const wanted = new Set(gold);
  const among = (count: number): number => found.slice(0, count).filter((id) => wanted.has(id)).length;
  const any = (count: number): number => Math.min(1, among(count));
  const all = (count: number): number => (among(count) === wanted.size ? 1 : 0);
  const first = found.slice(0, SHOWN).findIndex((id) => wanted.has(id));
  return {
    "any@1": any(1),
    "any@5": any(5),
    "any@10": any(10),
    "all@5": all(5),
    "all@10": all(10),
    "R@5": among(5) / wanted.size,
    "R@10": among(10) / wanted.size,
    MRR: first < 0 ? 0 : 1 / (first + 1),
  };
}

/** Their means, in percent. */
export function meanOf(given: readonly Scores[]): Scores {
  const mean = (measure: Measure): number =>
    Number(
      ((100 * given.reduce((sum, one) => sum + one[measure], 0)) / Math.max(1, given.length)).toFixed(1),
    );
  return Object.fromEntries(measures.map((measure) => [measure, mean(measure)])) as Record<Measure, number>;
}
