// The page of one session: its window's chart on top, and below it its trace, the changes of its window, its files, notes and what is kept.
import { useEffect } from "preact/hooks";
import type { SessionDetail, WindowView } from "../../../../src/http/wire.ts";
import { Icon } from "../../components/icon.tsx";
import { ItemPanel } from "../../components/itemPanel.tsx";
import { Empty } from "../../components/layout.tsx";
import { Loaded, LoadingSkeleton, useResource } from "../../components/resource.tsx";
import { t } from "../../state/preferences.ts";
import { getFilter, route, setFilters } from "../../state/route.ts";
import { ReplayReport } from "../replay/report.tsx";
import { EventPanel, shownEvents, windowVersion } from "./eventPanel.tsx";
import { SessionHead } from "./head.tsx";
import { FilesView, KeptFilesView, NotesView } from "./keptViews.tsx";
import { TraceView } from "./traceView.tsx";
import { WindowChanges, WindowTop } from "./windowView.tsx";

interface ViewProps {
  readonly detail: SessionDetail;
  readonly window: ReturnType<typeof useResource<WindowView>>;
}

function WindowTab({ window, detail }: ViewProps) {
  const { data } = window;
  const hasNone = detail.lanes.length === 0;
  if (hasNone || (data?.points.length === 0 && data.events.length === 0)) {
    return (
      <Empty title={t.window.empty}>
        {t.window.emptyHelp} <Icon name="window" />
      </Empty>
    );
  }
  return <Loaded from={window}>{(view) => <WindowChanges view={view} lanes={detail.lanes} />}</Loaded>;
}

/** The views of a session, in the order of their tabs. */
const views = {
  trace: ({ detail }: ViewProps) => <TraceView {...detail} />,
  window: WindowTab,
  files: ({ detail }: ViewProps) => <FilesView {...detail} />,
  notes: ({ detail }: ViewProps) => <NotesView {...detail} />,
  kept: ({ detail }: ViewProps) => <KeptFilesView {...detail} />,
  replay: ({ detail }: ViewProps) => <ReplayReport scope={{ session: detail.session.claudeSessionId }} />,
};

const viewNames = Object.keys(views) as (keyof typeof views)[];

function Tabs({ current }: { readonly current: keyof typeof views }) {
  return (
    <nav class="tabs" aria-label={t.session.views}>
      {viewNames.map((name) => (
        <button
          key={name}
          type="button"
          aria-current={name === current ? "page" : undefined}
          onClick={() => setFilters({ view: name === "trace" ? "" : name, item: "", event: "" })}
        >
          {t.session[name]}
        </button>
      ))}
    </nav>
  );
}

export default function SessionPage() {
  const id = route.value.id ?? "";
  const resource = useResource<SessionDetail>("/api/session", { id });
  // Of a session that was imported as rows there is no window, and nothing is asked for.
  const isCaptured = resource.data?.session.claudeSessionId === id && resource.data.lanes.length > 0;
  const window = useResource<WindowView>(
    "/api/window",
    isCaptured ? { session: id } : undefined,
    windowVersion.value,
  );
  const { data } = window;
  const event = getFilter("event");
  const view = viewNames.find((name) => name === getFilter("view")) ?? "trace";
  const View = views[view];
  const hasChart = view === "trace" || view === "window";
  useEffect(() => {
    shownEvents.value = data?.events ?? [];
  }, [data]);
  const own = data?.session === id ? data : undefined;
  return (
    <div class="beside">
      <div class={view === "trace" ? "page filled session-page" : "page session-page"}>
        <Loaded from={resource}>
          {(detail) =>
            detail.session.claudeSessionId === id ? (
              <>
                <SessionHead
                  detail={detail}
                  cost={detail.cost ?? own?.cost}
                  compactions={
                    own?.events.filter(({ kind }) => kind === "compaction").length ??
                    detail.session.spent?.compactions
                  }
                />
                {hasChart && own && <WindowTop view={own} canJump={view === "trace"} />}
                {hasChart && isCaptured && !own && window.error === undefined && <div class="window-chart" />}
                <Tabs current={view} />
                <View detail={detail} window={window} />
              </>
            ) : (
              resource.error === undefined && <LoadingSkeleton />
            )
          }
        </Loaded>
      </div>
      {event === "" ? <ItemPanel /> : <EventPanel key={event} session={id} event={event} />}
    </div>
  );
}
