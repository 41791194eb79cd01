// Asks every question of a set through the product's own search, and judges what it finds.
import { type SearchParts, search } from "../../src/search/index.ts";
import { timed } from "../measure.ts";
import { type Scores, scores } from "./measures.ts";
import type { Query, QuerySet } from "./sets.ts";

/** Enough rows that ten exchanges or sessions are among them. */
const ASKED = 60;

export const granularities = ["row", "exchange", "session"] as const;

export type Granularity = (typeof granularities)[number];

export interface Answered {
  readonly query: Query;
  /** Of what the set has gold for. */
  readonly scores: Readonly<Partial<Record<Granularity, Scores>>>;
}

export const unique = (values: readonly string[]): string[] => [...new Set(values)];

function judge({ known, named }: QuerySet, query: Query, refs: readonly string[]): Answered {
  const found = refs.flatMap((ref) => known.get(ref) ?? []);
  const { gold, goldSessions, unit } = query;
  const rows = gold.flatMap((id) => named.get(`${unit}/${id}`) ?? named.get(`*/${id}`) ?? []);
  const sessions = goldSessions.length > 0 ? goldSessions : rows.map(({ session }) => session);
  const judged = {
    ...(gold.length > 0 && {
      row: scores({ found: unique(found.map(({ id }) => id)), gold }),
      exchange: scores({
        found: unique(found.map(({ exchange }) => exchange)),
        gold: rows.map(({ exchange }) => exchange),
      }),
    }),
    session: scores({ found: unique(found.map(({ session }) => session)), gold: sessions }),
  };
  return { query, scores: judged };
}

export async function ask(
  set: QuerySet,
  parts: Pick<SearchParts, "embedder" | "tuning">,
): Promise<{ answered: Answered[]; ms: number; notes: number }> {
  const answered: Answered[] = [];
  let [ms, notes] = [0, 0];
  for (const query of set.queries) {
    const asked = { query: query.text, projects: [query.unit, "*"], limit: ASKED, layer: "index" } as const;
    let refs: string[] = [];
    ms += await timed(async () => {
      const answer = await search({ store: set.store, ...parts }, asked);
      notes += answer.notes.length;
      refs = answer.hits.map(({ ref }) => ref);
    });
    answered.push(judge(set, query, refs));
  }
  return { answered, ms: ms / Math.max(1, set.queries.length), notes };
}
