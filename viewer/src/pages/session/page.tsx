// The page of one session: its turns, its context window (chart, numbers, changes), its files, its notes, its snapshots and archives, its cost.
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import type {
  LiveCost,
  SessionCost,
  SessionDetail,
  TimelinePage,
  TimelineRow,
  WindowView,
} from "../../../../src/http/wire.ts";
import { bytes, compactCount, dateTime, dollars, percent } from "../../components/format.ts";
import { Icon } from "../../components/icon.tsx";
import { ItemPanel } from "../../components/itemPanel.tsx";
import { DataTable, Empty, LineButton, PageSection, Time } from "../../components/layout.tsx";
import { Markdown } from "../../components/markdown.tsx";
import { Loaded, LoadedList, LoadingSkeleton, useLoading, useResource } from "../../components/resource.tsx";
import { VirtualList } from "../../components/virtualList.tsx";
import { getJson } from "../../state/api.ts";
import { lastRow } from "../../state/feed.ts";
import { t, textFor } from "../../state/preferences.ts";
import { addressOf, getFilter, linkTo, route, setFilters } from "../../state/route.ts";
import { entryHeight, TimelineLine, turnEntries } from "../timeline/lines.tsx";
import { EventPanel, eventName, Recalls, shownEvents, windowVersion } from "./eventPanel.tsx";
import { batchesOf, type EventBatch, partsIn, totalTokens } from "./stack.ts";

/** The views of a session, in the order of their tabs. */
const views = {
  story: ({ session }: SessionDetail) => <TurnsView session={session.claudeSessionId} />,
  window: ({ session, cost }: SessionDetail) => (
    <ContextView session={session.claudeSessionId} showsCost={cost === undefined} />
  ),
  files: FilesView,
  notes: NotesView,
  kept: KeptFilesView,
};

const viewNames = Object.keys(views) as (keyof typeof views)[];

function SessionHead({ session, projectName, lanes, cost, live }: SessionDetail) {
  return (
    <header class="session-head">
      <a class="small" href={linkTo("sessions")}>
        <Icon name="back" /> {t.nav.sessions}
      </a>
      <h1>{session.title}</h1>
      <p class="about small muted num">
        <span>{projectName}</span>
        <Time at={session.createdAt} as={dateTime} />
        <span>{t.sessions[session.status]}</span>
        <span>{t.sessions.counts(session.promptCounter, session.observations)}</span>
        {lanes.length > 0 && <span>{t.session.lanes(lanes.join(", "))}</span>}
      </p>
      {cost && <Cost {...cost} />}
      {live && <LiveDollars {...live} />}
    </header>
  );
}

export default function SessionPage() {
  const id = route.value.id ?? "";
  const resource = useResource<SessionDetail>("/api/session", { id });
  const event = getFilter("event");
  const view = viewNames.find((name) => name === getFilter("view")) ?? "story";
  const View = views[view];
  const tabs = (
    <nav class="tabs" aria-label={t.session.views}>
      {viewNames.map((name) => (
        <button
          key={name}
          type="button"
          aria-current={name === view ? "page" : undefined}
          onClick={() => setFilters({ view: name === "story" ? "" : name, item: "", event: "" })}
        >
          {t.session[name]}
        </button>
      ))}
    </nav>
  );
  return (
    <div class="beside">
      <div class={view === "story" ? "page filled" : "page"}>
        <Loaded from={resource}>
          {(detail) =>
            detail.session.claudeSessionId === id ? (
              <>
                <SessionHead {...detail} />
                {tabs}
                <View {...detail} />
              </>
            ) : (
              resource.error === undefined && <LoadingSkeleton />
            )
          }
        </Loaded>
      </div>
      <ItemPanel />
      {event !== "" && view === "window" && <EventPanel key={event} session={id} event={event} />}
    </div>
  );
}

const TURN_ROWS_PER_PAGE = 500;

/** All turns, loaded page by page from the first one on. */
function TurnsView({ session }: { readonly session: string }) {
  const [rows, setRows] = useState<readonly TimelineRow[]>([]);
  // Loads again when a row of this session arrives.
  const news = useRef<string>(undefined);
  if (lastRow.value?.session === session) news.current = lastRow.value.key;
  const loading = useLoading(
    async (signal) => {
      const loaded: TimelineRow[] = [];
      let cursor: string | undefined;
      do {
        const query = { session, cursor, limit: TURN_ROWS_PER_PAGE, order: "oldest" };
        const page: TimelinePage = await getJson("/api/timeline", query, signal);
        loaded.push(...page.items);
        setRows([...loaded]);
        cursor = page.next;
      } while (cursor !== undefined);
    },
    [session, news.current],
  );
  const entries = useMemo(() => turnEntries(rows), [rows]);
  return (
    <LoadedList from={loading} empty={<Empty title={t.session.noStory}>{t.session.noStoryHelp}</Empty>}>
      {entries.length > 0 && (
        <VirtualList
          rows={entries}
          label={t.session.story}
          heightOf={entryHeight}
          render={(entry) => <TimelineLine entry={entry} />}
        />
      )}
    </LoadedList>
  );
}

