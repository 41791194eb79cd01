// Sessions on the home page: those that run, each with its window, and the last ones with what they cost.
import type { HomeFacts, RunningSession, SessionCard, WindowGauge } from "../../../../src/http/wire.ts";
import { compactCount, dollars, duration } from "../../components/format.ts";
import { Time } from "../../components/layout.tsx";
import { projectName } from "../../state/api.ts";
import { t } from "../../state/preferences.ts";
import { linkTo, sessionLink } from "../../state/route.ts";

const NEARLY_FULL = 0.8;

/** How full the window is, as a bar with its numbers beside it. */
function Gauge({ used, limit, cache, model }: WindowGauge) {
  const { home } = t;
  const share = limit === undefined ? undefined : Math.min(1, used / limit);
  const look = share !== undefined && share >= NEARLY_FULL ? "fill full" : "fill";
  const text = limit === undefined ? compactCount(used) : home.used(compactCount(used), compactCount(limit));
  return (
    <div class="gauge">
      <span class="gauge-numbers num">
        {share !== undefined && <strong>{Math.round(share * 100)} %</strong>}{" "}
        <span class="muted small">{text}</span>
        <span class={`tag ${cache === "warm" ? "good" : ""}`}>{home.cache[cache]}</span>
        {model && <span class="tiny faint mono clip">{model}</span>}
      </span>
      {share !== undefined && (
        <span class="gauge-track" role="img" aria-label={text}>
          <span class={look} style={{ width: `${Math.max(0.5, share * 100)}%` }} />
        </span>
      )}
    </div>
  );
}

function RunningCard({ card, lanes, window }: RunningSession) {
  return (
    <a class="running" data-line href={sessionLink(card.claudeSessionId)}>
      <span class="clip asked">{card.title || t.sessions.untitled}</span>
      <span class="about tiny faint">
        <span>{projectName(card.project)}</span>
        <span>{lanes.join(", ")}</span>
        <Time at={card.lastActivityAt} />
      </span>
      {window ? <Gauge {...window} /> : <p class="small faint">{t.home.noWindow}</p>}
    </a>
  );
}

export function RunningSessions({ running }: HomeFacts) {
  const { home } = t;
  return (
    <section class="card">
      <h2>{home.running}</h2>
      {running.length === 0 && <p class="muted small">{home.noneRunning}</p>}
      {running.map((one) => (
        <RunningCard key={one.card.claudeSessionId} {...one} />
      ))}
    </section>
  );
}

/** What a session cost, in the same words wherever sessions are listed. */
export function SessionFigures({ spent, ...card }: SessionCard) {
  const lasted = card.lastActivityEpoch - card.createdAtEpoch;
  return (
    <span class="session-figures num tiny">
      {lasted > 0 && <span title={t.session.lasted}>{duration(lasted)}</span>}
      {spent && (
        <>
          <span title={t.session.tokensIn}>{compactCount(spent.inputTokens + spent.outputTokens)}</span>
          {spent.compactions > 0 && (
            <span>
              {spent.compactions} {t.session.compactions(spent.compactions)}
            </span>
          )}
          <strong>{spent.dollars === undefined ? "–" : dollars(spent.dollars)}</strong>
        </>
      )}
    </span>
  );
}

export function RecentSessions({ recent }: HomeFacts) {
  const { home } = t;
  return (
    <section class="card">
      <div class="card-head">
        <h2>{home.recent}</h2>
        <a class="small" href={linkTo("sessions")}>
          {home.all}
        </a>
      </div>
      <ul class="recent">
        {recent.map((card) => (
          <li key={card.claudeSessionId}>
            <a class="recent-line" data-line href={sessionLink(card.claudeSessionId)}>
              <span class="clip asked">{card.title || t.sessions.untitled}</span>
              <SessionFigures {...card} />
              <span class="about tiny faint">
                <span>{projectName(card.project)}</span>
                <Time at={card.lastActivityAt} />
                <span>{t.timeline.turns(card.promptCounter)}</span>
              </span>
            </a>
          </li>
        ))}
      </ul>
    </section>
  );
}
