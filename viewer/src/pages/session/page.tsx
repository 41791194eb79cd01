// One session whole: what was asked, what came of it, what its window held, the files, the notes, the cost.
import type { ComponentChildren } from "preact";
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import type { SessionDetail, TimelinePage, TimelineRow } from "../../../../src/http/wire.ts";
import type { TouchedFile } from "../../../../src/store/index.ts";
import { bytes, dateTime } from "../../components/format.ts";
import { Icon } from "../../components/icon.tsx";
import { ItemPanel } from "../../components/itemPanel.tsx";
import { Empty, PageSection, Time } from "../../components/layout.tsx";
import { Markdown } from "../../components/markdown.tsx";
import { Loaded, ProblemNote, Skeleton, toApiError, useResource } from "../../components/resource.tsx";
import { VirtualList } from "../../components/virtualList.tsx";
import { type ApiError, getJson } from "../../state/api.ts";
import { lastRow } from "../../state/feed.ts";
import { t } from "../../state/preferences.ts";
import { addressOf, getFilter, linkTo, route, setFilters } from "../../state/route.ts";
import { entryHeight, type TimelineEntry, TimelineLine, turnEntries } from "../timeline/lines.tsx";
import { EventPanel, Recall } from "./eventPanel.tsx";
import { ContextView, Cost } from "./windowView.tsx";

const views = ["story", "window", "files", "notes", "kept"] as const;

function viewNow() {
  return views.find((view) => view === getFilter("view")) ?? "story";
}

function Tabs() {
  const { session } = t.value;
  const now = viewNow();
  return (
    <nav class="tabs" aria-label={session.views}>
      {views.map((view) => (
        <button
          key={view}
          type="button"
          aria-current={view === now ? "page" : undefined}
          onClick={() => setFilters({ view: view === "story" ? "" : view, item: "", event: "" })}
        >
          {session[view]}
        </button>
      ))}
    </nav>
  );
}

function SessionHead({ detail }: { readonly detail: SessionDetail }) {
  const { session: words, sessions } = t.value;
  const { session, projectName, lanes, cost } = detail;
  return (
    <header class="session-head">
      <a class="small" href={linkTo("sessions")}>
        <Icon name="back" /> {t.value.nav.sessions}
      </a>
      <h1>{session.title}</h1>
      <p class="about small muted num">
        <span>{projectName}</span>
        <Time at={session.createdAt} as={dateTime} />
        <span>{sessions[session.status]}</span>
        <span>{sessions.counts(session.promptCounter, session.observations)}</span>
        {lanes.length > 0 && <span>{words.lanes(lanes.join(", "))}</span>}
      </p>
      {cost !== undefined && <Cost cost={cost} />}
    </header>
  );
}

function SessionNotes({ notes }: { readonly notes: string | undefined }) {
  const { session } = t.value;
  if (notes === undefined) return <Empty title={session.noNotes}>{session.noNotesHelp}</Empty>;
  return (
    <div class="narrow">
      <Markdown text={notes} />
    </div>
  );
}

function SessionBody({ detail }: { readonly detail: SessionDetail }): ComponentChildren {
  const view = viewNow();
  const id = detail.session.claudeSessionId;
  if (view === "window") return <ContextView session={id} showsCost={detail.cost === undefined} />;
  if (view === "files") return <Files files={detail.files} />;
  if (view === "notes") return <SessionNotes notes={detail.notes} />;
  if (view === "kept") return <KeptFiles detail={detail} />;
  return <SessionTurns session={id} />;
}

export default function SessionPage() {
  const id = route.value.id ?? "";
  const resource = useResource<SessionDetail>("/api/session", { id });
  const event = getFilter("event");
  return (
    <div class="beside">
      <div class={viewNow() === "story" ? "page filled" : "page"}>
        <Loaded from={resource}>
          {(detail) =>
            detail.session.claudeSessionId === id ? (
              <>
                <SessionHead detail={detail} />
                <Tabs />
                <SessionBody detail={detail} />
              </>
            ) : (
              resource.error === undefined && <Skeleton />
            )
          }
        </Loaded>
      </div>
      <ItemPanel />
      {event !== "" && viewNow() === "window" && <EventPanel key={event} session={id} event={event} />}
    </div>
  );
}

const PAGE_SIZE = 500;

