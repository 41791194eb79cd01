// The one place that reads the time, so that everything that depends on it can be tested.

/** Gives the time; tests pass one of their own. */
export interface Clock {
  /** Milliseconds since the epoch. */
  now(): number;
}

export const systemClock: Clock = { now: () => Date.now() };

export const SECOND = 1_000;
export const MINUTE = 60 * SECOND;
export const HOUR = 60 * MINUTE;
export const DAY = 24 * HOUR;

const digits = (value: number, count: number) => `${value}`.padStart(count, "0");

/**
 * The same as `new Date(ms).toISOString()` from 1970 to 9999. That method looks up the system's time zone, for nothing,
 * and takes ten times as long the first time.
 */
export function isoTime(ms: number) {
  const at = new Date(ms);
  const date = `${at.getUTCFullYear()}-${digits(at.getUTCMonth() + 1, 2)}-${digits(at.getUTCDate(), 2)}`;
  const time = `${digits(at.getUTCHours(), 2)}:${digits(at.getUTCMinutes(), 2)}:${digits(at.getUTCSeconds(), 2)}`;
  return `${date}T${time}.${digits(at.getUTCMilliseconds(), 3)}Z`;
}

/** A time as people read it, to the minute: `2026-03-02 09:00`. */
export function minuteOf(isoTime: string) {
  return isoTime.slice(0, 16).replace("T", " ");
}

/** What the work gives, or `"late"` when that takes longer; the work itself goes on. */
export function withinTime<T>(work: Promise<T>, ms: number): Promise<T | "late"> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<"late">((resolve) => {
    timer = setTimeout(resolve, ms, "late");
  });
  return Promise.race([work, late]).finally(() => clearTimeout(timer));
}
