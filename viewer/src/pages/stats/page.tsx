// Numbers: tokens and money saved, the share of the cache, latency of hooks, what is kept, with small bar charts.
import { useEffect } from "preact/hooks";
import type { Stats as Answer } from "../../../../src/http/wire.ts";
import { ago, bytes, compactCount, dateTime, dollars, locale, percent } from "../../components/format.ts";
import { DefinitionList, PageSection, ReadingPage } from "../../components/layout.tsx";
import { Loaded, useResource } from "../../components/resource.tsx";
import { projectName } from "../../state/api.ts";
import { t } from "../../state/preferences.ts";

const REFRESH_MS = 2_000;

function Figure(props: { readonly value: string; readonly name: string; readonly help?: string }) {
  return (
    <li class="figure">
      <strong class="num">{props.value}</strong>
      <span>{props.name}</span>
      {props.help !== undefined && <span class="tiny faint">{props.help}</span>}
    </li>
  );
}

function SavingsFigures({ answer }: { readonly answer: Answer }) {
  const { stats } = t.value;
  const { savings, worker, store } = answer;
  return (
    <ul class="figures">
      <Figure value={compactCount(savings.tokens)} name={stats.tokensSaved} help={stats.tokensHelp} />
      <Figure value={dollars(savings.dollars)} name={stats.dollarsSaved} help={stats.dollarsHelp} />
      {savings.cacheShare !== undefined && (
        <Figure value={percent(savings.cacheShare)} name={stats.cacheShare} help={stats.cacheHelp} />
      )}
      <Figure
        value={
          worker.hooks === null ? "–" : `${Math.round(worker.hooks.p50)} / ${Math.round(worker.hooks.p95)} ms`
        }
        name={stats.hooks}
        help={worker.hooks === null ? stats.noHooks : stats.hooksHelp(worker.hooks.count)}
      />
      <Figure
        value={compactCount(worker.queue.ready + worker.queue.leased + worker.queue.delayed)}
        name={stats.queue}
        help={worker.queue.dead > 0 ? stats.dead(worker.queue.dead) : stats.noDead}
      />
      <Figure value={bytes(store.bytes)} name={stats.database} help={stats.free(bytes(store.freeBytes))} />
    </ul>
  );
}

function StoreCounts({ answer }: { readonly answer: Answer }) {
  const { stats } = t.value;
  const { counts, oldest } = answer.store;
  const names = ["sessions", "prompts", "observations", "summaries", "messages", "events"] as const;
  return (
    <DefinitionList
      class="facts num"
      of={[
        ...names.map((name) => [stats.counts[name], counts[name].toLocaleString()] as const),
        [stats.compactions, answer.savings.compactions.toLocaleString()],
        [stats.results, answer.savings.results.toLocaleString()],
        [stats.since, oldest && ago(oldest)],
      ]}
    />
  );
}

function WorkerFacts({ answer }: { readonly answer: Answer }) {
  const { stats } = t.value;
  const { worker } = answer;
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

function Charts({ answer }: { readonly answer: Answer }) {
  const { stats, types } = t.value;
  const { store } = answer;
  return (
    <>
      <PageSection title={stats.byDay}>
        <DayBars days={store.days} />
      </PageSection>
      <div class="side-by-side">
        <PageSection title={stats.byType}>
          <NamedBars
            bars={Object.entries(types).map(([type, name]) => ({
              name,
              value: store.observationsByType[type] ?? 0,
            }))}
          />
        </PageSection>
        <PageSection title={stats.byProject}>
          <NamedBars
            bars={store.projects
              .toSorted((a, b) => b.sessions - a.sessions)
              .slice(0, 8)
              .map(({ project, sessions }) => ({ name: projectName(project), value: sessions }))}
          />
        </PageSection>
      </div>
    </>
  );
}

export default function Stats() {
  const { nav, stats } = t.value;
  const resource = useResource<Answer>("/api/stats", {});
  const { data, reload } = resource;
  const isCounting = data?.savings.isCounting === true;
  // Transcripts of years are read one after the other: the numbers grow while one looks.
  useEffect(() => {
    if (!isCounting) return;
    const timer = setTimeout(reload, REFRESH_MS);
    return () => clearTimeout(timer);
  }, [data, isCounting]);
  return (
    <ReadingPage label={nav.stats}>
      <div class="page-head">
        <h1>{nav.stats}</h1>
        {isCounting && <span class="small muted">{stats.counting}</span>}
      </div>
      <Loaded from={resource}>
        {(answer) => (
          <>
            <SavingsFigures answer={answer} />
            <Charts answer={answer} />
            <div class="side-by-side">
              <PageSection title={stats.kept}>
                <StoreCounts answer={answer} />
              </PageSection>
              <PageSection title={stats.worker}>
                <WorkerFacts answer={answer} />
              </PageSection>
            </div>
          </>
        )}
      </Loaded>
    </ReadingPage>
  );
}

interface DayCount {
  readonly day: string;
  readonly observations: number;
}

const DAY_MS = 86_400_000;
const DAYS_SHOWN = 30;
const BAR_HEIGHT = 110;

/** The last thirty days, oldest first; days without anything are there too. */
function lastDays(days: readonly DayCount[]): DayCount[] {
  const known = new Map(days.map(({ day, observations }) => [day, observations]));
  return Array.from({ length: DAYS_SHOWN }, (_, at) => {
    const day = new Date(locale.value.now - (DAYS_SHOWN - 1 - at) * DAY_MS).toISOString().slice(0, 10);
    return { day, observations: known.get(day) ?? 0 };
  });
}

function DayBars({ days }: { readonly days: readonly DayCount[] }) {
  const { stats } = t.value;
  const shown = lastDays(days);
  const most = Math.max(1, ...shown.map(({ observations }) => observations));
  const nameOf = (day: string) => dateTime(`${day}T12:00:00.000Z`).split(",")[0] ?? day;
  return (
    <figure>
      <svg
        class="day-bars"
        viewBox={`0 0 ${DAYS_SHOWN * 24} ${BAR_HEIGHT}`}
        preserveAspectRatio="none"
        role="img"
        aria-label={stats.daysLabel(shown.reduce((sum, { observations }) => sum + observations, 0))}
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
        <span>{stats.most(most)}</span>
        <span>{stats.today}</span>
      </figcaption>
    </figure>
  );
}

function NamedBars({
  bars,
}: {
  readonly bars: readonly { readonly name: string; readonly value: number }[];
}) {
  const most = Math.max(1, ...bars.map(({ value }) => value));
  return (
    <ul class="named-bars">
      {bars.map(({ name, value }) => (
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
