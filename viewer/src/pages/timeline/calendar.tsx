// A small calendar beside the timeline, darker where more happened. The date field does the same for the keyboard.
import { DAY_MS, dayOf, type Locale, languageTags, locale } from "../../components/format.ts";
import { onValue } from "../../components/layout.tsx";
import { t } from "../../state/preferences.ts";
import type { LoadedDay } from "./days.ts";

interface DayCalendarProps {
  readonly days: readonly LoadedDay[];
  /** The day at the top of the list. */
  readonly current: string;
  readonly onChoose: (day: string) => void;
}

export function DayCalendar({ days, current, onChoose }: DayCalendarProps) {
  return (
    <div class="rail">
      <label class="small muted">
        {t.timeline.jump}
        <input
          type="date"
          class="field"
          value={current}
          onChange={onValue((day) => day !== "" && onChoose(day))}
        />
      </label>
      <div class="calendar" aria-hidden="true">
        {calendarMonths(days, locale.value).map(({ month, weeks }) => (
          <div key={month} class="month">
            <div class="tiny faint">{month}</div>
            {weeks.map((week, row) => (
              <div key={row} class="week">
                {week.map((cell, at) =>
                  cell ? (
                    <button
                      key={at}
                      type="button"
                      tabIndex={-1}
                      class={cell.day === current ? "cell current" : "cell"}
                      data-level={cell.level}
                      disabled={cell.rows === 0}
                      title={`${cell.day} · ${cell.rows}`}
                      onClick={() => onChoose(cell.day)}
                    />
                  ) : (
                    <span key={at} />
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

/** Older days are reached by the date field. */
const MONTHS_SHOWN = 5;

/**
 * The last months, newest first, as weeks from Monday; undefined for days of other months and of the future.
 * `level` is 0 for a day without rows and up to 4 for the fullest.
 */
export function calendarMonths(
  days: readonly { readonly day: string; readonly count: number }[],
  { language, now, offset }: Locale,
) {
  const counts = new Map(days.map(({ day, count }) => [day, count]));
  const most = Math.max(1, ...counts.values());
  const today = dayOf(now, offset);
  const oldest = days.at(-1)?.day ?? today;
  const [year = 0, month = 1] = today.split("-").map(Number);
  const cellAt = (time: number) => {
    const day = dayOf(time, 0);
    if (day > today) return undefined;
    const rows = counts.get(day) ?? 0;
    return { day, rows, level: rows && Math.max(1, Math.ceil(4 * Math.sqrt(rows / most))) };
  };
  const monthAt = (back: number) => {
    const first = Date.UTC(year, month - 1 - back, 1);
    const length = (Date.UTC(year, month - back, 1) - first) / DAY_MS;
    const before = (new Date(first).getUTCDay() + 6) % 7;
    const weeks = Array.from({ length: Math.ceil((before + length) / 7) }, (_, week) =>
      Array.from({ length: 7 }, (_, weekday) => {
        const date = week * 7 + weekday - before;
        return date < 0 || date >= length ? undefined : cellAt(first + date * DAY_MS);
      }),
    );
    const name = new Date(first).toLocaleDateString(languageTags[language], {
      month: "long",
      year: "numeric",
      timeZone: "UTC",
    });
    return { first, month: name, weeks: weeks.filter((week) => week.some((cell) => cell !== undefined)) };
  };
  return Array.from({ length: MONTHS_SHOWN }, (_, back) => monthAt(back)).filter(
    ({ first }, back) => back === 0 || dayOf(first, 0).slice(0, 7) >= oldest.slice(0, 7),
  );
}
