// The demo project of the sample session: a small program that prints ferry departures, with a bug in it.

const days = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"];

const calendar = `// Days and clocks of a ferry line.

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
  const match = /^(\\d{1,2}):(\\d{2})$/.exec(text.trim());
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
  return holidays.includes(\`\${year}-\${month}-\${day}\`);
}
`;

const departures = `// Which boats leave next, and from which pier.
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
`;

const timetableSource = `// Reads the timetable file and says what is wrong with it.
import { readFile } from "node:fs/promises";
import { weekdayNames } from "./calendar.js";

export async function readTimetable(file) {
  const timetable = JSON.parse(await readFile(file, "utf8"));
  const timetableProblems = timetable.sailings.flatMap(problemsOfSailing);
  if (timetableProblems.length > 0) throw new Error(timetableProblems.join("\\n"));
  return timetable;
}

function problemsOfSailing(sailing, index) {
  const found = [];
  for (const day of sailing.days) {
    if (!weekdayNames.includes(day)) found.push(\`sailing \${index}: there is no day called \${day}\`);
  }
  if (sailing.departures.length === 0) found.push(\`sailing \${index}: no departures\`);
  return found;
}
`;

const format = `// Departures as lines for a terminal or a printed board.

const COLUMN_GAP = 2;

function columnWidths(rows) {
  const widths = [];
  for (const row of rows) {
    row.forEach((cell, column) => {
      widths[column] = Math.max(widths[column] ?? 0, cell.length);
    });
  }
  return widths;
}

export function formatBoard(departures) {
  const rows = departures.map(({ clock, line, to, pier, minutesUntil }) => [
    clock,
    line,
    to,
    \`pier \${pier}\`,
    minutesUntil < 60 ? \`in \${minutesUntil} min\` : "",
  ]);
  const widths = columnWidths(rows);
  return rows
    .map((row) => row.map((cell, column) => cell.padEnd(widths[column] + COLUMN_GAP)).join("").trimEnd())
    .join("\\n");
}
`;

const cli = `#!/usr/bin/env node
// ferry-times HARBOUR [--at "2026-03-13 23:50"]
import { readFile } from "node:fs/promises";
import { nextDepartures } from "./departures.js";
import { formatBoard } from "./format.js";
import { readTimetable } from "./timetable.js";

const [harbour, ...flags] = process.argv.slice(2);
const at = flags[flags.indexOf("--at") + 1];
const instant = flags.includes("--at") ? new Date(at.replace(" ", "T")) : new Date();
const timetable = await readTimetable(new URL("../data/timetable.json", import.meta.url));
const holidays = JSON.parse(await readFile(new URL("../data/holidays.json", import.meta.url), "utf8"));
const departures = nextDepartures(timetable, { harbour, instant, holidays });
console.log(departures.length === 0 ? "No more boats today." : formatBoard(departures));
`;

const departuresTest = `// What the board shows, at any hour of the week.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { nextDepartures } from "../src/departures.js";

const weekdayCommuterFixture = {
  line: "S1",
  from: "Harbour",
  to: "Skerry",
  pier: 2,
  days: ["monday", "tuesday", "wednesday", "thursday", "friday"],
  departures: ["06:15", "07:45", "17:30", "23:20"],
};
const lateNightSkerryFixture = {
  line: "N1",
  from: "Harbour",
  to: "Skerry",
  pier: 4,
  days: ["friday", "saturday"],
  departures: ["23:45", "24:35", "25:20"],
};
const timetable = { sailings: [weekdayCommuterFixture, lateNightSkerryFixture] };
const clocksAt = (when, holidays) =>
  nextDepartures(timetable, { harbour: "Harbour", instant: new Date(when), holidays }).map(({ clock }) => clock);

describe("the board", () => {
  it("shows what is left of a weekday", () => {
    assert.deepEqual(clocksAt("2026-03-11T17:00"), ["17:30", "23:20"]);
  });

  it("shows the late boats on a Friday evening", () => {
    assert.deepEqual(clocksAt("2026-03-13T23:30"), ["23:45", "24:35", "25:20"]);
  });

  it("still shows Friday's late boats after midnight", () => {
    assert.deepEqual(clocksAt("2026-03-14T00:10"), ["24:35", "25:20"]);
  });
});
`;

