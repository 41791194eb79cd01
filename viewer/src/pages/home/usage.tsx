// What was spent and kept out of windows, today and in seven days, with each lane on its own line.
import type { UsagePeriod, UsageSummary } from "../../../../src/http/wire.ts";
import { compactCount, dollars, percent } from "../../components/format.ts";
import { DataTable } from "../../components/layout.tsx";
import { t } from "../../state/preferences.ts";

interface PeriodProps {
  readonly title: string;
  readonly of: UsagePeriod;
  readonly isCounting: boolean;
}

function Period({ title, of, isCounting }: PeriodProps) {
  const { home } = t;
  const { inputTokens, cachedTokens, outputTokens } = of;
  return (
    <div class="period">
      <span class="small muted">{title}</span>
      <strong class="num">{isCounting && of.requests === 0 ? "…" : dollars(of.dollars)}</strong>
      <span class="tiny faint num">
        {home.requests(of.requests)} · {home.tokens(compactCount(inputTokens + outputTokens))}
        {inputTokens > 0 && ` · ${t.session.cachedShare(percent(cachedTokens / inputTokens))}`}
      </span>
      <span class="tiny num kept-out">{home.keptOut(compactCount(of.keptOutTokens))}</span>
    </div>
  );
}

export function Usage({ today, week, unread, isCounting }: UsageSummary) {
  const { home } = t;
  return (
    <section class="card">
      <div class="card-head">
        <h2>{home.spent}</h2>
        {isCounting && (
          <span class="small muted" role="status">
            {t.stats.counting}
          </span>
        )}
      </div>
      <div class="periods">
        <Period title={home.today} of={today} isCounting={isCounting} />
        <Period title={home.week} of={week} isCounting={isCounting} />
      </div>
      {week.lanes.length > 0 && (
        <DataTable
          heads={[
            home.lane,
            home.sessions,
            home.requestsHead,
            home.tokensHead,
            home.keptOutHead,
            home.costHead,
          ]}
          rows={week.lanes.map((one) => [
            one.lane,
            one.sessions,
            compactCount(one.requests),
            compactCount(one.inputTokens + one.outputTokens),
            compactCount(one.keptOutTokens),
            dollars(one.dollars),
          ])}
        />
      )}
      <p class="tiny faint">
        {home.measured}
        {unread > 0 && ` ${home.unread(unread)}`}
        {week.unpriced > 0 && ` ${home.unpriced(week.unpriced)}`}
      </p>
    </section>
  );
}
