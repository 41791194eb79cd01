// The live page: what happens now, as it happens; the reader can pause it.
import { useEffect, useMemo } from "preact/hooks";
import type { TimelinePage } from "../../../../src/http/wire.ts";
import { shortTime } from "../../components/format.ts";
import { Icon, iconOf } from "../../components/icon.tsx";
import { ItemPanel } from "../../components/itemPanel.tsx";
import { Button, Empty, LineButton, PageFrame, Time } from "../../components/layout.tsx";
import { useResource } from "../../components/resource.tsx";
import { VirtualList } from "../../components/virtualList.tsx";
import { projectName } from "../../state/api.ts";
import { feed, type LiveRow, pauseFeed, resumeFeed, withPast } from "../../state/feed.ts";
import { kindName, t, textFor } from "../../state/preferences.ts";
import { getFilter, sessionLink, setFilters } from "../../state/route.ts";

const PAST_ROWS = 60;

function LiveLine({ row }: { readonly row: LiveRow }) {
  const side = (kind?: string) => (
    <span class="side">
      {kind && <span class="kind">{kind}</span>}
      <span class="clip project">{projectName(row.project)}</span>
      <Time at={row.at} as={shortTime} />
    </span>
  );
  if (row.kind === "event") {
    const name = textFor(t.live.events, row.event);
    return (
      <a class="line live-line event" data-line href={sessionLink(row.session)}>
        <Icon name="event" />
        <span class="clip">
          {row.toolName ?? name}
          {row.toolName && <span class="sub">{name}</span>}
        </span>
        {side()}
      </a>
    );
  }
  return (
    <LineButton name="item" id={row.ref} class={`line live-line ${row.kind}`}>
      <Icon name={iconOf(row.kind, row.type)} />
      <span class="clip">{row.title}</span>
      {side(kindName(row.kind, row.type))}
    </LineButton>
  );
}

const rowHeight = ({ kind }: LiveRow): number => (kind === "event" ? 26 : 34);

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
          rows={shown}
          label={nav.live}
          heightOf={rowHeight}
          render={(row) => <LiveLine row={row} />}
          sticksToTop
        />
      )}
    </PageFrame>
  );
}