function FilesView({ files }: SessionDetail) {
  const { session } = t;
  if (files.length === 0) return <Empty title={session.noFiles}>{session.noFilesHelp}</Empty>;
  return (
    <DataTable
      heads={[session.file, session.changes, session.reads]}
      rows={files
        .toSorted((a, b) => b.changes - a.changes || b.reads - a.reads)
        .map(({ path: file, changes, reads }) => [
          <a key="" class="mono plain" data-line href={addressOf({ page: "timeline", filters: { file } })}>
            {file}
          </a>,
          changes || "",
          reads || "",
        ])}
    />
  );
}

function NotesView({ notes }: SessionDetail) {
  if (notes === undefined) return <Empty title={t.session.noNotes}>{t.session.noNotesHelp}</Empty>;
  return (
    <div class="narrow">
      <Markdown text={notes} />
    </div>
  );
}

/** What a snapshot states, each with the rows of the transcript that say so. */
function Statements({ of }: { readonly of: SessionDetail["snapshots"][number]["statements"] }) {
  const { statementKinds, noRows } = t.session;
  return of.map(({ kind, text, rows }) => (
    <details key={`${kind} ${text}`}>
      <summary>
        {statementKinds[kind]}: {text}
      </summary>
      {rows.length === 0 && <p class="small muted">{noRows}</p>}
      {rows.map(({ id, excerpt }) => (
        <blockquote key={id} class="small">
          {excerpt} <span class="mono muted">{id}</span>
        </blockquote>
      ))}
    </details>
  ));
}

function KeptFilesView({ snapshots, archives, session: { claudeSessionId } }: SessionDetail) {
  const { session } = t;
  return (
    <>
      <PageSection title={session.snapshots}>
        {snapshots.length === 0 && <p class="muted">{session.noSnapshots}</p>}
        <ul>
          {snapshots.map(({ id, at, handles, bytes: size, statements }) => (
            <li key={id}>
              <p class="small num">
                <span class="mono">{id}</span> · {dateTime(at)} ·{" "}
                {size === undefined ? session.cleanedUp : bytes(size)}
              </p>
              <Recalls handles={handles} />
              <Statements of={statements} />
            </li>
          ))}
        </ul>
      </PageSection>
      <PageSection title={session.archives}>
        {archives.length === 0 && <p class="muted">{session.noArchives}</p>}
        <DataTable
          rows={archives.map(({ name, at, bytes: size }) => [
            <span key="" class="mono">
              {name}
            </span>,
            dateTime(at),
            bytes(size),
          ])}
        />
      </PageSection>
      <PageSection title={session.resume}>
        <pre class="command">claude --resume {claudeSessionId}</pre>
      </PageSection>
    </>
  );
}

/** Loads the chart and its library when the view is first shown. */
function useChart() {
  const [chart, setChart] = useState<typeof import("./windowChart.tsx")>();
  useEffect(() => {
    import("./windowChart.tsx").then(setChart);
  }, []);
  return chart?.default;
}

/** The numbers of the request that the pointer is at, or of the last one. */
function Readout({
  points,
  limit,
  at = points.length - 1,
}: WindowView & { readonly at: number | undefined }) {
  const { window } = t;
  const index = Math.min(at, points.length - 1);
  const point = points[index];
  if (!point) return null;
  return (
    <div class="readout small num">
      <p>
        <strong>{window.request(index + 1)}</strong> · {dateTime(point.at)} ·{" "}
        {window.inWindow(compactCount(totalTokens(point)))}
        {limit !== undefined && ` · ${window.limit(compactCount(limit))}`}
        {point.outOfSight > 0 && ` · ${window.outOfSight(compactCount(point.outOfSight))}`}
      </p>
      <ul class="legend">
        {partsIn(points).map((part) => (
          <li key={part}>
            <span class="swatch" data-part={part} />
            {window.parts[part]} <span class="faint">{compactCount(point.tokens[part])}</span>
          </li>
        ))}
      </ul>
    </div>
  );
}

