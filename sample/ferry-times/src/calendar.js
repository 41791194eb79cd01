// Days and clocks of a ferry line.

/** A sailing before this hour still belongs to the evening before. */
export const SERVICE_DAY_START_HOUR = 4;

const MINUTES_PER_HOUR = 60;
const MINUTES_PER_DAY = 24 * MINUTES_PER_HOUR;

export const weekdayNames = [
  "sunday",
  "monday",
  "tuesday",
  "wednesday",
  "thursday",
  "friday",
  "saturday",
];

/** "07:45" as minutes since midnight, or null for text that is no time. */
export function parseClock(text) {
  const match = /^(\d{1,2}):(\d{2})$/.exec(text.trim());
  if (!match) return null;
  const hours = Number(match[1]);
  const minutes = Number(match[2]);
  if (hours > 23 || minutes > 59) return null;
  return hours * MINUTES_PER_HOUR + minutes;
}

export function weekdayOf(instant) {
  return weekdayNames[instant.getDay()];
}

/** The day whose timetable is sailed at that moment. */
export function serviceDayOf(instant) {
  return weekdayOf(instant);
}

/** Minutes since the service day's midnight. */
export function minutesIntoServiceDay(instant) {
  return instant.getHours() * MINUTES_PER_HOUR + instant.getMinutes();
}

export function isHoliday(instant, holidays) {
  const year = instant.getFullYear();
  const month = String(instant.getMonth() + 1).padStart(2, "0");
  const day = String(instant.getDate()).padStart(2, "0");
  return holidays.includes(`${year}-${month}-${day}`);
}
