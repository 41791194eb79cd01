// Reads the timetable file and says what is wrong with it.
import { readFile } from "node:fs/promises";
import { weekdayNames } from "./calendar.js";

export async function readTimetable(file) {
  const timetable = JSON.parse(await readFile(file, "utf8"));
  const timetableProblems = timetable.sailings.flatMap(problemsOfSailing);
  if (timetableProblems.length > 0) throw new Error(timetableProblems.join("\n"));
  return timetable;
}

function problemsOfSailing(sailing, index) {
  const found = [];
  for (const day of sailing.days) {
    if (!weekdayNames.includes(day)) found.push(`sailing ${index}: there is no day called ${day}`);
  }
  if (sailing.departures.length === 0) found.push(`sailing ${index}: no departures`);
  return found;
}
