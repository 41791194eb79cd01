// Turns: the stored rows of one turn are one thing (its prompt, its outcome, what was found in it), with the figures of its trace.
import type { TimelineRow, TurnFigures } from "../../../src/http/wire.ts";
import { groupBy } from "../components/grouped.ts";

export interface Turn {
  /** What a permalink names. */
  readonly key: string;
  readonly session: string;
  readonly project: string;
  readonly promptNumber: number;
  /** When it began, as far as is known. */
  readonly at: string;
  /** What was asked; empty where only what came of it is known. */
  readonly prompt: string;
  readonly promptRef?: string;
  /** One sentence: what its summary says, or its first finding. */
  readonly outcome?: string;
  readonly outcomeRef?: string;
  readonly found: readonly TimelineRow[];
  readonly type?: NonNullable<TimelineRow["type"]>;
  readonly files: readonly string[];
  readonly figures?: TurnFigures;
}

/** A turn in which something was decided is shown as a decision, whatever else was done in it. */
const typesByWeight = ["decision", "bugfix", "feature", "refactor", "change", "discovery"] as const;

export const turnKey = (session: string, promptNumber: number) => `${session}:${promptNumber}`;

/** A summary of a turn in which nothing was completed says what was asked once more. */
const isRepeated = (outcome: string, prompt = "") =>
  prompt !== "" && outcome.slice(0, COMPARED_CHARACTERS) === prompt.slice(0, COMPARED_CHARACTERS);

const COMPARED_CHARACTERS = 40;

function turnOf(rows: readonly TimelineRow[]): Turn | undefined {
  const [newest] = rows;
  if (!newest) return undefined;
  const { session, project, promptNumber } = newest;
  const prompt = rows.find(({ kind }) => kind === "prompt");
  const summary = rows.find(({ kind }) => kind === "summary");
  const found = rows
    .filter(({ kind }) => kind === "observation")
    .toSorted((a, b) => (a.at < b.at ? -1 : a.at > b.at ? 1 : 0));
  const type = typesByWeight.find((one) => found.some((row) => row.type === one));
  const outcome = [summary, found.find((row) => row.type === type)].find(
    (row) => row !== undefined && !isRepeated(row.title, prompt?.title),
  );
  const [oldest = newest.at] = rows.map(({ at }) => at).toSorted();
  return {
    key: turnKey(session, promptNumber),
    ...{ session, project, promptNumber, found },
    at: prompt?.at ?? oldest,
    prompt: prompt?.title ?? "",
    files: [...new Set(found.flatMap(({ files = [] }) => files))],
    ...(prompt && { promptRef: prompt.ref }),
    ...(outcome && { outcome: outcome.title, outcomeRef: outcome.ref }),
    ...(type && { type }),
  };
}

/** In the order in which each turn first occurs. */
export function turnsOf(rows: readonly TimelineRow[]): Turn[] {
  const groups = groupBy(rows, ({ session, promptNumber }) => turnKey(session, promptNumber));
  return [...groups.values()].flatMap((own) => turnOf(own) ?? []);
}

export function withFigures(turn: Turn, figures: readonly TurnFigures[] | undefined): Turn {
  const own = figures?.find(({ promptNumber }) => promptNumber === turn.promptNumber);
  return own ? { ...turn, figures: own } : turn;
}

/** All turns of one session, oldest first: those of its transcript with what is stored of each, and stored ones that it lacks. */
export function sessionTurns(
  session: { readonly id: string; readonly project: string },
  stored: readonly Turn[],
  figures: readonly TurnFigures[],
): Turn[] {
  const byNumber = new Map(stored.map((turn) => [turn.promptNumber, turn]));
  const recorded = figures.map((own): Turn => {
    const known = own.promptNumber === undefined ? undefined : byNumber.get(own.promptNumber);
    if (own.promptNumber !== undefined) byNumber.delete(own.promptNumber);
    const base = known ?? {
      ...{ key: `${session.id}:t${own.turn}`, session: session.id, project: session.project },
      ...{ promptNumber: -own.turn, at: own.at, found: [], files: [] },
    };
    return { ...base, prompt: own.prompt || (known?.prompt ?? ""), figures: own };
  });
  return [...recorded, ...byNumber.values()].sort((a, b) => (a.at < b.at ? -1 : a.at > b.at ? 1 : 0));
}
