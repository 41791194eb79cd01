// The lines of the live page: turns, the one that began last on top, each with the tool calls that are reported while it runs.
import { groupBy } from "../../components/grouped.ts";
import type { LiveEvent, LiveRow } from "../../state/feed.ts";
import type { KnownTrace } from "../../state/traces.ts";
import { type TurnEntry, turnEntries, turnEntryHeight } from "../../turns/entries.ts";
import { type Turn, turnKey, turnsOf, withFigures } from "../../turns/turns.ts";

export type LiveEntry =
  | TurnEntry
  | { readonly key: string; readonly kind: "event"; readonly event: LiveEvent };

interface Shown {
  readonly traces: ReadonlyMap<string, KnownTrace>;
  readonly turns: ReadonlySet<string>;
  readonly calls: ReadonlySet<string>;
}

/** Of the calls of a running turn. */
const MOST_EVENTS = 30;
const EVENT_HEIGHT = 26;

export const liveEntryHeight = (entry: LiveEntry) =>
  entry.kind === "event" ? EVENT_HEIGHT : turnEntryHeight(entry);

/** A turn of which only events are known: its prompt is older than what the page has. */
function bareTurn({ session, project, promptNumber, at, toolName, event }: LiveEvent): Turn {
  const key = turnKey(session, promptNumber);
  return { key, session, project, promptNumber, at, prompt: toolName ?? event, found: [], files: [] };
}

function turnFrom(rows: readonly LiveRow[], shown: Shown) {
  const stored = rows.flatMap((row) => (row.kind === "event" ? [] : [{ ...row, tokens: 0 }]));
  const [first] = rows;
  const turn = turnsOf(stored)[0] ?? (first?.kind === "event" ? bareTurn(first) : undefined);
  return turn && withFigures(turn, shown.traces.get(turn.session)?.turns);
}

/** Turns stay where they are while they go on: they are ordered by when they began. */
export function liveEntries(rows: readonly LiveRow[], shown: Shown, withEvents: boolean): LiveEntry[] {
  const groups = groupBy(rows, ({ session, promptNumber }) => turnKey(session, promptNumber));
  const turns = [...groups.values()].flatMap((own) => {
    const turn = turnFrom(own, shown);
    const isOver = own.some(({ kind }) => kind === "summary");
    const events = withEvents && !isOver ? own.filter((row) => row.kind === "event") : [];
    return turn ? [{ turn, events: events.slice(0, MOST_EVENTS) }] : [];
  });
  turns.sort((a, b) => b.turn.at.localeCompare(a.turn.at));
  return turns.flatMap(({ turn, events }): LiveEntry[] => [
    ...turnEntries(turn, { ...shown, trace: shown.traces.get(turn.session) }),
    ...events.map((event): LiveEntry => ({ key: event.key, kind: "event", event })),
  ]);
}
