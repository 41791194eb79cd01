// What happens in the sample session, step by step: the user's words, the agent's thoughts, calls and answers.
import { verboseTestLog } from "./project.mjs";

const shortTestRun = (count) => `✔ the board (3.2ms)\nℹ tests ${count}\nℹ pass ${count}\nℹ fail 0`;

/** `agent` offers: user, think, say, read, grep, bash, edit, pause. Files change as the edits say. */
export function tellStory(agent) {
  findTheBug(agent);
  agent.pause(9);
  fixIt(agent);
  agent.pause(74);
  fixTheBoard(agent);
  agent.pause(2);
  testHolidays(agent);
  agent.pause(7);
  writeItDown(agent);
}

function findTheBug(agent) {
  agent.user(
    "The 00:35 boat from Harbour to Skerry is missing on Friday nights. People at the pier keep asking us. Can you find out why the board does not show it?",
  );
  agent.think(
    "The board is computed somewhere in src. I look at the layout first, then for how times after midnight are written.",
  );
  agent.bash(
    "ls -R src test data",
    "data:\nholidays.json\ntimetable.json\n\nsrc:\ncalendar.js\ncli.js\ndepartures.js\nformat.js\ntimetable.js\n\ntest:\ndepartures.test.js",
  );
  agent.grep("24:|25:", "data/timetable.json");
  agent.read("src/departures.js");
  agent.read("src/calendar.js");
  agent.think(
    "parseClock refuses hours above 23, so 24:35 becomes null and nextDepartures passes over it. And after midnight serviceDayOf already says saturday. I confirm both with the program.",
  );
  agent.bash('node src/cli.js Harbour --at "2026-03-13 23:50"', "No more boats today.");
  agent.bash(
    'node src/cli.js Harbour --at "2026-03-14 00:10"',
    "23:45  N1  Skerry     pier 4\n23:45  N1  Northness  pier 4\n23:45  N1  Millbay    pier 4",
  );
  agent.read("data/timetable.json");
  agent.say(
    "There are two faults. The timetable writes late boats as 24:35 and 25:20, and `parseClock` in src/calendar.js takes no hour above 23, so they are dropped in silence. And `serviceDayOf` changes the day at midnight, so from 00:00 on the board looks at Saturday's boats although Friday's are still sailing. `SERVICE_DAY_START_HOUR` is there already and nothing uses it. Shall I fix both?",
  );
}

function fixIt(agent) {
  agent.user("Yes please, both. The service day ends at four in the morning, as the constant says.");
  agent.edit(
    "src/calendar.js",
    "  if (hours > 23 || minutes > 59) return null;",
    "  // Late boats are written past midnight: 24:35 is 00:35 of the day after.\n  if (hours >= 24 + SERVICE_DAY_START_HOUR || minutes > 59) return null;",
  );
  agent.edit(
    "src/calendar.js",
    "  return weekdayOf(instant);\n}\n\n/** Minutes since the service day's midnight. */",
    "  const shifted = new Date(instant);\n  shifted.setHours(shifted.getHours() - SERVICE_DAY_START_HOUR);\n  return weekdayOf(shifted);\n}\n\n/** Minutes since the service day's midnight. */",
  );
  agent.bash("npm test -- --trace", verboseTestLog(), true);
  agent.think(
    "One test fails still: after midnight the minutes count from zero again, so every departure lies in the future or none. minutesIntoServiceDay has to add a day before four o'clock.",
  );
  agent.grep("minutesIntoServiceDay", "src");
  agent.edit(
    "src/calendar.js",
    "  return instant.getHours() * MINUTES_PER_HOUR + instant.getMinutes();",
    "  const minutes = instant.getHours() * MINUTES_PER_HOUR + instant.getMinutes();\n  return instant.getHours() < SERVICE_DAY_START_HOUR ? minutes + MINUTES_PER_DAY : minutes;",
  );
  agent.bash("npm test", shortTestRun(3));
  agent.bash(
    'node src/cli.js Harbour --at "2026-03-14 00:10"',
    "24:35  N1  Skerry     pier 4  in 25 min\n24:35  N1  Northness  pier 4  in 25 min\n24:35  N1  Millbay    pier 4  in 25 min\n25:20  N1  Skerry     pier 4\n25:20  N1  Northness  pier 4",
  );
  agent.say(
    "Both are fixed and the three tests pass. The board shows Friday's 24:35 and 25:20 until four in the morning.",
  );
}

