// The lines of the timeline: a day, its sessions, their turns, and a gap for what is not loaded yet.
import { clockTime, dayTitle, dollars } from "../../components/format.ts";
import { groupBy } from "../../components/grouped.ts";
import { Icon } from "../../components/icon.tsx";
import { projectName } from "../../state/api.ts";
import { t } from "../../state/preferences.ts";
import { sessionLink } from "../../state/route.ts";
import type { KnownTrace } from "../../state/traces.ts";
import { type TurnEntry, turnEntries, turnEntryHeight } from "../../turns/entries.ts";
import { TurnEntryLine } from "../../turns/turnLine.tsx";
import { type Turn, turnsOf, withFigures } from "../../turns/turns.ts";
import { type LoadedDay, type LoadedTimeline, loadedRows } from "./days.ts";

type SessionEntry = Extract<TimelineEntry, { kind: "session" }>;

function SessionLine({ session, project, title, turns, from, to, dollars: cost }: SessionEntry) {
  return (
    <a class="line session-line" data-line href={sessionLink(session)}>
      <span class="knot" />
      <span class="clip">
        {projectName(project)}
        {title && <span class="sub">{title}</span>}
      </span>
      <span class="side">
        <span>{t.timeline.turns(turns)}</span>
        {cost !== undefined && <span>{dollars(cost)}</span>}
        <span>{from === to ? clockTime(from) : `${clockTime(from)}–${clockTime(to)}`}</span>
        <Icon name="next" />
      </span>
    </a>
  );
}

export function TimelineLine({ entry }: { readonly entry: TimelineEntry }) {
  if (entry.kind === "day") {
    return (
      <div class="day-line">
        <h2>{dayTitle(entry.day)}</h2>
      </div>
    );
  }
  if (entry.kind === "session") return <SessionLine {...entry} />;
  if (entry.kind === "gap") return <div class="gap" role="status" aria-label={t.loading} />;
  return <TurnEntryLine entry={entry} />;
}

export type TimelineEntry =
  | TurnEntry
  | ({ readonly key: string } & (
      | { readonly kind: "day"; readonly day: string }
      | {
          readonly kind: "session";
          readonly session: string;
          readonly project: string;
          /** Where its first prompt is not among the turns of this day. */
          readonly title: string;
          readonly turns: number;
          readonly from: string;
          readonly to: string;
          /** Of the turns of this day; absent until all are known. */
          readonly dollars?: number;
        }
      | { readonly kind: "gap"; readonly at: number; readonly rows: number }
    ));

const heights = { day: 48, session: 36 } as const;
/** A turn of one prompt, one summary and two observations, on average. */
const GAP_ROW_HEIGHT = 16;

export function entryHeight(entry: TimelineEntry) {
  if (entry.kind === "gap") return entry.rows * GAP_ROW_HEIGHT;
  return entry.kind === "day" || entry.kind === "session" ? heights[entry.kind] : turnEntryHeight(entry);
}

export interface Shown {
  readonly traces: ReadonlyMap<string, KnownTrace>;
  readonly turns: ReadonlySet<string>;
  readonly calls: ReadonlySet<string>;
}

function sessionEntry(
  day: string,
  own: readonly [Turn, ...Turn[]],
  titles: LoadedTimeline["titles"],
): SessionEntry {
  const [newest] = own;
  const { session, project } = newest;
  const title = titles[session] ?? "";
  const costs = own.flatMap(({ figures }) => figures?.dollars ?? []);
  const times = own.map(({ at }) => at).toSorted();
  return {
    ...{ kind: "session", key: `${day} ${session}`, session, project, turns: own.length },
    title: own.some(({ prompt }) => prompt === title) ? "" : title,
    from: times[0] ?? newest.at,
    to: times.at(-1) ?? newest.at,
    ...(costs.length === own.length && { dollars: costs.reduce((sum, cost) => sum + cost, 0) }),
  };
}

function dayEntries(
  loaded: LoadedDay,
  at: number,
  titles: LoadedTimeline["titles"],
  shown: Shown,
): TimelineEntry[] {
  const { day, count, pages, isWhole } = loaded;
  const turns = turnsOf(pages.flat()).map((turn) => withFigures(turn, shown.traces.get(turn.session)?.turns));
  const lines = [...groupBy(turns, ({ session }) => session).values()].flatMap((own): TimelineEntry[] => {
    const [first, ...rest] = own;
    if (!first) return [];
    const trace = shown.traces.get(first.session);
    return [
      sessionEntry(day, [first, ...rest], titles),
      ...own.flatMap((turn) => turnEntries(turn, { ...shown, trace })),
    ];
  });
  const rows = Math.max(1, count - loadedRows(loaded));
  const gap: TimelineEntry[] = isWhole ? [] : [{ kind: "gap", key: `gap ${day}`, at, rows }];
  return [{ kind: "day", key: day, day }, ...lines, ...gap];
}

export function timelineEntries({ days, titles }: LoadedTimeline, shown: Shown) {
  return days.flatMap((loaded, at) => dayEntries(loaded, at, titles, shown));
}
