// Formats times, days, counts and sizes in the reader's language and time zone.
import { signal } from "@preact/signals";

/** Kept current by `applyPreferences`; the default of every formatter. */
export const locale = signal({
  language: "en" as "en" | "zh",
  /** Milliseconds since the epoch. */
  now: Date.now(),
  /** Minutes east of UTC. One offset for all days: counts by day and the rows below them have to agree. */
  offset: -new Date().getTimezoneOffset(),
});

export type Locale = Readonly<typeof locale.value>;

const MINUTE_MS = 60_000;
export const DAY_MS = 86_400_000;

export const languageTags = { en: "en-GB", zh: "zh-CN" } as const;

/** The day of a time, `offset` minutes east of UTC. */
export function dayOf(at: string | number, offset: number) {
  return new Date(new Date(at).getTime() + offset * MINUTE_MS).toISOString().slice(0, 10);
}

/** The times at which a day begins and ends; the end is excluded. */
export function dayBounds(day: string, offset = locale.value.offset) {
  const start = Date.parse(`${day}T00:00:00.000Z`) - offset * MINUTE_MS;
  return { from: new Date(start).toISOString(), to: new Date(start + DAY_MS).toISOString() };
}

export function clockTime(at: string, { language, offset } = locale.value) {
  const time = new Date(Date.parse(at) + offset * MINUTE_MS);
  return time.toLocaleTimeString(languageTags[language], {
    hour: "2-digit",
    minute: "2-digit",
    timeZone: "UTC",
  });
}

/** A day with the given parts of a date; the year only when it is not the current one. */
function dateText(day: string, { language, now, offset }: Locale, parts: Intl.DateTimeFormatOptions) {
  return new Date(`${day}T00:00:00.000Z`).toLocaleDateString(languageTags[language], {
    ...parts,
    day: "numeric",
    timeZone: "UTC",
    year: day.slice(0, 4) === dayOf(now, offset).slice(0, 4) ? undefined : "numeric",
  });
}

const nearDays = { en: ["Today, ", "Yesterday, "], zh: ["今天，", "昨天，"] } as const;

/** `Today, Monday 16 November`. */
export function dayTitle(day: string, by: Locale = locale.value) {
  const back = Math.round((Date.parse(dayOf(by.now, by.offset)) - Date.parse(day)) / DAY_MS);
  const near = nearDays[by.language][back] ?? "";
  return near + dateText(day, by, { weekday: "long", month: "long" });
}

/** `9 Feb, 10:54`. */
export function dateTime(at: string, by: Locale = locale.value) {
  return `${dateText(dayOf(at, by.offset), by, { month: "short" })}, ${clockTime(at, by)}`;
}

/** The clock time of a thing of today; the date of an earlier one. */
export function shortTime(at: string, by: Locale = locale.value) {
  const day = dayOf(at, by.offset);
  return day === dayOf(by.now, by.offset) ? clockTime(at, by) : dateText(day, by, { month: "short" });
}

const timeUnits = [
  ["year", 365 * DAY_MS],
  ["month", 30 * DAY_MS],
  ["week", 7 * DAY_MS],
  ["day", DAY_MS],
  ["hour", 60 * MINUTE_MS],
  ["minute", MINUTE_MS],
] as const;

/** `3 minutes ago`; below a minute `now`. */
export function ago(at: string, { language, now } = locale.value) {
  // Clocks differ, and an import may bring rows of later today: nothing on the page has yet to happen.
  const past = Math.max(0, now - Date.parse(at));
  const [unit, length] = timeUnits.find(([, least]) => past >= least) ?? ["second", 0];
  const count = length === 0 ? 0 : -Math.round(past / length);
  return new Intl.RelativeTimeFormat(languageTags[language], { numeric: "auto" }).format(count, unit);
}

/** Whole up to 9,999; `18.4M` above. */
export function compactCount(value: number, { language } = locale.value) {
  return value < 10_000
    ? value.toLocaleString(languageTags[language])
    : value.toLocaleString(language === "zh" ? "zh-CN" : "en-US", {
        notation: "compact",
        maximumSignificantDigits: 3,
      });
}

export function bytes(value: number) {
  const units = ["B", "KB", "MB", "GB", "TB"];
  const step = Math.min(units.length - 1, Math.floor(Math.log10(Math.max(1, value)) / 3));
  const size = value / 1_000 ** step;
  return `${step === 0 || size >= 100 ? Math.round(size) : size.toFixed(1)} ${units[step]}`;
}

/** `820 ms`, `4.2 s`, `3 min 5 s`, `2 h 10 min`. */
export function duration(ms: number) {
  if (ms < 1_000) return `${Math.round(ms)} ms`;
  const seconds = ms / 1_000;
  if (seconds < 10) return `${seconds.toFixed(1).replace(/\.0$/, "")} s`;
  if (seconds < 60) return `${Math.round(seconds)} s`;
  const minutes = Math.round(seconds / 60);
  if (seconds < 600) return `${Math.floor(seconds / 60)} min ${Math.round(seconds % 60)} s`;
  return minutes < 60 ? `${minutes} min` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

export function dollars(value: number) {
  if (value > 0 && value < 0.005) return "<$0.01";
  return `$${value < 100 ? value.toFixed(2) : Math.round(value).toLocaleString("en-US")}`;
}

export function percent(share: number) {
  return `${(share * 100).toFixed(share > 0.995 || share < 0.1 ? 1 : 0)} %`;
}
