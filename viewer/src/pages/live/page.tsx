// What happens now, as it happens; it can be held still to be read.
import { useEffect, useMemo } from "preact/hooks";
import type { TimelinePage } from "../../../../src/http/wire.ts";
import { shortTime } from "../../parts/format.ts";
import { Icon } from "../../parts/icon.tsx";
import { ItemPanel } from "../../parts/itemPanel.tsx";
import { Empty } from "../../parts/states.tsx";
import { VirtualList } from "../../parts/virtualList.tsx";
import { type LiveRow, paused, projectOf, resumed, withPast } from "../../state/feed.ts";
import { iconOf } from "../../state/kinds.ts";
import { t } from "../../state/look.ts";
import { filter, filtered, sessionLink } from "../../state/place.ts";
import { reader } from "../../state/reader.ts";
import { feed } from "../../state/stream.ts";
import { projectName, revivals } from "../../state/worker.ts";
import { ask, WireError } from "../../wire.ts";

const PAST = 60;

/** So that the page is not blank while the agent thinks: what was last, below what comes. */
async function loadPast(signal: AbortSignal): Promise<void> {
  try {
    const { items } = await ask<TimelinePage>("/api/timeline", { limit: PAST }, signal);
    const rows = items.map(({ ref, kind, title, at, session, project, type }): LiveRow => {
      const place = { title, at, session, project, ...(type === undefined ? {} : { type }) };
      return { key: ref, cursor: 0, kind, ref, ...place };
    });
    feed.value = withPast(feed.value, rows);
  } catch (error) {
    // What comes is shown all the same; that the worker is away is told above.
    if (!signal.aborted && !(error instanceof WireError)) throw error;
  }
}

function LiveLine({ row }: { readonly row: LiveRow }) {
  const { kinds, types, live } = t.value;
  if (row.kind === "event") {
    const { at, project, session, toolName, kind } = row.row;
    const names: Readonly<Record<string, string>> = live.events;
    return (
      <a class="line live-line event" data-line href={sessionLink(session)}>
        <Icon name="event" />
        <span class="clip">
          {toolName ?? names[kind] ?? kind}
          {toolName !== undefined && <span class="sub">{names[kind] ?? kind}</span>}
        </span>
        <span class="side">
          <span class="clip project">{projectName(project)}</span>
          <time dateTime={at}>{shortTime(at, reader.value)}</time>
        </span>
      </a>
    );
  }
  const isOpen = filtered("item") === row.ref;
  const type: Readonly<Record<string, string>> = types;
  const name = row.type === undefined ? kinds[row.kind] : (type[row.type] ?? row.type);
  return (
    <button
      type="button"
      class={`line live-line ${row.kind}${isOpen ? " open" : ""}`}
      data-line
      data-ref={row.ref}
      aria-expanded={isOpen}
      onClick={() => filter({ item: isOpen ? "" : row.ref })}
    >
      <Icon name={iconOf(row.kind, row.type)} />
      <span class="clip">{row.title}</span>
      <span class="side">
        <span class="kind">{name}</span>
        <span class="clip project">{projectName(row.project)}</span>
        <time dateTime={row.at}>{shortTime(row.at, reader.value)}</time>
      </span>
    </button>
  );
}

const keyOf = ({ key }: LiveRow): string => key;
const heightOf = ({ kind }: LiveRow): number => (kind === "event" ? 26 : 34);

function Controls() {
  const { live } = t.value;
  const { paused: isPaused, held } = feed.value;
  const isRaw = filtered("raw") !== "no";
  return (
    <div class="actions">
      <label class="small muted check">
        <input
          type="checkbox"
          checked={isRaw}
          onChange={() => filter({ raw: isRaw ? "no" : "" }, "replace")}
        />
        {live.raw}
      </label>
      <button
        type="button"
        class={isPaused ? "button main-action" : "button"}
        onClick={() => {
          feed.value = isPaused ? resumed(feed.value) : paused(feed.value);
        }}
      >
        <Icon name={isPaused ? "play" : "pause"} />
        {isPaused ? live.resume : live.pause}
        {isPaused && held.length > 0 && <span class="num">· {live.held(held.length)}</span>}
      </button>
    </div>
  );
}

export default function Live() {
  const { live, kinds, nav } = t.value;
  const revival = revivals.value;
  useEffect(() => {
    const control = new AbortController();
    void loadPast(control.signal);
    return () => control.abort();
  }, [revival]);
  const project = filtered("project");
  const isRaw = filtered("raw") !== "no";
  const { rows } = feed.value;
  const shown = useMemo(
    () =>
      rows.filter((row) => (project === "" || projectOf(row) === project) && (isRaw || row.kind !== "event")),
    [rows, project, isRaw],
  );
  const news = shown.find(({ kind, cursor }) => kind !== "event" && cursor > 0);
  const item = filtered("item");
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
      {item !== "" && <ItemPanel item={item} />}
    </div>
  );
}
