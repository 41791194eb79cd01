// The days at a glance: a small calendar, darker where more happened. The date field does the same for the keyboard.
import { dayOf, type Locale, locale } from "../../components/format.ts";
import { t } from "../../state/preferences.ts";
import type { LoadedDay } from "./days.ts";

interface CalendarProps {
  readonly days: readonly LoadedDay[];
  /** The day that is on top of the list. */
  readonly current: string;
  readonly onChoose: (day: string) => void;
}

export function Calendar({ days, current, onChoose }: CalendarProps) {
  const { timeline } = t.value;
  const months = calendarMonths(days, locale.value);
  return (
    <div class="rail">
      <label class="small muted">
        {timeline.jump}
        <input
          type="date"
          class="field"
          value={current}
          onChange={({ currentTarget }) => currentTarget.value !== "" && onChoose(currentTarget.value)}
        />
      </label>
      <div class="calendar" aria-hidden="true">
        {months.map(({ month, weeks }) => (
          <div key={month} class="month">
            <div class="tiny faint">{month}</div>
            {weeks.map((week) => (
              <div key={week.find((cell) => cell !== undefined)?.day} class="week">
                {week.map((cell, at) =>
                  cell === undefined ? (
                    <span key={at} />
                  ) : (
                    <button
                      key={cell.day}
                      type="button"
                      tabIndex={-1}
                      class={cell.day === current ? "cell current" : "cell"}
                      data-level={cell.level}
                      disabled={cell.rows === 0}
                      title={`${cell.day} · ${cell.rows}`}
                      onClick={() => onChoose(cell.day)}
                    />
                  ),
                )}
              </div>
            ))}
          </div>
        ))}
      </div>
    </div>
  );
}

interface CalendarDay {
  readonly day: string;
  readonly rows: number;
  /** 0 for nothing to 4 for the fullest. */
  readonly level: number;
}

interface CalendarMonth {
  readonly month: string;
  /** From Monday; undefined for days of other months. */
  readonly weeks: readonly (readonly (CalendarDay | undefined)[])[];
}

const DAY_MS = 86_400_000;
/** As far back as a rail can show; older days are reached by their date. */
const MONTHS_SHOWN = 5;

function levelOf(rows: number, most: number) {
  return rows === 0 ? 0 : Math.max(1, Math.ceil((4 * Math.sqrt(rows)) / Math.sqrt(most)));
}

function monthOf(
  year: number,
  month: number,
  cellOf: (day: string) => CalendarDay | undefined,
  language: Locale["language"],
): CalendarMonth {
  const first = Date.UTC(year, month, 1);
  const name = new Date(first).toLocaleDateString(language === "zh" ? "zh-CN" : "en-GB", {
    month: "long",
    year: "numeric",
    timeZone: "UTC",
  });
  const length = (Date.UTC(year, month + 1, 1) - first) / DAY_MS;
  const before = (new Date(first).getUTCDay() + 6) % 7;
  const places = Array.from({ length: Math.ceil((before + length) / 7) * 7 }, (_, at) => {
    const date = at - before;
    return date < 0 || date >= length
      ? undefined
      : cellOf(new Date(first + date * DAY_MS).toISOString().slice(0, 10));
  });
  const weeks = Array.from({ length: places.length / 7 }, (_, week) => places.slice(week * 7, week * 7 + 7));
  return { month: name, weeks: weeks.filter((week) => week.some((cell) => cell !== undefined)) };
}

/** The last months, newest first, no day of the future. */
export function calendarMonths(
  days: readonly { readonly day: string; readonly count: number }[],
  { language, now, offset }: Locale,
): CalendarMonth[] {
  const rows = new Map(days.map(({ day, count }) => [day, count]));
  const most = Math.max(1, ...rows.values());
  const today = dayOf(now, offset);
  const oldest = days.at(-1)?.day ?? today;
  const cellOf = (day: string): CalendarDay | undefined => {
    if (day > today) return undefined;
    const own = rows.get(day) ?? 0;
    return { day, rows: own, level: levelOf(own, most) };
  };
  const [year = 0, month = 1] = today.split("-").map(Number);
  return Array.from({ length: MONTHS_SHOWN }, (_, back) => new Date(Date.UTC(year, month - 1 - back, 1)))
    .filter((first, back) => back === 0 || first.toISOString().slice(0, 7) >= oldest.slice(0, 7))
    .map((first) => monthOf(first.getUTCFullYear(), first.getUTCMonth(), cellOf, language));
}
