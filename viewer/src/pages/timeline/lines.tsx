// The lines of the timeline: a day, its sessions, their turns and rows, and a gap for what is not loaded yet.
import type { TimelineRow } from "../../../../src/http/wire.ts";
import { clockTime, compactCount, dayTitle } from "../../components/format.ts";
import { groupBy } from "../../components/grouped.ts";
import { Icon, iconOf } from "../../components/icon.tsx";
import { LineButton, Time } from "../../components/layout.tsx";
import { projectName } from "../../state/api.ts";
import { kindName, t } from "../../state/preferences.ts";
import { getFilter, sessionLink } from "../../state/route.ts";
import { type LoadedDay, type LoadedTimeline, loadedRows } from "./days.ts";

function RowLine({ row, as }: { readonly row: TimelineRow; readonly as: "turn" | "row" }) {
  const { ref, kind, type, title, subtitle, files = [], at } = row;
  const name = kindName(kind, type);
  return (
    <LineButton name="item" id={ref} class={`line ${as}-line ${kind}`}>
      <span class="sign" title={name}>
        <Icon name={iconOf(kind, type)} />
        <span class="hidden">{name}</span>
      </span>
      <span class="clip">
        {title}
        {subtitle && <span class="sub">{subtitle}</span>}
      </span>
      <span class="side">
        {files[0] && <span class="clip mono file">{files[0].split("/").at(-1)}</span>}
        <Time at={at} as={clockTime} />
      </span>
    </LineButton>
  );
}

export function TimelineLine({ entry }: { readonly entry: TimelineEntry }) {
  if (entry.kind === "day") {
    return (
      <div class="day-line">
        <h2>{dayTitle(entry.day)}</h2>
        <span class="tiny faint num">{t.timeline.rows(compactCount(entry.count))}</span>
      </div>
    );
  }
  if (entry.kind === "session") {
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
  if (entry.kind === "gap") return <div class="gap" role="status" aria-label={t.loading} />;
  return <RowLine row={entry.row} as={entry.kind} />;
}

export type TimelineEntry = { readonly key: string } & (
  | { readonly kind: "day"; readonly day: string; readonly count: number }
  | {
      readonly kind: "session";
      readonly session: string;
      readonly title: string;
      readonly project: string;
      /** When it was last active on this day. */
      readonly at: string;
    }
  | { readonly kind: "turn" | "row"; readonly row: TimelineRow }
  | { readonly kind: "gap"; readonly at: number; readonly rows: number }
);

const heights = { day: 48, session: 38, turn: 32, row: 30 } as const;

export function entryHeight(entry: TimelineEntry) {
  return entry.kind === "gap" ? entry.rows * heights.row : heights[entry.kind];
}

/** Each turn begins with its prompt; the rest of its rows follow, newest first. */
export function turnEntries(rows: readonly TimelineRow[]): TimelineEntry[] {
  return [...groupBy(rows, ({ promptNumber }) => promptNumber).values()].flatMap((turn) =>
    turn
      .map((row) => ({ kind: row.kind === "prompt" ? "turn" : "row", key: row.ref, row }) as const)
      .sort((a, b) => Number(b.kind === "turn") - Number(a.kind === "turn")),
  );
}

function dayEntries(loaded: LoadedDay, at: number, titles: LoadedTimeline["titles"]): TimelineEntry[] {
  const { day, count, pages, isWhole } = loaded;
  const lines = pages.flatMap((rows, part) => {
    // A session that continues from the page before is not named again.
    const continued = pages[part - 1]?.at(-1)?.session;
    return [...groupBy(rows, (row) => row.session)].flatMap(([session, own], index): TimelineEntry[] => {
      const [newest] = own;
      if (!newest || (index === 0 && session === continued)) return turnEntries(own);
      const { project, at } = newest;
      const title = titles[session] ?? session;
      const key = `${day} ${part} ${session}`;
      return [{ kind: "session", key, session, title, project, at }, ...turnEntries(own)];
    });
  });
  const rows = Math.max(1, count - loadedRows(loaded));
  const gap: TimelineEntry[] = isWhole ? [] : [{ kind: "gap", key: `gap ${day}`, at, rows }];
  return [{ kind: "day", key: day, day, count }, ...lines, ...gap];
}

export function timelineEntries({ days, titles }: LoadedTimeline) {
  return days.flatMap((loaded, at) => dayEntries(loaded, at, titles));
}
