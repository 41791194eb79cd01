// Times as people read them and as file names carry them, all in one time zone.

function fields(at: number, timeZone: string | undefined, options: Intl.DateTimeFormatOptions) {
  const format = new Intl.DateTimeFormat("en-US", {
    ...options,
    ...(timeZone === undefined ? {} : { timeZone }),
  });
  return Object.fromEntries(format.formatToParts(at).map(({ type, value }) => [type, value]));
}

/** `Feb 3, 2025 at 10:30 AM GMT+1` */
export function longTime(at: number, timeZone?: string): string {
  const { month, day, year, hour, minute, dayPeriod, timeZoneName } = fields(at, timeZone, {
    month: "short",
    day: "numeric",
    year: "numeric",
    hour: "numeric",
    minute: "2-digit",
    hour12: true,
    timeZoneName: "short",
  });
  return `${month} ${day}, ${year} at ${hour}:${minute} ${dayPeriod} ${timeZoneName}`;
}

/** The day `2025-02-03` and the minute `1030`, of the same moment in the same zone. */
export function nameTimes(at: number, timeZone?: string): { readonly date: string; readonly time: string } {
  const { month, day, year, hour, minute } = fields(at, timeZone, {
    month: "2-digit",
    day: "2-digit",
    year: "numeric",
    hour: "2-digit",
    minute: "2-digit",
    hourCycle: "h23",
  });
  return { date: `${year?.padStart(4, "0")}-${month}-${day}`, time: `${hour}${minute}` };
}
