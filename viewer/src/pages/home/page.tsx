// Home: what runs and how full its window is, what was spent, what was decided last, what waits for a person, and whether all works.
import { useEffect } from "preact/hooks";
import type { Decision, HomeFacts, Stats } from "../../../../src/http/wire.ts";
import { ago, duration, locale } from "../../components/format.ts";
import { Icon } from "../../components/icon.tsx";
import { ItemPanel } from "../../components/itemPanel.tsx";
import { LineButton, PageFrame, Time } from "../../components/layout.tsx";
import { Loaded, useResource } from "../../components/resource.tsx";
import { me, projectName } from "../../state/api.ts";
import { isLive, lastRow } from "../../state/feed.ts";
import { t } from "../../state/preferences.ts";
import { addressOf, linkTo } from "../../state/route.ts";
import { turnKey } from "../../turns/turns.ts";
import { FirstSteps } from "./firstSteps.tsx";
import { RecentSessions, RunningSessions } from "./sessions.tsx";
import { Usage } from "./usage.tsx";

const REFRESH_MS = 10_000;
const COUNTING_MS = 1_500;

function DecisionLine({ decision }: { readonly decision: Decision }) {
  const { title, because, evidence, at, project, session, promptNumber } = decision;
  const { home } = t;
  const turn = addressOf({ page: "session", id: session, filters: { turn: turnKey(session, promptNumber) } });
  return (
    <li class="decision">
      <LineButton name="item" id={decision.ref} class="decision-open">
        <Icon name="decision" />
        <span class="words">
          <span class="asked">{title}</span>
          {because && <span class="outcome clamp">{because}</span>}
        </span>
      </LineButton>
      <p class="about tiny faint">
        <span>{projectName(project)}</span>
        <Time at={at} />
        <a href={turn}>{evidence > 0 ? home.restsOn(evidence) : home.openTurn}</a>
      </p>
    </li>
  );
}

function Decisions({ decisions }: HomeFacts) {
  const { home } = t;
  return (
    <section class="card">
      <h2>{home.decisions}</h2>
      {decisions.length === 0 && <p class="muted small">{home.noDecisions}</p>}
      <ul>
        {decisions.map((decision) => (
          <DecisionLine key={decision.ref} decision={decision} />
        ))}
      </ul>
    </section>
  );
}

/** What waits for a person; left out when nothing does. */
function Waiting({ quarantined, dead }: Pick<HomeFacts, "quarantined"> & { readonly dead: number }) {
  const { home, memory, stats } = t;
  if (quarantined.length === 0 && dead === 0) return null;
  return (
    <section class="card waits">
      <h2>{home.waiting}</h2>
      <ul>
        {quarantined.map(({ project, count }) => (
          <li key={project}>
            <a class="line" data-line href={addressOf({ page: "memory", filters: { project } })}>
              <Icon name="memory" />
              <span class="clip">
                {memory.waiting(count)} <span class="sub">{projectName(project)}</span>
              </span>
              <Icon name="next" />
            </a>
          </li>
        ))}
        {dead > 0 && (
          <li>
            <a class="line" data-line href={linkTo("stats")}>
              <Icon name="warn" />
              <span class="clip">{stats.dead(dead)}</span>
              <Icon name="next" />
            </a>
          </li>
        )}
      </ul>
    </section>
  );
}

/** Health in one line: the first thing that is wrong, or what works. */
function Health({ worker }: Stats) {
  const { home } = t;
  const { problem, hooks, lastEventAt, paused } = worker;
  const wrong = problem ?? (paused ? t.live.captureOff : undefined);
  const facts = [
    hooks && home.hooks(duration(hooks.p50), duration(hooks.p95)),
    lastEventAt !== null && home.lastEvent(ago(lastEventAt, locale.value)),
  ].filter(Boolean);
  return (
    <a class="health small" href={linkTo("stats")}>
      <span class={wrong === undefined ? "dot on" : "dot off"} />
      <strong>{wrong ?? home.works}</strong>
      {wrong === undefined && <span class="faint num">{facts.join(" · ")}</span>}
    </a>
  );
}

export default function Home() {
  const { offset } = locale.value;
  const resource = useResource<HomeFacts>("/api/home", { offset });
  const stats = useResource<Stats>("/api/stats", {});
  const isCounting = resource.data?.usage.isCounting === true;
  // Loads again when something happened, and at most once in a while; nothing moves but the numbers.
  const news = isLive.value ? lastRow.value?.key : undefined;
  useEffect(() => {
    if (!isCounting && news === undefined) return;
    const timer = setTimeout(resource.reload, isCounting ? COUNTING_MS : REFRESH_MS);
    return () => clearTimeout(timer);
  }, [resource.data, news, isCounting]);
  return (
    <PageFrame
      title={t.nav.home}
      class="page home"
      head={stats.data && <Health {...stats.data} />}
      panel={<ItemPanel />}
    >
      <Loaded from={resource}>
        {(facts) =>
          facts.steps.captured || facts.recent.length > 0 ? (
            <div class="cards">
              <div class="column">
                <RunningSessions {...facts} />
                <RecentSessions {...facts} />
                <Decisions {...facts} />
              </div>
              <div class="column">
                <Waiting quarantined={facts.quarantined} dead={stats.data?.worker.queue.dead ?? 0} />
                <Usage {...facts.usage} />
              </div>
            </div>
          ) : (
            <FirstSteps {...facts.steps} isPaused={me.value?.paused === true} />
          )
        }
      </Loaded>
    </PageFrame>
  );
}
