// The stats page: tokens and money saved, cache, hook latency, what is kept, as numbers and bar charts.
import { useEffect } from "preact/hooks";
import type { Stats as StatsAnswer } from "../../../../src/http/wire.ts";
import {
  ago,
  bytes,
  compactCount,
  DAY_MS,
  dateTime,
  dollars,
  locale,
  percent,
} from "../../components/format.ts";
import { DefinitionList, PageSection } from "../../components/layout.tsx";
import { Loaded, useResource } from "../../components/resource.tsx";
import { projectName } from "../../state/api.ts";
import { t } from "../../state/preferences.ts";

const REFRESH_MS = 2_000;

function Figures({ savings, worker: { hooks, queue }, store }: StatsAnswer) {
  const { stats } = t;
  const figures = [
    [compactCount(savings.tokens), stats.tokensSaved, stats.tokensHelp],
    [dollars(savings.dollars), stats.dollarsSaved, stats.dollarsHelp],
    ...(savings.cacheShare === undefined
      ? []
      : [[percent(savings.cacheShare), stats.cacheShare, stats.cacheHelp]]),
    hooks === null
      ? ["–", stats.hooks, stats.noHooks]
      : [`${Math.round(hooks.p50)} / ${Math.round(hooks.p95)} ms`, stats.hooks, stats.hooksHelp(hooks.count)],
    [
      compactCount(queue.ready + queue.leased + queue.delayed),
      stats.queue,
      queue.dead > 0 ? stats.dead(queue.dead) : stats.noDead,
    ],
    [bytes(store.bytes), stats.database, stats.free(bytes(store.freeBytes))],
  ];
  return (
    <ul class="figures">
      {figures.map(([value, name, help]) => (
        <li key={name} class="figure">
          <strong class="num">{value}</strong>
          <span>{name}</span>
          <span class="tiny faint">{help}</span>
        </li>
      ))}
    </ul>
  );
}

const countNames = ["sessions", "prompts", "observations", "summaries", "messages", "events"] as const;

function StoreCounts({ store: { counts, oldest }, savings }: StatsAnswer) {
  const { stats } = t;
  return (
    <DefinitionList
      class="facts num"
      of={[
        ...countNames.map((name) => [stats.counts[name], counts[name].toLocaleString()] as const),
        [stats.compactions, savings.compactions.toLocaleString()],
        [stats.results, savings.results.toLocaleString()],
        [stats.since, oldest && ago(oldest)],
      ]}
    />
  );
}

function WorkerFacts({ worker }: StatsAnswer) {
  const { stats } = t;
  return (
    <DefinitionList
      class="facts num"
      of={[
        [stats.version, `${worker.version} · Node ${worker.node}`],
        [stats.started, ago(worker.startedAt)],
        [stats.lastEvent, worker.lastEventAt === null ? stats.never : ago(worker.lastEventAt)],
        [stats.memory, bytes(worker.rss)],
        [stats.process, `${worker.pid} · 127.0.0.1:${worker.port}`],
        [stats.problem, worker.problem ?? undefined],
      ]}
    />
  );
}

function Charts({ store }: StatsAnswer) {
  const byType = Object.entries(t.types).map(
    ([type, name]) => [name, store.observationsByType[type] ?? 0] as const,
  );
  const byProject = store.projects
    .toSorted((a, b) => b.sessions - a.sessions)
    .slice(0, 8)
    .map(({ project, sessions }) => [projectName(project), sessions] as const);
  return (
    <>
      <PageSection title={t.stats.byDay}>
        <DayBars {...store} />
      </PageSection>
      <div class="side-by-side">
        <PageSection title={t.stats.byType}>
          <NamedBars bars={byType} />
        </PageSection>
        <PageSection title={t.stats.byProject}>
          <NamedBars bars={byProject} />
        </PageSection>
      </div>
    </>
  );
}

export default function Stats() {
  const { nav, stats } = t;
  const resource = useResource<StatsAnswer>("/api/stats", {});
  const { data, reload } = resource;
  const isCounting = data?.savings.isCounting === true;
  // The worker reads transcripts of years one after the other; the numbers grow while it does.
  useEffect(() => {
    if (!isCounting) return;
    const timer = setTimeout(reload, REFRESH_MS);
    return () => clearTimeout(timer);
  }, [data, isCounting]);
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: the page has no control, and the keyboard has to scroll it.
    <section class="page" tabIndex={0} aria-label={nav.stats}>
      <div class="page-head">
        <h1>{nav.stats}</h1>
        {isCounting && <span class="small muted">{stats.counting}</span>}
      </div>
      <Loaded from={resource}>
        {(answer) => (
          <>
            <Figures {...answer} />
            <Charts {...answer} />
            <div class="side-by-side">
              <PageSection title={stats.kept}>
                <StoreCounts {...answer} />
              </PageSection>
              <PageSection title={stats.worker}>
                <WorkerFacts {...answer} />
              </PageSection>
            </div>
          </>
        )}
      </Loaded>
    </section>
  );
}

const DAYS_SHOWN = 30;
const BAR_HEIGHT = 110;

/** Observations of the last thirty days, oldest first. */
function DayBars({ days }: Pick<StatsAnswer["store"], "days">) {
  const byDay = new Map(days.map(({ day, observations }) => [day, observations]));
  const shown = Array.from({ length: DAYS_SHOWN }, (_, at) => {
    const day = new Date(locale.value.now - (DAYS_SHOWN - 1 - at) * DAY_MS).toISOString().slice(0, 10);
    return { day, observations: byDay.get(day) ?? 0 };
  });
  const most = Math.max(1, ...shown.map(({ observations }) => observations));
  const nameOf = (day: string) => dateTime(`${day}T12:00:00.000Z`).split(",")[0] ?? day;
  return (
    <figure>
      <svg
        class="day-bars"
        viewBox={`0 0 ${DAYS_SHOWN * 24} ${BAR_HEIGHT}`}
        preserveAspectRatio="none"
        role="img"
        aria-label={t.stats.daysLabel(shown.reduce((sum, { observations }) => sum + observations, 0))}
      >
        {shown.map(({ day, observations }, at) => {
          const height = observations === 0 ? 2 : Math.max(3, (observations / most) * (BAR_HEIGHT - 6));
          return (
            <rect
              key={day}
              class={observations === 0 ? "none" : undefined}
              x={at * 24 + 3}
              y={BAR_HEIGHT - height}
              width="18"
              height={height}
              rx="3"
            >
              <title>{`${nameOf(day)}: ${observations}`}</title>
            </rect>
          );
        })}
      </svg>
      <figcaption class="tiny faint num">
        <span>{nameOf(shown[0]?.day ?? "")}</span>
        <span>{t.stats.most(most)}</span>
        <span>{t.stats.today}</span>
      </figcaption>
    </figure>
  );
}

function NamedBars({ bars }: { readonly bars: readonly (readonly [name: string, value: number])[] }) {
  const most = Math.max(1, ...bars.map(([, value]) => value));
  return (
    <ul class="named-bars">
      {bars.map(([name, value]) => (
        <li key={name}>
          <span class="clip">{name}</span>
          <span class="bar-track">
            {value > 0 && <span class="bar-fill" style={{ width: `max(2px, ${(100 * value) / most}%)` }} />}
          </span>
          <span class="num">{value.toLocaleString()}</span>
        </li>
      ))}
    </ul>
  );
}
