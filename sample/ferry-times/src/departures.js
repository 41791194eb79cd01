// Which boats leave next, and from which pier.
import { isHoliday, minutesIntoServiceDay, parseClock, serviceDayOf } from "./calendar.js";

const DEFAULT_LIMIT = 5;

function sailingsFrom(timetable, harbour) {
  return timetable.sailings.filter((sailing) => sailing.from === harbour);
}

function runsOn(sailing, serviceDay, instant, holidays) {
  if (isHoliday(instant, holidays)) return sailing.days.includes("sunday");
  return sailing.days.includes(serviceDay);
}

/** The next departures from a harbour, earliest first. */
export function nextDepartures(timetable, { harbour, instant, holidays = [], limit = DEFAULT_LIMIT }) {
  const serviceDay = serviceDayOf(instant);
  const minutesNow = minutesIntoServiceDay(instant);
  const upcomingSailings = [];
  for (const sailing of sailingsFrom(timetable, harbour)) {
    if (!runsOn(sailing, serviceDay, instant, holidays)) continue;
    for (const clock of sailing.departures) {
      const departureMinutes = parseClock(clock);
      if (departureMinutes === null) continue;
      if (departureMinutes < minutesNow) continue;
      upcomingSailings.push({
        line: sailing.line,
        to: sailing.to,
        pier: sailing.pier,
        clock,
        minutesUntil: departureMinutes - minutesNow,
      });
    }
  }
  return upcomingSailings.sort((a, b) => a.minutesUntil - b.minutesUntil).slice(0, limit);
}
