// The timeline: days, their sessions, their turns and what happened in each, however many there are.
import { useCallback, useEffect, useMemo, useRef, useState } from "preact/hooks";
import { Filters, filterQuery } from "../../components/filters.tsx";
import { ItemPanel } from "../../components/itemPanel.tsx";
import { Button, Empty } from "../../components/layout.tsx";
import { ProblemNote, Skeleton } from "../../components/resource.tsx";
import { type ListHandle, VirtualList } from "../../components/virtualList.tsx";
import { lastRow } from "../../state/feed.ts";
import { t } from "../../state/preferences.ts";
import { getFilter, setFilters } from "../../state/route.ts";
import { Calendar } from "./calendar.tsx";
import type { LoadedTimeline } from "./days.ts";
import { useTimeline } from "./days.ts";
import { entryHeight, type TimelineEntry, TimelineLine, timelineEntries } from "./lines.tsx";

const SCROLL_REST_MS = 60;
const filterNames = ["type", "file", "concept", "from", "to"] as const;

/** The day of a line: the last day line at or above it. */
function dayAt(entries: readonly TimelineEntry[], index: number) {
  for (let at = Math.min(index, entries.length - 1); at >= 0; at--) {
    const entry = entries[at];
    if (entry?.kind === "day") return entry.day;
  }
  return "";
}

const keyOf = ({ key }: TimelineEntry) => key;

function EmptyTimeline() {
  const { timeline } = t.value;
  const isFiltered = [...filterNames, "project"].some((name) => getFilter(name) !== "");
  return isFiltered ? (
    <Empty title={timeline.noMatch}>{timeline.noMatchHelp}</Empty>
  ) : (
    <Empty title={timeline.empty} command="throughline install">
      {timeline.emptyHelp}
    </Empty>
  );
}

interface DaysProps {
  readonly timeline: LoadedTimeline;
  readonly entries: readonly TimelineEntry[];
  readonly want: (day: number) => void;
}

/** The list and the calendar that leads through it. */
function Days({ timeline, entries, want }: DaysProps) {
  const list = useRef<ListHandle>(null);
  const [top, setTop] = useState("");
  const resting = useRef<ReturnType<typeof setTimeout>>(undefined);
  const onSeen = useCallback(
    (first: number, end: number, topRow: number) => {
      setTop(dayAt(entries, topRow));
      clearTimeout(resting.current);
      const gaps = entries.slice(first, end).filter((entry) => entry.kind === "gap");
      // What only flies past is not asked for.
      resting.current = setTimeout(() => {
        for (const { at } of gaps) want(at);
      }, SCROLL_REST_MS);
    },
    [entries],
  );
  const jump = (day: string) => {
    const target = entries.findIndex((entry) => entry.kind === "day" && entry.day <= day);
    setFilters({ day }, "replace");
    list.current?.showTop(target === -1 ? entries.length - 1 : target);
  };
  // An address with a day in it opens there, once there are days that go back so far.
  const opened = useRef("");
  useEffect(() => {
    const day = getFilter("day");
    if (day === "" || opened.current === day || !timeline.days.some((loaded) => loaded.day <= day)) return;
    opened.current = day;
    jump(day);
  }, [timeline.days.length]);
  return (
    <div class="with-rail">
      <VirtualList
        rows={entries}
        label={t.value.nav.timeline}
        keyOf={keyOf}
        heightOf={entryHeight}
        render={(entry) => <TimelineLine entry={entry} />}
        onSeen={onSeen}
        handle={list}
      />
      <Calendar days={timeline.days} current={top} onChoose={jump} />
    </div>
  );
}

/** Rows that came in since the page was read are offered, not pushed in under the reader's eyes. */
function NewRowsButton({ reload }: { readonly reload: () => void }) {
  const seen = useRef(lastRow.value);
  const project = getFilter("project");
  const isOfProject = project === "" || lastRow.value?.project === project;
  if (lastRow.value === seen.current || !isOfProject) return null;
  const show = () => {
    seen.current = lastRow.value;
    reload();
  };
  return (
    <Button class="link small" onClick={show}>
      {t.value.timeline.fresh}
    </Button>
  );
}

export default function Timeline() {
  const { timeline, isLoading, error, want, reload } = useTimeline(filterQuery());
  const entries = useMemo(() => timelineEntries(timeline), [timeline]);
  return (
    <div class="beside">
      <div class="page filled">
        <div class="page-head">
          <h1>{t.value.nav.timeline}</h1>
          <NewRowsButton reload={reload} />
        </div>
        <Filters names={filterNames} />
        <ProblemNote error={error} retry={reload} />
        {entries.length > 0 ? (
          <Days timeline={timeline} entries={entries} want={want} />
        ) : isLoading ? (
          <Skeleton lines={14} />
        ) : (
          error === undefined && <EmptyTimeline />
        )}
      </div>
      <ItemPanel />
    </div>
  );
}
