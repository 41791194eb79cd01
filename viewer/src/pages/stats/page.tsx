// What it all came to: tokens and money saved, how much the cache gave, how quick hooks are, what is kept.
import type { ComponentChildren } from "preact";
import { useEffect } from "preact/hooks";
import type { Stats as Answer } from "../../../../src/http/wire.ts";
import { ago, bytes, count, dollars, percent } from "../../parts/format.ts";
import { ReadingPage } from "../../parts/reading.tsx";
import { useResource } from "../../parts/resource.ts";
import { Bones, ProblemNote } from "../../parts/states.tsx";
import { observationTypes } from "../../state/kinds.ts";
import { t } from "../../state/look.ts";
import { reader } from "../../state/reader.ts";
import { projectName } from "../../state/worker.ts";
import { ask } from "../../wire.ts";
import { DayBars, NamedBars } from "./bars.tsx";

const AGAIN_MS = 2_000;

function Figure(props: { readonly value: string; readonly name: string; readonly help?: string }) {
  return (
    <li class="figure">
      <strong class="num">{props.value}</strong>
      <span>{props.name}</span>
      {props.help !== undefined && <span class="tiny faint">{props.help}</span>}
    </li>
  );
}

function Block({ title, children }: { readonly title: string; readonly children: ComponentChildren }) {
  return (
    <section class="block">
      <h2>{title}</h2>
      {children}
    </section>
  );
}

function Saved({ answer }: { readonly answer: Answer }) {
  const { stats } = t.value;
  const { savings, worker, store } = answer;
  const amount = (value: number): string => count(value, reader.value);
  return (
    <ul class="figures">
      <Figure value={amount(savings.tokens)} name={stats.tokensSaved} help={stats.tokensHelp} />
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
        value={amount(worker.queue.ready + worker.queue.leased + worker.queue.delayed)}
        name={stats.queue}
        help={worker.queue.dead > 0 ? stats.dead(worker.queue.dead) : stats.noDead}
      />
      <Figure value={bytes(store.bytes)} name={stats.database} help={stats.free(bytes(store.freeBytes))} />
    </ul>
  );
}

function Counts({ answer }: { readonly answer: Answer }) {
  const { stats } = t.value;
  const { counts, oldest } = answer.store;
  const names = ["sessions", "prompts", "observations", "summaries", "messages", "events"] as const;
  return (
    <dl class="facts num">
      {names.map((name) => (
        <>
          <dt key={`${name} name`}>{stats.counts[name]}</dt>
          <dd key={name}>{counts[name].toLocaleString()}</dd>
        </>
      ))}
      <dt>{stats.compactions}</dt>
      <dd>{answer.savings.compactions.toLocaleString()}</dd>
      <dt>{stats.results}</dt>
      <dd>{answer.savings.results.toLocaleString()}</dd>
      {oldest !== undefined && (
        <>
          <dt>{stats.since}</dt>
          <dd>{ago(oldest, reader.value)}</dd>
        </>
      )}
    </dl>
  );
}

function Worker({ answer }: { readonly answer: Answer }) {
  const { stats } = t.value;
  const { worker } = answer;
  return (
    <dl class="facts num">
      <dt>{stats.version}</dt>
      <dd>
        {worker.version} · Node {worker.node}
      </dd>
      <dt>{stats.started}</dt>
      <dd>{ago(worker.startedAt, reader.value)}</dd>
      <dt>{stats.lastEvent}</dt>
      <dd>{worker.lastEventAt === null ? stats.never : ago(worker.lastEventAt, reader.value)}</dd>
      <dt>{stats.memory}</dt>
      <dd>{bytes(worker.rss)}</dd>
      <dt>{stats.process}</dt>
      <dd>
        {worker.pid} · 127.0.0.1:{worker.port}
      </dd>
      {worker.problem !== null && (
        <>
          <dt>{stats.problem}</dt>
          <dd>{worker.problem}</dd>
        </>
      )}
    </dl>
  );
}

function Charts({ answer }: { readonly answer: Answer }) {
  const { stats, types } = t.value;
  const { store } = answer;
  return (
    <>
      <Block title={stats.byDay}>
        <DayBars days={store.days} />
      </Block>
      <div class="side-by-side">
        <Block title={stats.byType}>
          <NamedBars
            bars={observationTypes.map((type) => ({
              name: types[type],
              value: store.observationsByType[type] ?? 0,
            }))}
          />
        </Block>
        <Block title={stats.byProject}>
          <NamedBars
            bars={store.projects
              .toSorted((a, b) => b.sessions - a.sessions)
              .slice(0, 8)
              .map(({ project, sessions }) => ({ name: projectName(project), value: sessions }))}
          />
        </Block>
      </div>
    </>
  );
}

export default function Stats() {
  const { nav, stats } = t.value;
  const { data, error, reload } = useResource("stats", (signal) =>
    ask<Answer>("/api/stats", undefined, signal),
  );
  const isCounting = data?.savings.isCounting === true;
  // Transcripts of years are read one after the other: the numbers grow while one looks.
  useEffect(() => {
    if (!isCounting) return;
    const timer = setTimeout(reload, AGAIN_MS);
    return () => clearTimeout(timer);
  }, [data, isCounting]);
  return (
    <ReadingPage label={nav.stats}>
      <div class="page-head">
        <h1>{nav.stats}</h1>
        {isCounting && <span class="small muted">{stats.counting}</span>}
      </div>
      {error !== undefined && <ProblemNote error={error} retry={reload} />}
      {data === undefined ? (
        error === undefined && <Bones />
      ) : (
        <>
          <Saved answer={data} />
          <Charts answer={data} />
          <div class="side-by-side">
            <Block title={stats.kept}>
              <Counts answer={data} />
            </Block>
            <Block title={stats.worker}>
              <Worker answer={data} />
            </Block>
          </div>
        </>
      )}
    </ReadingPage>
  );
}
