// The timeline: days, their sessions, their turns and what happened in each, however many there are.
import { useCallback, useEffect, useMemo, useRef, useState } from "preact/hooks";
import { Filters, filterQuery } from "../../components/filters.tsx";
import { ItemPanel } from "../../components/itemPanel.tsx";
import { Button, Empty, PageFrame } from "../../components/layout.tsx";
import { LoadedList } from "../../components/resource.tsx";
import { type ScrollToRow, VirtualList } from "../../components/virtualList.tsx";
import { lastRow } from "../../state/feed.ts";
import { t } from "../../state/preferences.ts";
import { getFilter, setFilters } from "../../state/route.ts";
import { loadSeen, useOpenSteps, useShown } from "../../turns/useShown.ts";
import { DayCalendar } from "./calendar.tsx";
import { type LoadedTimeline, useTimeline } from "./days.ts";
import { entryHeight, type TimelineEntry, TimelineLine, timelineEntries } from "./lines.tsx";

const SCROLL_REST_MS = 60;
const filterNames = ["type", "file", "concept", "from", "to"] as const;

function EmptyTimeline() {
  const { timeline } = t;
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
  readonly days: LoadedTimeline["days"];
  readonly entries: readonly TimelineEntry[];
  readonly loadDay: (day: number) => void;
}

/** The list, and the calendar that scrolls it. */
function Days({ days, entries, loadDay }: DaysProps) {
  const scrollToRow = useRef<ScrollToRow>(null);
  const [top, setTop] = useState("");
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const onSeen = useCallback(
    (first: number, end: number, topRow: number) => {
      const above = entries.slice(0, topRow + 1).findLast((entry) => entry.kind === "day");
      setTop(above?.day ?? "");
      clearTimeout(timer.current);
      const seen = entries.slice(first, end);
      // Loads only where the scrolling rests, not what it passes.
      timer.current = setTimeout(() => {
        for (const entry of seen) if (entry.kind === "gap") loadDay(entry.at);
        loadSeen(seen);
      }, SCROLL_REST_MS);
    },
    [entries],
  );
  const jump = (day: string) => {
    const target = entries.findIndex((entry) => entry.kind === "day" && entry.day <= day);
    setFilters({ day }, "replace");
    scrollToRow.current?.(target === -1 ? entries.length - 1 : target);
  };
  // An address with a day opens there, as soon as the days that far back are known.
  const opened = useRef("");
  useEffect(() => {
    const day = getFilter("day");
    if (day === "" || opened.current === day || !days.some((loaded) => loaded.day <= day)) return;
    opened.current = day;
    jump(day);
  }, [days.length]);
  return (
    <div class="with-rail">
      <VirtualList
        rows={entries}
        label={t.nav.timeline}
        heightOf={entryHeight}
        render={(entry) => <TimelineLine entry={entry} />}
        onSeen={onSeen}
        scrollToRow={scrollToRow}
      />
      <DayCalendar days={days} current={top} onChoose={jump} />
    </div>
  );
}

/** Offers rows that arrived after the page was loaded; they would move the list under the reader's eyes. */
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
      {t.timeline.fresh}
    </Button>
  );
}

export default function Timeline() {
  const { timeline, loading, loadDay } = useTimeline(filterQuery());
  const shown = useShown();
  const entries = useMemo(() => timelineEntries(timeline, shown), [timeline, shown]);
  useOpenSteps(entries);
  return (
    <PageFrame
      title={t.nav.timeline}
      class="page filled"
      head={<NewRowsButton reload={loading.reload} />}
      panel={<ItemPanel />}
    >
      <Filters names={filterNames} />
      <LoadedList from={loading} empty={<EmptyTimeline />}>
        {entries.length > 0 && <Days days={timeline.days} entries={entries} loadDay={loadDay} />}
      </LoadedList>
    </PageFrame>
  );
}
