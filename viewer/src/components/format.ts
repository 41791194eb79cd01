// Formats times, days, counts and sizes in the language and the time zone of the reader.
import { signal } from "@preact/signals";

/** Kept up to date by `wearLook`; every formatter uses it unless told otherwise. */
export const locale = signal({
  language: "en" as "en" | "zh",
  /** Milliseconds since the epoch. */
  now: Date.now(),
  /** Minutes east of UTC. One offset for all days: counts by day and the rows below them have to agree. */
  offset: -new Date().getTimezoneOffset(),
});

export type Locale = Readonly<typeof locale.value>;

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;

const languageTags = { en: "en-GB", zh: "zh-CN" } as const;

/** The day of a time, `offset` minutes east of UTC. */
export function dayOf(at: string | number, offset: number): string {
  return new Date(new Date(at).getTime() + offset * MINUTE_MS).toISOString().slice(0, 10);
}

/** When a day begins and ends; `from` is in, `to` is out. */
export function dayBounds(day: string, offset = locale.value.offset) {
  const start = Date.parse(`${day}T00:00:00.000Z`) - offset * MINUTE_MS;
  return { from: new Date(start).toISOString(), to: new Date(start + DAY_MS).toISOString() };
}

export function clockTime(at: string, { language, offset }: Locale = locale.value): string {
  const time = new Date(Date.parse(at) + offset * MINUTE_MS);
  return time.toLocaleTimeString(languageTags[language], {
    hour: "2-digit",
    minute: "2-digit",
    timeZone: "UTC",
  });
}

const nearDays = { en: ["Today", "Yesterday"], zh: ["今天", "昨天"] } as const;

/** `Today, Monday 16 November`; the year only when it is another one. */
export function dayTitle(day: string, { language, now, offset }: Locale = locale.value): string {
  const date = new Date(`${day}T00:00:00.000Z`);
  const today = dayOf(now, offset);
  const words = date.toLocaleDateString(languageTags[language], {
    weekday: "long",
    day: "numeric",
    month: "long",
    timeZone: "UTC",
    ...(day.slice(0, 4) === today.slice(0, 4) ? {} : { year: "numeric" }),
  });
  const back = Math.round((Date.parse(today) - Date.parse(day)) / DAY_MS);
  const near = nearDays[language][back];
  return near === undefined ? words : `${near}${language === "zh" ? "，" : ", "}${words}`;
}

/** `9 Feb`; the year only when it is another one. */
function dateOf(day: string, { language, now, offset }: Locale) {
  return new Date(`${day}T00:00:00.000Z`).toLocaleDateString(languageTags[language], {
    day: "numeric",
    month: "short",
    timeZone: "UTC",
    ...(day.slice(0, 4) === dayOf(now, offset).slice(0, 4) ? {} : { year: "numeric" }),
  });
}

export function dateTime(at: string, by: Locale = locale.value): string {
  return `${dateOf(dayOf(at, by.offset), by)}, ${clockTime(at, by)}`;
}

/** The time of a thing of today; of any other day its date. */
export function shortTime(at: string, by: Locale = locale.value): string {
  const day = dayOf(at, by.offset);
  return day === dayOf(by.now, by.offset) ? clockTime(at, by) : dateOf(day, by);
}

const timeUnits: readonly (readonly [Intl.RelativeTimeFormatUnit, number])[] = [
  ["year", 365 * DAY_MS],
  ["month", 30 * DAY_MS],
  ["week", 7 * DAY_MS],
  ["day", DAY_MS],
  ["hour", 60 * MINUTE_MS],
  ["minute", MINUTE_MS],
];

/** `3 minutes ago`; below a minute `now`. */
export function ago(at: string, { language, now }: Locale = locale.value): string {
  const past = now - Date.parse(at);
  const format = new Intl.RelativeTimeFormat(languageTags[language], { numeric: "auto" });
  const step = timeUnits.find(([, length]) => Math.abs(past) >= length);
  return step === undefined
    ? format.format(0, "second")
    : format.format(-Math.round(past / step[1]), step[0]);
}

/** Whole up to 9,999; `18.4M` above. */
export function compactCount(value: number, { language }: Pick<Locale, "language"> = locale.value): string {
  return value < 10_000
    ? value.toLocaleString(languageTags[language])
    : value.toLocaleString(language === "zh" ? "zh-CN" : "en-US", {
        notation: "compact",
        maximumSignificantDigits: 3,
      });
}

export function bytes(value: number): string {
  const units = ["B", "KB", "MB", "GB", "TB"];
  const step = Math.min(units.length - 1, Math.floor(Math.log10(Math.max(1, value)) / 3));
  const size = value / 1_000 ** step;
  return `${step === 0 || size >= 100 ? Math.round(size) : size.toFixed(1)} ${units[step]}`;
}

export function dollars(value: number): string {
  return `$${value < 100 ? value.toFixed(2) : Math.round(value).toLocaleString("en-US")}`;
}

export function percent(share: number): string {
  return `${(share * 100).toFixed(share > 0.995 || share < 0.1 ? 1 : 0)} %`;
}
