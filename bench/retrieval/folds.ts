// Whether the numbers of the ranking are fitted to the questions: others instead of each, on all questions and chosen without a session.
import { type Tuning, tuning } from "../../src/search/index.ts";
import type { Finding } from "../bench.ts";
import { rounded } from "../measure.ts";
import { remembering } from "./ablation.ts";
import { meanOf, type Scores } from "./measures.ts";
import type { QuerySet } from "./sets.ts";

const FACTORS = [0.5, 0.75, 1.33, 2];

/** The product's numbers, and each of them changed alone. Those of chats change nothing elsewhere. */
function variants(): ReadonlyMap<string, Tuning> {
  const all = new Map<string, Tuning>([["the product's", tuning]]);
  const { weights, classFactors, askedFor } = tuning;
  for (const factor of FACTORS) {
    for (const [name, weight] of Object.entries(weights))
      if (name !== "meaning")
        all.set(`${name} × ${factor}`, { ...tuning, weights: { ...weights, [name]: weight * factor } });
    for (const [name, value] of Object.entries(classFactors))
      all.set(`${name} × ${factor}`, {
        ...tuning,
        classFactors: { ...classFactors, [name]: value * factor },
      });
    all.set(`askedFor × ${factor}`, { ...tuning, askedFor: askedFor * factor });
  }
  return all;
}

const shown = ["any@5", "R@10", "MRR"] as const;

/** What a variant is chosen by: all three measures together. */
const worth = (scores: readonly Scores[]): number => {
  const mean = meanOf(scores);
  return mean["any@5"] + mean["R@10"] + mean.MRR;
};

export async function folds(
  set: QuerySet,
  scoresOf: (set: QuerySet, tuned: Tuning) => Promise<Scores[]>,
): Promise<Finding> {
  const names = [...variants()];
  const judged = new Map<string, Scores[]>(names.map(([name]) => [name, []]));
  const sessions: string[] = [];
  for (const query of set.queries) {
    const asked = { ...set, queries: [query], store: remembering(set.store) };
    for (const [name, tuned] of names) judged.get(name)?.push(...(await scoresOf(asked, tuned)));
    const [gold = ""] = query.gold;
    sessions.push((set.named.get(`${query.unit}/${gold}`) ?? set.named.get(`*/${gold}`))?.session ?? gold);
  }
  const part = (scores: readonly Scores[], isIn: (session: string) => boolean): Scores[] =>
    scores.filter((_, at) => isIn(sessions[at] ?? ""));
  const best = (isIn: (session: string) => boolean): Scores[] => {
    const [first = []] = [...judged.values()].sort((a, b) => worth(part(b, isIn)) - worth(part(a, isIn)));
    return first;
  };
  const leftOut = [...new Set(sessions)].flatMap((session) =>
    part(
      best((other) => other !== session),
      (other) => other === session,
    ),
  );
  const own = judged.get("the product's") ?? [];
  const others = [...judged.values()].filter((scores) => scores !== own);
  const changes = (measure: (typeof shown)[number]): number[] =>
    others.map((scores) => meanOf(scores)[measure] - meanOf(own)[measure]);
  const row = (what: string, of: (measure: (typeof shown)[number]) => number) => ({
    numbers: what,
    ...Object.fromEntries(shown.map((measure) => [measure, rounded(of(measure), 1)])),
  });
  return {
    title: `${set.name}: other numbers instead of each`,
    rows: [
      row("the product's", (measure) => meanOf(own)[measure]),
      row("the best for all questions", (measure) => meanOf(best(() => true))[measure]),
      row("the best for the other sessions, on the one left out", (measure) => meanOf(leftOut)[measure]),
      row("largest gain of one change", (measure) => Math.max(...changes(measure))),
      row("largest loss of one change", (measure) => Math.min(...changes(measure))),
      row("changes that gain, of 100", (measure) => {
        const gains = changes(measure).filter((change) => change > 0);
        return (100 * gains.length) / others.length;
      }),
    ],
    notes: [`${others.length} changes: each number × ${FACTORS.join(", ")}.`],
  };
}
