// The lines of the timeline: a day, its sessions, their turns and rows; gaps where nothing was read yet.

import type { TimelineRow } from "../../../../src/http/wire.ts";
import { clockTime, compactCount, dayTitle } from "../../components/format.ts";
import { groupBy } from "../../components/grouped.ts";
import { Icon, iconOf } from "../../components/icon.tsx";
import { LineButton, Time } from "../../components/layout.tsx";
import { projectName } from "../../state/api.ts";
import { kindName, t } from "../../state/preferences.ts";
import { getFilter, sessionLink } from "../../state/route.ts";
import type { LoadedDay, LoadedTimeline } from "./days.ts";

type EntryOf<K extends TimelineEntry["kind"]> = Extract<TimelineEntry, { kind: K }>;

function DayLine({ entry }: { readonly entry: EntryOf<"day"> }) {
  return (
    <div class="day-line">
      <h2>{dayTitle(entry.day)}</h2>
      <span class="tiny faint num">{t.value.timeline.rows(compactCount(entry.count))}</span>
    </div>
  );
}

function SessionLine({ entry }: { readonly entry: EntryOf<"session"> }) {
  return (
    <a class="line session-line" data-line href={sessionLink(entry.session)}>
      <span class="knot" />
      <span class="clip">{entry.title}</span>
      <span class="side">
        {getFilter("project") === "" && <span class="clip project">{projectName(entry.project)}</span>}
        <Time at={entry.at} as={clockTime} />
      </span>
    </a>
  );
}

function RowLine({ entry }: { readonly entry: EntryOf<"turn" | "row"> }) {
  const { row } = entry;
  const name = kindName(row.kind, row.type);
  return (
    <LineButton name="item" id={row.ref} class={`line ${entry.kind}-line ${row.kind}`}>
      <span class="sign" title={name}>
        <Icon name={iconOf(row.kind, row.type)} />
        <span class="hidden">{name}</span>
      </span>
      <span class="clip">
        {row.title}
        {row.subtitle !== undefined && <span class="sub">{row.subtitle}</span>}
      </span>
      <span class="side">
        {row.files !== undefined && row.files.length > 0 && (
          <span class="clip mono file">{row.files[0]?.split("/").at(-1)}</span>
        )}
        <Time at={row.at} as={clockTime} />
      </span>
    </LineButton>
  );
}

export function TimelineLine({ entry }: { readonly entry: TimelineEntry }) {
  if (entry.kind === "day") return <DayLine entry={entry} />;
  if (entry.kind === "session") return <SessionLine entry={entry} />;
  if (entry.kind === "gap") return <div class="gap" role="status" aria-label={t.value.loading} />;
  return <RowLine entry={entry} />;
}

export type TimelineEntry =
  | { readonly kind: "day"; readonly key: string; readonly day: string; readonly count: number }
  | {
      readonly kind: "session";
      readonly key: string;
      readonly session: string;
      readonly title: string;
      readonly project: string;
      /** When it was last active on this day. */
      readonly at: string;
    }
  | { readonly kind: "turn" | "row"; readonly key: string; readonly row: TimelineRow }
  | { readonly kind: "gap"; readonly key: string; readonly at: number; readonly rows: number };

const heights = { day: 48, session: 38, turn: 32, row: 30 } as const;

export function entryHeight(entry: TimelineEntry): number {
  return entry.kind === "gap" ? entry.rows * heights.row : heights[entry.kind];
}

/** A turn has its prompt first, and below it what came of it, newest first. */
export function turnEntries(rows: readonly TimelineRow[]): TimelineEntry[] {
  return [...groupBy(rows, ({ promptNumber }) => promptNumber).values()].flatMap((turn) => {
    const line = (row: TimelineRow, kind: "turn" | "row"): TimelineEntry => ({ kind, key: row.ref, row });
    const prompts = turn.filter(({ kind }) => kind === "prompt");
    const rest = turn.filter(({ kind }) => kind !== "prompt");
    return [...prompts.map((row) => line(row, "turn")), ...rest.map((row) => line(row, "row"))];
  });
}

function entriesOfPage(
  day: string,
  rows: readonly TimelineRow[],
  part: number,
  titles: LoadedTimeline["titles"],
  continued: string | undefined,
) {
  return [...groupBy(rows, ({ session }) => session)].flatMap(([session, own], index) => {
    const [newest] = own;
    // A page ends where it ends: the next one goes on without naming the session again.
    if (newest === undefined || (index === 0 && session === continued)) return turnEntries(own);
    const { project, at } = newest;
    const title = titles[session] ?? session;
    return [
      { kind: "session", key: `${day} ${part} ${session}`, session, title, project, at } as const,
      ...turnEntries(own),
    ];
  });
}

function entriesOfDay(loaded: LoadedDay, at: number, titles: LoadedTimeline["titles"]): TimelineEntry[] {
  const { day, count, pages, isWhole } = loaded;
  const lines = pages.flatMap((rows, part) =>
    entriesOfPage(day, rows, part, titles, pages[part - 1]?.at(-1)?.session),
  );
  const left = count - pages.reduce((sum, page) => sum + page.length, 0);
  const gap: TimelineEntry[] = isWhole
    ? []
    : [{ kind: "gap", key: `gap ${day}`, at, rows: Math.max(1, left) }];
  return [{ kind: "day", key: day, day, count }, ...lines, ...gap];
}

export function timelineEntries({ days, titles }: LoadedTimeline): TimelineEntry[] {
  return days.flatMap((loaded, at) => entriesOfDay(loaded, at, titles));
}
