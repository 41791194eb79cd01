// What happens now, as it happens; it can be held still to be read.

import { useEffect, useMemo } from "preact/hooks";
import type { TimelinePage } from "../../../../src/http/wire.ts";
import { shortTime } from "../../components/format.ts";
import { Icon, iconOf } from "../../components/icon.tsx";
import { ItemPanel } from "../../components/itemPanel.tsx";
import { Button, Empty, LineButton, Time } from "../../components/layout.tsx";
import { useResource } from "../../components/resource.tsx";
import { VirtualList } from "../../components/virtualList.tsx";
import { projectName } from "../../state/api.ts";
import { feed, type LiveRow, pauseFeed, projectOf, resumeFeed, withPast } from "../../state/feed.ts";
import { kindName, t, textFor } from "../../state/preferences.ts";
import { getFilter, sessionLink, setFilters } from "../../state/route.ts";

const PAST = 60;

function LiveLine({ row }: { readonly row: LiveRow }) {
  if (row.kind === "event") {
    const { at, project, session, toolName, kind } = row.row;
    const name = textFor(t.value.live.events, kind);
    return (
      <a class="line live-line event" data-line href={sessionLink(session)}>
        <Icon name="event" />
        <span class="clip">
          {toolName ?? name}
          {toolName !== undefined && <span class="sub">{name}</span>}
        </span>
        <span class="side">
          <span class="clip project">{projectName(project)}</span>
          <Time at={at} as={shortTime} />
        </span>
      </a>
    );
  }
  return (
    <LineButton name="item" id={row.ref} class={`line live-line ${row.kind}`}>
      <Icon name={iconOf(row.kind, row.type)} />
      <span class="clip">{row.title}</span>
      <span class="side">
        <span class="kind">{kindName(row.kind, row.type)}</span>
        <span class="clip project">{projectName(row.project)}</span>
        <Time at={row.at} as={shortTime} />
      </span>
    </LineButton>
  );
}

const keyOf = ({ key }: LiveRow) => key;
const heightOf = ({ kind }: LiveRow): number => (kind === "event" ? 26 : 34);

function Controls() {
  const { live } = t.value;
  const { paused: isPaused, held } = feed.value;
  const isRaw = getFilter("raw") !== "no";
  return (
    <div class="actions">
      <label class="small muted check">
        <input
          type="checkbox"
          checked={isRaw}
          onChange={() => setFilters({ raw: isRaw ? "no" : "" }, "replace")}
        />
        {live.raw}
      </label>
      <Button
        class={isPaused ? "button main-action" : "button"}
        onClick={() => {
          feed.value = isPaused ? resumeFeed(feed.value) : pauseFeed(feed.value);
        }}
      >
        <Icon name={isPaused ? "play" : "pause"} />
        {isPaused ? live.resume : live.pause}
        {isPaused && held.length > 0 && <span class="num">· {live.held(held.length)}</span>}
      </Button>
    </div>
  );
}

export default function Live() {
  const { live, kinds, nav } = t.value;
  // So that the page is not blank while the agent thinks: what was last, below what comes.
  const { data: past } = useResource<TimelinePage>("/api/timeline", { limit: PAST });
  useEffect(() => {
    const rows = past?.items.map((row) => ({ ...row, key: row.ref, cursor: 0 }));
    if (rows !== undefined) feed.value = withPast(feed.value, rows);
  }, [past]);
  const project = getFilter("project");
  const isRaw = getFilter("raw") !== "no";
  const { rows } = feed.value;
  const shown = useMemo(
    () =>
      rows.filter((row) => (project === "" || projectOf(row) === project) && (isRaw || row.kind !== "event")),
    [rows, project, isRaw],
  );
  const news = shown.find(({ kind, cursor }) => kind !== "event" && cursor > 0);
  return (
    <div class="beside">
      <div class="page filled">
        <div class="page-head">
          <h1>{nav.live}</h1>
          <Controls />
        </div>
        {/* Read out, one at a time; the list itself would be read out over and over. */}
        <p class="hidden" aria-live="polite">
          {news !== undefined && news.kind !== "event" && live.news(kinds[news.kind], news.title)}
        </p>
        {shown.length === 0 ? (
          <Empty title={live.empty} command="throughline doctor">
            {live.emptyHelp}
          </Empty>
        ) : (
          <VirtualList
            rows={shown}
            label={nav.live}
            keyOf={keyOf}
            heightOf={heightOf}
            render={(row) => <LiveLine row={row} />}
            sticksToTop
          />
        )}
      </div>
      <ItemPanel />
    </div>
  );
}