/** One change, or a batch of them: its line opens the first, and the panel steps through the rest. */
function EventLine({ batch }: { readonly batch: Readonly<EventBatch> }) {
  const [event] = batch;
  const isOpen = batch.some(({ id }) => id === getFilter("event"));
  const saved = batch.reduce((sum, { before, after }) => sum + before - after, 0);
  return (
    <li>
      <LineButton name="event" id={event.id} isOpen={isOpen} class="line event-line">
        <span class={`sign ${event.kind}`} />
        <span class="two">
          <span class="clip">
            <strong>{eventName(event)}</strong>
            {batch.length > 1 && <span class="times num">×{batch.length}</span>} {event.why}
          </span>
        </span>
        <span class="side">
          {event.undone && <span class="tag">{t.window.undone}</span>}
          {saved > 0 && <span>−{compactCount(saved)}</span>}
          <Time at={event.at} as={dateTime} />
        </span>
      </LineButton>
    </li>
  );
}

const TABLE_ROWS = 200;

/** The numbers of the chart; of a long session only every few requests. */
function NumbersTable({ points }: WindowView) {
  const { window } = t;
  const parts = partsIn(points);
  const step = Math.max(1, Math.ceil(points.length / TABLE_ROWS));
  return (
    <details class="numbers">
      <summary>{window.asTable}</summary>
      <DataTable
        heads={[window.requestHead, ...parts.map((part) => window.parts[part]), window.total]}
        rows={points.flatMap((point, at) => {
          const counts = [...parts.map((part) => point.tokens[part]), totalTokens(point)];
          return at % step === 0 ? [[at + 1, ...counts.map((count) => compactCount(count))]] : [];
        })}
      />
    </details>
  );
}

interface ContextProps {
  readonly session: string;
  /** Whether to show the cost, where the head of the page does not. */
  readonly showsCost: boolean;
}

function ContextView({ session, showsCost }: ContextProps) {
  const { window } = t;
  const resource = useResource<WindowView>("/api/window", { session }, windowVersion.value);
  const { data } = resource;
  const [at, setAt] = useState<number>();
  const Chart = useChart();
  useEffect(() => {
    shownEvents.value = data?.events ?? [];
  }, [data]);
  if (data?.points.length === 0 && data.events.length === 0) {
    return (
      <Empty title={window.empty}>
        {window.emptyHelp} <Icon name="window" />
      </Empty>
    );
  }
  return (
    <Loaded from={resource}>
      {(view) => (
        <>
          {showsCost && view.cost && <Cost {...view.cost} />}
          <Readout {...view} at={at} />
          {Chart ? <Chart view={view} onPoint={setAt} /> : <div class="window-chart" />}
          {view.notes.map((note) => (
            <p key={note} class="note">
              {textFor(window.notes, note)}
            </p>
          ))}
          <PageSection title={window.events(view.events.length)}>
            {view.events.length === 0 && <p class="muted">{window.noEvents}</p>}
            <ol class="event-lines">
              {batchesOf(view.events).map((batch) => (
                <EventLine key={batch[0].id} batch={batch} />
              ))}
            </ol>
          </PageSection>
          <NumbersTable {...view} />
        </>
      )}
    </Loaded>
  );
}

/** Dollars with edits and without, and the cache misses that edits caused. */
function LiveDollars({ requests, measured, without, misses, ownMisses, ownMissedTokens, reasons }: LiveCost) {
  const { session } = t;
  const named = Object.entries(reasons).map(([reason, count]) => `${reason} ${count}`);
  return (
    <p class="about small muted num" data-live-cost>
      <span>{session.liveRequests(requests)}</span>
      <strong>{session.liveDollars(dollars(measured), dollars(without))}</strong>
      <span title={named.join(", ")}>{session.misses(misses, ownMisses, compactCount(ownMissedTokens))}</span>
    </p>
  );
}

function Cost({ inputTokens, cacheReadTokens, cacheWriteTokens, outputTokens, ...cost }: SessionCost) {
  const { session } = t;
  const input = inputTokens + cacheReadTokens + cacheWriteTokens;
  const detail = session.inputDetail(
    compactCount(inputTokens),
    compactCount(cacheReadTokens),
    compactCount(cacheWriteTokens),
  );
  return (
    <p class="about small muted num">
      <span>{session.requests(cost.requests)}</span>
      <span title={detail}>{session.tokens(compactCount(input), compactCount(outputTokens))}</span>
      {input > 0 && <span>{session.cached(percent(cacheReadTokens / input))}</span>}
      {cost.dollars !== undefined && <strong>{dollars(cost.dollars)}</strong>}
      {cost.models.map((model) => (
        <span key={model} class="mono">
          {model}
        </span>
      ))}
    </p>
  );
}
