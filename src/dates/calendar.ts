// Days and times as the reader of an index has them on the clock beside it.

import type { Language } from "../home/index.ts";
import { DAY, defined } from "../lib/index.ts";

export interface Calendar {
  /** `Oct 26, 2025` */
  day(epoch: number): string;
  /** `Oct 26` */
  shortDay(epoch: number): string;
  /** `1:15 AM` */
  time(epoch: number): string;
  /** Days between two moments, by the dates on the wall. */
  daysBetween(earlier: number, later: number): number;
}

/** The system's time zone unless one is given. */
export function calendarOf(language: Language, timeZone?: string): Calendar {
  const format = new Intl.DateTimeFormat("en-US", {
    year: "numeric",
    month: language === "zh" ? "numeric" : "short",
    day: "numeric",
    hour: "numeric",
    minute: "2-digit",
    hourCycle: language === "zh" ? "h23" : "h12",
    ...defined({ timeZone }),
  });
  const partsOf = (epoch: number): Readonly<Record<string, string>> =>
    Object.fromEntries(format.formatToParts(epoch).map(({ type, value }) => [type, value]));
  const numbers = new Intl.DateTimeFormat("en-CA", {
    year: "numeric",
    month: "2-digit",
    day: "2-digit",
    ...defined({ timeZone }),
  });
  const midnight = (epoch: number) => Date.parse(`${numbers.format(epoch)}T00:00:00Z`);
  return {
    day(epoch) {
      const { year, month, day } = partsOf(epoch);
      return language === "zh" ? `${year}年${month}月${day}日` : `${month} ${day}, ${year}`;
    },
    shortDay(epoch) {
      const { month, day } = partsOf(epoch);
      return language === "zh" ? `${month}月${day}日` : `${month} ${day}`;
    },
    time(epoch) {
      const { hour, minute, dayPeriod } = partsOf(epoch);
      return language === "zh" ? `${hour}:${minute}` : `${hour}:${minute} ${dayPeriod}`;
    },
    daysBetween: (earlier, later) => Math.max(0, Math.round((midnight(later) - midnight(earlier)) / DAY)),
  };
}