const changelog = `# Changes

## 1.4.0

- Boards show the pier.
- \`--at\` takes a date and a time.

## 1.3.2

- Holidays follow the Sunday timetable.
`;

/** Sailings between four harbours; late boats are written past 24:00, as printed timetables do. */
function timetable() {
  const harbours = ["Harbour", "Skerry", "Northness", "Millbay"];
  const clock = (minutes) =>
    `${String(Math.floor(minutes / 60)).padStart(2, "0")}:${String(minutes % 60).padStart(2, "0")}`;
  const sailings = [];
  harbours.forEach((from, row) => {
    harbours.forEach((to, column) => {
      if (from === to) return;
      const first = 330 + row * 35 + column * 20;
      const every = 45 + ((row * 3 + column) % 4) * 15;
      const regular = Array.from({ length: 14 }, (_, n) => clock(first + n * every));
      sailings.push({
        line: `S${row + 1}`,
        from,
        to,
        pier: 1 + ((row + column) % 5),
        days: days.slice(0, 5),
        departures: regular,
      });
      sailings.push({
        line: `N${row + 1}`,
        from,
        to,
        pier: 4,
        days: ["friday", "saturday"],
        departures: ["23:45", "24:35", "25:20"],
      });
    });
  });
  return `${JSON.stringify({ sailings }, null, 2)}\n`;
}

export const projectFiles = {
  "src/calendar.js": calendar,
  "src/departures.js": departures,
  "src/timetable.js": timetableSource,
  "src/format.js": format,
  "src/cli.js": cli,
  "test/departures.test.js": departuresTest,
  "data/timetable.json": timetable(),
  "data/holidays.json": '["2026-01-01", "2026-04-03", "2026-04-06", "2026-05-01", "2026-12-25"]\n',
  "CHANGELOG.md": changelog,
};

/** A test run that prints every departure it looks at: far more than anybody reads. */
export function verboseTestLog() {
  const lines = ["> ferry-times@1.4.0 test", "> node --test --test-reporter=spec test/ -- --trace", ""];
  let serial = 0;
  for (const day of days) {
    for (let hour = 0; hour < 24; hour++) {
      for (const harbour of ["Harbour", "Skerry", "Northness", "Millbay"]) {
        serial++;
        const next = `${String((hour + 1) % 24).padStart(2, "0")}:${String((serial * 7) % 60).padStart(2, "0")}`;
        const missed = hour < 4 && (day === "saturday" || day === "sunday");
        const verdict = missed ? "MISSING 24:35 25:20" : `next ${next} pier ${1 + (serial % 5)}`;
        lines.push(
          `trace ${String(serial).padStart(4, "0")} board[${harbour}] ${day} ${String(hour).padStart(2, "0")}:10 considered ${18 + (serial % 11)} sailings, ${verdict}, took 0.${10 + (serial % 83)}ms`,
        );
      }
    }
  }
  lines.push(
    "✖ the board",
    "  ✔ shows what is left of a weekday (0.9ms)",
    "  ✔ shows the late boats on a Friday evening (0.4ms)",
    "  ✖ still shows Friday's late boats after midnight (1.1ms)",
    "    AssertionError [ERR_ASSERTION]: Expected values to be strictly deep-equal:",
    "    + actual - expected",
    "    + []",
    "    - [ '24:35', '25:20' ]",
    "      at TestContext.<anonymous> (test/departures.test.js:39:12)",
    "ℹ tests 3",
    "ℹ pass 2",
    "ℹ fail 1",
  );
  return lines.join("\n");
}