function fixTheBoard(agent) {
  agent.user(
    "I am back. Nobody reads 24:35 on a board; can it print 00:35 instead, without changing the timetable file?",
  );
  agent.read("src/format.js");
  agent.read("src/cli.js");
  agent.think(
    "The clock is printed as the timetable has it. formatBoard is the place: the hour modulo 24, only for printing.",
  );
  agent.edit(
    "src/format.js",
    "export function formatBoard(departures) {",
    'function printedClock(clock) {\n  const [hours, minutes] = clock.split(":");\n  return String(Number(hours) % 24).padStart(2, "0") + ":" + minutes;\n}\n\nexport function formatBoard(departures) {',
  );
  agent.edit("src/format.js", "    clock,\n    line,", "    printedClock(clock),\n    line,");
  agent.bash(
    'node src/cli.js Harbour --at "2026-03-14 00:10"',
    "00:35  N1  Skerry     pier 4  in 25 min\n00:35  N1  Northness  pier 4  in 25 min\n00:35  N1  Millbay    pier 4  in 25 min\n01:20  N1  Skerry     pier 4\n01:20  N1  Northness  pier 4",
  );
  agent.say("The board prints 00:35 and 01:20 now; the timetable file is as it was.");
}

function testHolidays(agent) {
  agent.user(
    "Good. What happens in the night before a holiday, Good Friday for example? Add a test for that.",
  );
  agent.read("data/holidays.json");
  agent.read("test/departures.test.js");
  agent.think(
    "isHoliday looks at the calendar date, so in the night to Good Friday the late boats of Thursday would turn into Sunday's. The holiday must follow the service day as well. lateNightSkerryFixture sails on Friday and Saturday; on the holiday itself it must not.",
  );
  agent.edit(
    "test/departures.test.js",
    '  it("still shows Friday\'s late boats after midnight", () => {',
    '  it("follows the Sunday timetable on a holiday, until four in the morning", () => {\n    assert.deepEqual(clocksAt("2026-04-03T23:30", ["2026-04-03"]), []);\n    assert.deepEqual(clocksAt("2026-04-04T00:10", ["2026-04-03"]), []);\n  });\n\n  it("still shows Friday\'s late boats after midnight", () => {',
  );
  agent.bash(
    "npm test",
    "✖ the board\n  ✖ follows the Sunday timetable on a holiday, until four in the morning\nℹ tests 4\nℹ pass 3\nℹ fail 1",
    true,
  );
  agent.edit(
    "src/departures.js",
    '  if (isHoliday(instant, holidays)) return sailing.days.includes("sunday");',
    '  if (isHoliday(serviceDate(instant), holidays)) return sailing.days.includes("sunday");',
  );
  agent.edit(
    "src/departures.js",
    'import { isHoliday, minutesIntoServiceDay, parseClock, serviceDayOf } from "./calendar.js";',
    'import { isHoliday, minutesIntoServiceDay, parseClock, serviceDate, serviceDayOf } from "./calendar.js";',
  );
  agent.edit(
    "src/calendar.js",
    "  const shifted = new Date(instant);\n  shifted.setHours(shifted.getHours() - SERVICE_DAY_START_HOUR);\n  return weekdayOf(shifted);\n}",
    "  return weekdayOf(serviceDate(instant));\n}\n\n/** A moment of the calendar day that the service day is named after. */\nexport function serviceDate(instant) {\n  const shifted = new Date(instant);\n  shifted.setHours(shifted.getHours() - SERVICE_DAY_START_HOUR);\n  return shifted;\n}",
  );
  agent.bash("npm test", shortTestRun(4));
  agent.say(
    "There was a third fault of the same kind: holidays changed at midnight too. They follow the service day now, and the new test holds it.",
  );
}

function writeItDown(agent) {
  agent.user("Very good. Write it into the changelog as 1.4.1 and commit.");
  agent.read("CHANGELOG.md");
  agent.edit(
    "CHANGELOG.md",
    "# Changes\n",
    "# Changes\n\n## 1.4.1\n\n- Boats after midnight are on the board until four in the morning, and printed as 00:35.\n- Holidays end with their service day.\n",
  );
  agent.bash(
    "git diff --stat",
    " CHANGELOG.md            |  5 +++++\n src/calendar.js         | 14 ++++++++++----\n src/departures.js       |  4 ++--\n src/format.js           |  7 ++++++-\n test/departures.test.js |  5 +++++\n 5 files changed, 28 insertions(+), 7 deletions(-)",
  );
  agent.bash(
    'git commit -qam "Keep late boats on the board until the service day ends" && git log --oneline -1',
    "8c41f0d Keep late boats on the board until the service day ends",
  );
  agent.say("Committed as 8c41f0d. Version 1.4.1 is in the changelog.");
}