/** All of it, page by page: a story is read from its beginning. */
async function readTurns(
  session: string,
  signal: AbortSignal,
  onRows: (rows: readonly TimelineRow[]) => void,
) {
  const rows: TimelineRow[] = [];
  let cursor: string | undefined;
  do {
    const query = { session, cursor, limit: PAGE_SIZE, order: "oldest" };
    const page: TimelinePage = await getJson<TimelinePage>("/api/timeline", query, signal);
    rows.push(...page.items);
    onRows([...rows]);
    cursor = page.next;
  } while (cursor !== undefined);
}

const keyOf = ({ key }: TimelineEntry) => key;

function SessionTurns({ session }: { readonly session: string }) {
  const { session: words } = t.value;
  const [rows, setRows] = useState<readonly TimelineRow[]>();
  const [error, setError] = useState<ApiError>();
  const [turn, setTurn] = useState(0);
  // Read again when something comes that belongs to it.
  const news = useRef<string>(undefined);
  if (lastRow.value?.session === session) news.current = lastRow.value.key;
  useEffect(() => {
    const control = new AbortController();
    setError(undefined);
    readTurns(session, control.signal, setRows).catch(
      (problem) => control.signal.aborted || setError(toApiError(problem)),
    );
    return () => control.abort();
  }, [session, turn, news.current]);
  const entries = useMemo(() => turnEntries(rows ?? []), [rows]);
  return (
    <>
      <ProblemNote error={error} retry={() => setTurn((n) => n + 1)} />
      {rows === undefined ? (
        error === undefined && <Skeleton />
      ) : entries.length === 0 ? (
        <Empty title={words.noStory}>{words.noStoryHelp}</Empty>
      ) : (
        <VirtualList
          rows={entries}
          label={words.story}
          keyOf={keyOf}
          heightOf={entryHeight}
          render={(entry) => <TimelineLine entry={entry} />}
        />
      )}
    </>
  );
}

function Files({ files }: { readonly files: readonly TouchedFile[] }) {
  const { session } = t.value;
  if (files.length === 0) return <Empty title={session.noFiles}>{session.noFilesHelp}</Empty>;
  const sorted = files.toSorted((a, b) => b.changes - a.changes || b.reads - a.reads);
  return (
    <div class="scrolls-x">
      <table class="table">
        <thead>
          <tr>
            <th scope="col">{session.file}</th>
            <th scope="col" class="end">
              {session.changes}
            </th>
            <th scope="col" class="end">
              {session.reads}
            </th>
          </tr>
        </thead>
        <tbody>
          {sorted.map(({ path, reads, changes }) => (
            <tr key={path}>
              <td>
                <a
                  class="mono plain"
                  data-line
                  href={addressOf({ page: "timeline", filters: { file: path } })}
                >
                  {path}
                </a>
              </td>
              <td class="end num">{changes > 0 ? changes : ""}</td>
              <td class="end num">{reads > 0 ? reads : ""}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

type Snapshot = SessionDetail["snapshots"][number];

function SnapshotBlock({ id, at, handles, bytes: size }: Snapshot) {
  const { session } = t.value;
  return (
    <li>
      <p class="small num">
        <span class="mono">{id}</span> · {dateTime(at)} ·{" "}
        {size === undefined ? session.cleanedUp : bytes(size)}
      </p>
      {handles.map((handle) => (
        <Recall key={handle} handle={handle} />
      ))}
    </li>
  );
}

function Archives({ archives }: Pick<SessionDetail, "archives">) {
  return (
    <div class="scrolls-x">
      <table class="table">
        <tbody>
          {archives.map(({ name, at, bytes: size }) => (
            <tr key={name}>
              <th scope="row" class="mono">
                {name}
              </th>
              <td class="num">{dateTime(at)}</td>
              <td class="end num muted">{bytes(size)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function KeptFiles({ detail }: { readonly detail: SessionDetail }) {
  const { session } = t.value;
  const { snapshots, archives, session: card } = detail;
  return (
    <>
      <PageSection title={session.snapshots}>
        {snapshots.length === 0 ? (
          <p class="muted">{session.noSnapshots}</p>
        ) : (
          <ul>
            {snapshots.map((snapshot) => (
              <SnapshotBlock key={snapshot.id} {...snapshot} />
            ))}
          </ul>
        )}
      </PageSection>
      <PageSection title={session.archives}>
        {archives.length === 0 ? <p class="muted">{session.noArchives}</p> : <Archives archives={archives} />}
      </PageSection>
      <PageSection title={session.resume}>
        <pre class="command">claude --resume {card.claudeSessionId}</pre>
      </PageSection>
    </>
  );
}
