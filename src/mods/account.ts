// What the mod has saved, by session and in all: for the line in the terminal and for `status`.
import { type Clock, systemClock } from "../lib/index.ts";

interface Change {
  readonly before: number;
  readonly after: number;
}

export interface ModsAccount {
  readonly events: number;
  readonly results: number;
  readonly compactions: number;
  /** Tokens that were kept out of windows, as estimated. */
  readonly saved: number;
  readonly lastAt: string | null;
}

export interface Savings {
  event(): void;
  result(session: string, tokens: Change | undefined): void;
  compaction(session: string, tokens: Change): void;
  /** One line for the terminal; empty while nothing was saved. */
  line(session: string): string;
  account(): ModsAccount;
}

interface Tally {
  results: number;
  compactions: number;
  saved: number;
}

const REMEMBERED = 200;
const THOUSAND = 1_000;

const many = (count: number, one: string) => `${count} ${one}${count === 1 ? "" : "s"}`;

const inThousands = (tokens: number) =>
  tokens < THOUSAND ? String(Math.round(tokens)) : `${Math.round(tokens / THOUSAND)}k`;

export function makeSavings(clock: Clock = systemClock): Savings {
  const all: Tally = { results: 0, compactions: 0, saved: 0 };
  const bySession = new Map<string, Tally>();
  let events = 0;
  let lastAt: number | undefined;
  const of = (session: string) => {
    const known = bySession.get(session) ?? { results: 0, compactions: 0, saved: 0 };
    if (!bySession.has(session) && bySession.size >= REMEMBERED) bySession.clear();
    bySession.set(session, known);
    return known;
  };
  const add = (session: string, what: "results" | "compactions", { before, after }: Change) => {
    lastAt = clock.now();
    for (const tally of [all, of(session)]) {
      tally[what] += 1;
      tally.saved += Math.max(0, before - after);
    }
  };
  return {
    event: () => {
      events += 1;
      lastAt = clock.now();
    },
    result: (session, tokens = { before: 0, after: 0 }) => add(session, "results", tokens),
    compaction: (session, tokens) => add(session, "compactions", tokens),
    line(session) {
      const { results, compactions, saved } = bySession.get(session) ?? all;
      if (!bySession.has(session) || saved === 0) return "";
      const parts = [
        ...(results === 0 ? [] : [many(results, "result")]),
        ...(compactions === 0 ? [] : [many(compactions, "compaction")]),
      ];
      // Claude Code puts the name of the mod before it.
      return `saved ${inThousands(saved)} tokens (${parts.join(", ")})`;
    },
    account: () => ({
      events,
      results: all.results,
      compactions: all.compactions,
      saved: all.saved,
      lastAt: lastAt === undefined ? null : new Date(lastAt).toISOString(),
    }),
  };
}
