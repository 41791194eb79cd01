// The head of a session: what it was about, and what it cost in one line of figures.
import type { LiveCost, SessionCost, SessionDetail } from "../../../../src/http/wire.ts";
import { compactCount, dateTime, dollars, duration, percent } from "../../components/format.ts";
import { Icon } from "../../components/icon.tsx";
import { Time } from "../../components/layout.tsx";
import { t } from "../../state/preferences.ts";
import { linkTo } from "../../state/route.ts";

type Figure = readonly [value: string, name: string, help?: string];

function costFigures({
  inputTokens,
  cacheReadTokens,
  cacheWriteTokens,
  outputTokens,
  ...cost
}: SessionCost): Figure[] {
  const { session } = t;
  const input = inputTokens + cacheReadTokens + cacheWriteTokens;
  const detail = session.inputDetail(
    compactCount(inputTokens),
    compactCount(cacheReadTokens),
    compactCount(cacheWriteTokens),
  );
  return [
    ...(cost.dollars === undefined
      ? []
      : [[dollars(cost.dollars), session.cost, cost.models.join(", ")] as const]),
    [compactCount(cost.requests), session.requestCount(cost.requests)],
    [compactCount(input), session.tokensIn, detail],
    [compactCount(outputTokens), session.tokensOut],
    ...(input > 0 ? [[percent(cacheReadTokens / input), session.fromCache] as const] : []),
  ];
}

function FigureLine({ of }: { readonly of: readonly Figure[] }) {
  return (
    <ul class="figure-line num">
      {of.map(([value, name, help]) => (
        <li key={name} title={help}>
          <strong>{value}</strong> <span>{name}</span>
        </li>
      ))}
    </ul>
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

interface HeadProps {
  readonly detail: SessionDetail;
  readonly cost: SessionCost | undefined;
  /** Compactions as the chart counts them; undefined before the window is known. */
  readonly compactions: number | undefined;
}

export function SessionHead({ detail, cost, compactions }: HeadProps) {
  const { session, projectName, lanes, live } = detail;
  const spent = Date.parse(session.lastActivityAt) - Date.parse(session.createdAt);
  return (
    <header class="session-head">
      <p class="about small muted num">
        <a class="small" href={linkTo("sessions")}>
          <Icon name="back" /> {t.nav.sessions}
        </a>
        <span>{projectName}</span>
        <Time at={session.createdAt} as={dateTime} />
        <span>{t.sessions[session.status]}</span>
        {lanes.length > 0 && <span>{t.session.lanes(lanes.join(", "))}</span>}
      </p>
      <h1>{session.title}</h1>
      <FigureLine
        of={[
          ...(cost ? costFigures(cost) : []),
          ...(spent > 0 ? [[duration(spent), t.session.lasted] as const] : []),
          [compactCount(session.promptCounter), t.session.turnCount(session.promptCounter)],
          ...(compactions === undefined
            ? []
            : [[String(compactions), t.session.compactions(compactions)] as const]),
        ]}
      />
      {live && <LiveDollars {...live} />}
    </header>
  );
}
