// The live page: what happens now, as it happens; the reader can pause it.
import { useEffect, useMemo } from "preact/hooks";
import type { TimelinePage } from "../../../../src/http/wire.ts";
import { shortTime } from "../../components/format.ts";
import { Icon } from "../../components/icon.tsx";
import { ItemPanel } from "../../components/itemPanel.tsx";
import { Button, Empty, PageFrame, Time } from "../../components/layout.tsx";
import { useResource } from "../../components/resource.tsx";
import { VirtualList } from "../../components/virtualList.tsx";
import { feed, pauseFeed, resumeFeed, withPast } from "../../state/feed.ts";
import { t, textFor } from "../../state/preferences.ts";
import { getFilter, sessionLink, setFilters } from "../../state/route.ts";
import { TurnEntryLine } from "../../turns/turnLine.tsx";
import { loadSeen, useOpenSteps, useShown } from "../../turns/useShown.ts";
import { type LiveEntry, liveEntries, liveEntryHeight } from "./lines.ts";

const PAST_ROWS = 120;

function LiveLine({ entry }: { readonly entry: LiveEntry }) {
  if (entry.kind !== "event") return <TurnEntryLine entry={entry} withProject />;
  const { event, toolName, session, at } = entry.event;
  const name = textFor(t.live.events, event);
  return (
    <a class="line live-event" data-line href={sessionLink(session)}>
      <Icon name="event" />
      <span class="clip">
        {toolName ?? name}
        {toolName && <span class="sub">{name}</span>}
      </span>
      <span class="side">
        <Time at={at} as={shortTime} />
      </span>
    </a>
  );
}

const showsEvents = () => getFilter("raw") !== "no";

function Controls() {
  const { live } = t;
  const { paused, held } = feed.value;
  return (
    <div class="actions">
      <label class="small muted check">
        <input
          type="checkbox"
          checked={showsEvents()}
          onChange={() => setFilters({ raw: showsEvents() ? "no" : "" }, "replace")}
        />
        {live.raw}
      </label>
      <Button
        class={paused ? "button main-action" : "button"}
        onClick={() => {
          feed.value = paused ? resumeFeed(feed.value) : pauseFeed(feed.value);
        }}
      >
        <Icon name={paused ? "play" : "pause"} />
        {paused ? live.resume : live.pause}
        {paused && held.length > 0 && <span class="num">· {live.held(held.length)}</span>}
      </Button>
    </div>
  );
}

export default function Live() {
  const { live, kinds, nav } = t;
  // Earlier rows fill the page below the stream, so that it is not blank while the agent thinks.
  const { data: past } = useResource<TimelinePage>("/api/timeline", { limit: PAST_ROWS });
  useEffect(() => {
    const rows = past?.items.map((row) => ({ ...row, key: row.ref, cursor: 0 }));
    if (rows) feed.value = withPast(feed.value, rows);
  }, [past]);
  const project = getFilter("project");
  const withEvents = showsEvents();
  const { rows } = feed.value;
  const shown = useMemo(
    () =>
      rows.filter(
        (row) => (project === "" || row.project === project) && (withEvents || row.kind !== "event"),
      ),
    [rows, project, withEvents],
  );
  const opened = useShown();
  const entries = useMemo(() => liveEntries(shown, opened, withEvents), [shown, opened, withEvents]);
  useOpenSteps(entries);
  const news = shown.find(({ kind, cursor }) => kind !== "event" && cursor > 0);
  return (
    <PageFrame title={nav.live} class="page filled" head={<Controls />} panel={<ItemPanel />}>
      {/* Announces one row at a time; a screen reader would read the list itself over and over. */}
      <p class="hidden" aria-live="polite">
        {news && news.kind !== "event" && live.news(kinds[news.kind], news.title)}
      </p>
      {shown.length === 0 ? (
        <Empty title={live.empty} command="throughline doctor">
          {live.emptyHelp}
        </Empty>
      ) : (
        <VirtualList
          rows={entries}
          label={nav.live}
          heightOf={liveEntryHeight}
          render={(entry) => <LiveLine entry={entry} />}
          onSeen={(first, end) => loadSeen(entries.slice(first, end))}
          sticksToTop
        />
      )}
    </PageFrame>
  );
}
