// The days at a glance: a small calendar, darker where more happened. The date field does the same for the keyboard.

import { t } from "../../state/look.ts";
import { reader } from "../../state/reader.ts";
import type { DayShelf } from "./days.ts";
import { railOf } from "./weeks.ts";

interface RailProps {
  readonly days: readonly DayShelf[];
  /** The day that is on top of the list. */
  readonly current: string;
  readonly onChoose: (day: string) => void;
}

export function Rail({ days, current, onChoose }: RailProps) {
  const { timeline } = t.value;
  const months = railOf(days, reader.value);
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
