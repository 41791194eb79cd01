// The stats page: tokens and money saved, cache, hook latency, what is kept, as numbers and bar charts.
import { useEffect } from "preact/hooks";
import type { Stats as StatsAnswer } from "../../../../src/http/wire.ts";
import {
  ago,
  bytes,
  compactCount,
  DAY_MS,
  dateTime,
  dayBounds,
  dayOf,
  dollars,
  locale,
  percent,
} from "../../components/format.ts";
import { DefinitionList, onValue, PageSection } from "../../components/layout.tsx";
import { Loaded, useResource } from "../../components/resource.tsx";
import { projectName } from "../../state/api.ts";
import { t } from "../../state/preferences.ts";
import { getFilter, setFilters } from "../../state/route.ts";
import { ReplayReport } from "../replay/report.tsx";

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

const spans = ["week", "month", "all"] as const;
const spanDays = { week: 7, month: 30, all: undefined } as const;

/** Since midnight of the first of so many days. */
function beginningOf(span: (typeof spans)[number]) {
  const days = spanDays[span];
  if (days === undefined) return {};
  return { from: dayBounds(dayOf(locale.value.now - (days - 1) * DAY_MS, locale.value.offset)).from };
}

/** Replays the project that is chosen, or all, over a span of days. */
function ReplaySection() {
  const { replay } = t;
  const span = spans.find((one) => one === getFilter("span")) ?? "week";
  const project = getFilter("project");
  return (
    <PageSection title={replay.title}>
      <select
        class="field"
        aria-label={replay.span}
        value={span}
        onChange={onValue((chosen) => setFilters({ span: chosen }))}
      >
        {spans.map((one) => (
          <option key={one} value={one}>
            {replay.spans[one]}
          </option>
        ))}
      </select>{" "}
      <span class="small muted">{project === "" ? t.projects.all : projectName(project)}</span>
      <ReplayReport scope={{ ...beginningOf(span), ...(project !== "" && { project }) }} />
    </PageSection>
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
            <ReplaySection />
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

const LEAST_DAYS = 30;
const MOST_BARS = 45;
const BAR_WIDTH = 24;
const BAR_HEIGHT = 110;

/** Bars over the time that the data has: the last thirty days, or older days in spans of equal length that reach to the newest. */
export function dayBars(days: StatsAnswer["store"]["days"], now: number) {
  const dayNumber = (day: string | number) => Math.floor(new Date(day).getTime() / DAY_MS);
  const known = days.filter(({ observations }) => observations > 0);
  const numbers = known.map(({ day }) => dayNumber(day));
  const today = dayNumber(now);
  const newest = Math.max(...numbers);
  const isOld = numbers.length > 0 && newest <= today - LEAST_DAYS;
  const last = isOld ? newest : today;
  const span = last - Math.min(last - LEAST_DAYS + 1, ...numbers) + 1;
  const length = Math.ceil(span / MOST_BARS);
  const bars = Math.ceil(span / length);
  return Array.from({ length: bars }, (_, at) => {
    const end = last - (bars - 1 - at) * length;
    const own = known.filter((_day, index) => {
      const number = numbers[index] ?? 0;
      return number <= end && number > end - length;
    });
    return {
      day: new Date((end - length + 1) * DAY_MS).toISOString().slice(0, 10),
      end: new Date(end * DAY_MS).toISOString().slice(0, 10),
      length,
      observations: own.reduce((sum, { observations }) => sum + observations, 0),
    };
  });
}

function DayBars({ days }: Pick<StatsAnswer["store"], "days">) {
  const shown = dayBars(days, locale.value.now);
  const last = shown.at(-1);
  const most = Math.max(1, ...shown.map(({ observations }) => observations));
  const nameOf = (day: string) => dateTime(`${day}T12:00:00.000Z`).split(",")[0] ?? day;
  return (
    <figure>
      <svg
        class="day-bars"
        viewBox={`0 0 ${shown.length * BAR_WIDTH} ${BAR_HEIGHT}`}
        preserveAspectRatio="none"
        role="img"
        aria-label={t.stats.daysLabel(shown.reduce((sum, { observations }) => sum + observations, 0))}
      >
        {shown.map(({ day, end, length, observations }, at) => {
          const height = observations === 0 ? 2 : Math.max(3, (observations / most) * (BAR_HEIGHT - 6));
          return (
            <rect
              key={day}
              class={observations === 0 ? "none" : undefined}
              x={at * BAR_WIDTH + 3}
              y={BAR_HEIGHT - height}
              width="18"
              height={height}
              rx="3"
            >
              <title>{`${nameOf(day)}${length > 1 ? ` – ${nameOf(end)}` : ""}: ${observations}`}</title>
            </rect>
          );
        })}
      </svg>
      <figcaption class="tiny faint num">
        <span>{nameOf(shown[0]?.day ?? "")}</span>
        <span>{last?.length === 1 ? t.stats.most(most) : t.stats.mostOf(most, last?.length ?? 1)}</span>
        <span>{last?.end === dayOf(locale.value.now, 0) ? t.stats.today : nameOf(last?.end ?? "")}</span>
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
