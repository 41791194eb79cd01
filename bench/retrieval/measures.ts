// The usual measures of a ranking: how much of what was wanted is among the first few, and how early it comes.

export interface Judged {
  /** Best first. */
  readonly found: readonly string[];
  readonly gold: readonly string[];
}

export const measures = ["Hit@1", "Hit@5", "R@5", "R@10", "All@5", "MRR", "nDCG@10"] as const;

export type Measure = (typeof measures)[number];

export interface Tally {
  questions: number;
  readonly sums: Record<Measure, number>;
}

export const emptyTally = (): Tally => ({
  questions: 0,
  sums: Object.fromEntries(measures.map((name) => [name, 0])) as Record<Measure, number>,
});

const discount = (rank: number): number => 1 / Math.log2(rank + 2);

export function scores({ found, gold }: Judged): Record<Measure, number> {
  const wanted = new Set(gold);
  const among = (count: number): number => found.slice(0, count).filter((id) => wanted.has(id)).length;
  const first = found.findIndex((id) => wanted.has(id));
  const gain = found.slice(0, 10).reduce((sum, id, rank) => sum + (wanted.has(id) ? discount(rank) : 0), 0);
  const best = Array.from({ length: Math.min(10, wanted.size) }, (_, rank) => discount(rank)).reduce(
    (sum, value) => sum + value,
    0,
  );
  return {
    "Hit@1": among(1),
    "Hit@5": Math.min(1, among(5)),
    "R@5": among(5) / wanted.size,
    "R@10": among(10) / wanted.size,
    "All@5": among(5) === wanted.size ? 1 : 0,
    MRR: first < 0 ? 0 : 1 / (first + 1),
    "nDCG@10": best === 0 ? 0 : gain / best,
  };
}

export function judge(tally: Tally, judged: Judged): void {
  if (judged.gold.length === 0) return;
  tally.questions += 1;
  const given = scores(judged);
  for (const name of measures) tally.sums[name] += given[name];
}

/** Every measure in percent, by what was tallied. */
export function rowsOf(tallies: ReadonlyMap<string, Tally>): Record<string, string | number>[] {
  return [...tallies].map(([name, { questions, sums }]) => {
    const percent = (measure: Measure): number =>
      Number(((100 * sums[measure]) / Math.max(1, questions)).toFixed(1));
    return {
      category: name,
      questions,
      ...Object.fromEntries(measures.map((measure) => [measure, percent(measure)])),
    };
  });
}
