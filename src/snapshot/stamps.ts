// Times as they stand in snapshots and their names: the person's own clock, to the second.

const two = (value: number): string => String(value).padStart(2, "0");

/** `yyyy-MM-dd HH:mm:ss`. */
export function localStamp(at: number): string {
  const time = new Date(at);
  const day = [String(time.getFullYear()).padStart(4, "0"), two(time.getMonth() + 1), two(time.getDate())];
  return `${day.join("-")} ${[time.getHours(), time.getMinutes(), time.getSeconds()].map(two).join(":")}`;
}

/** The first such time in a text; undefined when there is none, or none that a calendar knows. */
export function readLocalStamp(text: string): number | undefined {
  const parts = /(\d{4})-(\d\d)-(\d\d) (\d\d):(\d\d):(\d\d)/.exec(text);
  return parts ? timeOf(parts.slice(1)) : undefined;
}

export function snapshotName(at: number): string {
  return `compact-snapshot-${localStamp(at).replace(/\D/g, "")}.md`;
}

/** The time in a snapshot's name; undefined for names that are none. */
export function timeInName(name: string): number | undefined {
  const digits = /^compact-snapshot-(\d{4})(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)\.md$/.exec(name);
  return digits ? timeOf(digits.slice(1)) : undefined;
}

function timeOf(parts: readonly string[]): number | undefined {
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = parts.map(Number);
  const at = new Date(year, month - 1, day, hour, minute, second).getTime();
  // A calendar rolls the 45th of a month over into the next one; nobody meant that.
  const isReal = localStamp(at).slice(0, 10) === parts.slice(0, 3).join("-");
  return isReal && hour < 24 && minute < 60 && second < 60 ? at : undefined;
}
