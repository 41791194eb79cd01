// Small bars: a month of days, and a few names with their amounts. Each says its number in words too.
import { dateTime } from "../../parts/format.ts";
import { t } from "../../state/look.ts";
import { reader } from "../../state/reader.ts";

interface DayCount {
  readonly day: string;
  readonly observations: number;
}

const DAY = 86_400_000;
const DAYS = 30;
const HEIGHT = 110;

/** The last thirty days, oldest first; days without anything are there too. */
function lastDays(days: readonly DayCount[], now: number): DayCount[] {
  const known = new Map(days.map(({ day, observations }) => [day, observations]));
  return Array.from({ length: DAYS }, (_, at) => {
    const day = new Date(now - (DAYS - 1 - at) * DAY).toISOString().slice(0, 10);
    return { day, observations: known.get(day) ?? 0 };
  });
}

export function DayBars({ days }: { readonly days: readonly DayCount[] }) {
  const { stats } = t.value;
  const shown = lastDays(days, reader.value.now);
  const most = Math.max(1, ...shown.map(({ observations }) => observations));
  const nameOf = (day: string): string => dateTime(`${day}T12:00:00.000Z`, reader.value).split(",")[0] ?? day;
  return (
    <figure>
      <svg
        class="day-bars"
        viewBox={`0 0 ${DAYS * 24} ${HEIGHT}`}
        preserveAspectRatio="none"
        role="img"
        aria-label={stats.daysLabel(shown.reduce((sum, { observations }) => sum + observations, 0))}
      >
        {shown.map(({ day, observations }, at) => {
          const height = observations === 0 ? 2 : Math.max(3, (observations / most) * (HEIGHT - 6));
          return (
            <rect
              key={day}
              class={observations === 0 ? "none" : undefined}
              x={at * 24 + 3}
              y={HEIGHT - height}
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

interface NamedBar {
  readonly name: string;
  readonly value: number;
}

export function NamedBars({ bars }: { readonly bars: readonly NamedBar[] }) {
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
