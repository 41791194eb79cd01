// The page of one session: its turns, its window, its files, its notes, its snapshots and archives, its cost.
import { useMemo, useRef, useState } from "preact/hooks";
import type { SessionDetail, TimelinePage, TimelineRow } from "../../../../src/http/wire.ts";
import { bytes, dateTime } from "../../components/format.ts";
import { Icon } from "../../components/icon.tsx";
import { ItemPanel } from "../../components/itemPanel.tsx";
import { DataTable, Empty, PageSection, Time } from "../../components/layout.tsx";
import { Markdown } from "../../components/markdown.tsx";
import { Loaded, LoadedList, LoadingSkeleton, useLoading, useResource } from "../../components/resource.tsx";
import { VirtualList } from "../../components/virtualList.tsx";
import { getJson } from "../../state/api.ts";
import { lastRow } from "../../state/feed.ts";
import { t } from "../../state/preferences.ts";
import { addressOf, getFilter, linkTo, route, setFilters } from "../../state/route.ts";
import { entryHeight, TimelineLine, turnEntries } from "../timeline/lines.tsx";
import { EventPanel, Recalls } from "./eventPanel.tsx";
import { ContextView, Cost } from "./windowView.tsx";

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

function SessionHead({ session, projectName, lanes, cost }: SessionDetail) {
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

const PAGE_SIZE = 500;

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
        const query = { session, cursor, limit: PAGE_SIZE, order: "oldest" };
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

function KeptFilesView({ snapshots, archives, session: { claudeSessionId } }: SessionDetail) {
  const { session } = t;
  return (
    <>
      <PageSection title={session.snapshots}>
        {snapshots.length === 0 && <p class="muted">{session.noSnapshots}</p>}
        <ul>
          {snapshots.map(({ id, at, handles, bytes: size }) => (
            <li key={id}>
              <p class="small num">
                <span class="mono">{id}</span> · {dateTime(at)} ·{" "}
                {size === undefined ? session.cleanedUp : bytes(size)}
              </p>
              <Recalls handles={handles} />
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
