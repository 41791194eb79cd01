// Counts and times as a person reads them.

/** `1 session`, `1,200 sessions`. */
export const counted = (count: number, one: string, many = `${one}s`): string =>
  `${count.toLocaleString("en-US")} ${count === 1 ? one : many}`;

const two = (value: number): string => String(value).padStart(2, "0");

/** Day and minute on the clock of whoever reads it. */
export function localMinute(at: string | number): string {
  const time = new Date(at);
  if (Number.isNaN(time.getTime())) return String(at);
  const day = [time.getFullYear(), two(time.getMonth() + 1), two(time.getDate())].join("-");
  return `${day} ${two(time.getHours())}:${two(time.getMinutes())}`;
}

/** How long ago something was. */
export function ageOf(hours: number): string {
  const minutes = Math.floor(hours * 60);
  if (minutes < 0) return "of the future";
  if (minutes < 1) return "just now";
  if (minutes < 60) return `${minutes} min ago`;
  return hours < 48 ? `${hours.toFixed(1)} h ago` : `${Math.floor(hours / 24)} days ago`;
}
