// What the mod has saved, by session and in all: for the line in the terminal and for `status`.
import { BoundedMap, type Clock, isoTime } from "../lib/index.ts";

interface TokenChange {
  readonly before: number;
  readonly after: number;
}

export type ModsSavings = ReturnType<typeof makeSavings>;

const REMEMBERED_SESSIONS = 200;
const THOUSAND = 1_000;

const many = (count: number, one: string) => (count === 0 ? "" : `${count} ${one}${count === 1 ? "" : "s"}`);

const inThousands = (tokens: number) =>
  tokens < THOUSAND ? String(Math.round(tokens)) : `${Math.round(tokens / THOUSAND)}k`;

const nothingSaved = () => ({ results: 0, compactions: 0, saved: 0 });

export function makeSavings(clock: Clock) {
  const all = nothingSaved();
  const bySession = new BoundedMap<string, ReturnType<typeof nothingSaved>>(REMEMBERED_SESSIONS);
  let events = 0;
  let lastAt: number | undefined;
  const add = (session: string, what: "results" | "compactions", { before, after }: TokenChange) => {
    lastAt = clock.now();
    for (const tally of [all, bySession.remember(session, nothingSaved)]) {
      tally[what] += 1;
      tally.saved += Math.max(0, before - after);
    }
  };
  return {
    event: () => {
      events += 1;
      lastAt = clock.now();
    },
    result: (session: string, tokens: TokenChange = { before: 0, after: 0 }) =>
      add(session, "results", tokens),
    compaction: (session: string, tokens: TokenChange) => add(session, "compactions", tokens),
    /** One line for the terminal; empty while nothing was saved. */
    line(session: string) {
      const { results, compactions, saved } = bySession.get(session) ?? nothingSaved();
      if (saved === 0) return "";
      const parts = [many(results, "result"), many(compactions, "compaction")].filter((part) => part !== "");
      // Claude Code puts the name of the mod before it.
      return `saved ${inThousands(saved)} tokens (${parts.join(", ")})`;
    },
    /** `saved`: tokens that were kept out of windows, as estimated. */
    account: () => ({ events, ...all, lastAt: lastAt === undefined ? null : isoTime(lastAt) }),
  };
}
