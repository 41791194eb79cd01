// Formats times, days, counts and sizes in the language and the time zone of the reader.
import { signal } from "@preact/signals";

/** Kept up to date by `wearLook`; every formatter uses it unless told otherwise. */
export const reader = signal({
  language: "en" as "en" | "zh",
  /** Milliseconds since the epoch. */
  now: Date.now(),
  /** Minutes east of UTC. One offset for all days: counts by day and the rows below them have to agree. */
  offset: -new Date().getTimezoneOffset(),
});

export type Reader = Readonly<typeof reader.value>;

const MINUTE = 60_000;
const DAY = 86_400_000;

const tags = { en: "en-GB", zh: "zh-CN" } as const;

/** The day of a time, `offset` minutes east of UTC. */
export function dayOf(at: string | number, offset: number): string {
  return new Date(new Date(at).getTime() + offset * MINUTE).toISOString().slice(0, 10);
}

/** When a day begins and ends; `from` is in, `to` is out. */
export function boundsOf(day: string, offset = reader.value.offset) {
  const start = Date.parse(`${day}T00:00:00.000Z`) - offset * MINUTE;
  return { from: new Date(start).toISOString(), to: new Date(start + DAY).toISOString() };
}

export function clockOf(at: string, { language, offset }: Reader = reader.value): string {
  const time = new Date(Date.parse(at) + offset * MINUTE);
  return time.toLocaleTimeString(tags[language], { hour: "2-digit", minute: "2-digit", timeZone: "UTC" });
}

const nearDays = { en: ["Today", "Yesterday"], zh: ["今天", "昨天"] } as const;

/** `Today, Monday 16 November`; the year only when it is another one. */
export function dayTitle(day: string, { language, now, offset }: Reader = reader.value): string {
  const date = new Date(`${day}T00:00:00.000Z`);
  const today = dayOf(now, offset);
  const words = date.toLocaleDateString(tags[language], {
    weekday: "long",
    day: "numeric",
    month: "long",
    timeZone: "UTC",
    ...(day.slice(0, 4) === today.slice(0, 4) ? {} : { year: "numeric" }),
  });
  const back = Math.round((Date.parse(today) - Date.parse(day)) / DAY);
  const near = nearDays[language][back];
  return near === undefined ? words : `${near}${language === "zh" ? "，" : ", "}${words}`;
}

/** `9 Feb`; the year only when it is another one. */
function dateOf(day: string, { language, now, offset }: Reader) {
  return new Date(`${day}T00:00:00.000Z`).toLocaleDateString(tags[language], {
    day: "numeric",
    month: "short",
    timeZone: "UTC",
    ...(day.slice(0, 4) === dayOf(now, offset).slice(0, 4) ? {} : { year: "numeric" }),
  });
}

export function dateTime(at: string, by: Reader = reader.value): string {
  return `${dateOf(dayOf(at, by.offset), by)}, ${clockOf(at, by)}`;
}

/** The time of a thing of today; of any other day its date. */
export function shortTime(at: string, by: Reader = reader.value): string {
  const day = dayOf(at, by.offset);
  return day === dayOf(by.now, by.offset) ? clockOf(at, by) : dateOf(day, by);
}

const steps: readonly (readonly [Intl.RelativeTimeFormatUnit, number])[] = [
  ["year", 365 * DAY],
  ["month", 30 * DAY],
  ["week", 7 * DAY],
  ["day", DAY],
  ["hour", 60 * MINUTE],
  ["minute", MINUTE],
];

/** `3 minutes ago`; below a minute `now`. */
export function ago(at: string, { language, now }: Reader = reader.value): string {
  const past = now - Date.parse(at);
  const format = new Intl.RelativeTimeFormat(tags[language], { numeric: "auto" });
  const step = steps.find(([, length]) => Math.abs(past) >= length);
  return step === undefined
    ? format.format(0, "second")
    : format.format(-Math.round(past / step[1]), step[0]);
}

/** Whole up to 9,999; `18.4M` above. */
export function count(value: number, { language }: Pick<Reader, "language"> = reader.value): string {
  return value < 10_000
    ? value.toLocaleString(tags[language])
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
