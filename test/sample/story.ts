// What happens in the sample session: the user's words, and what the scripted model thinks, calls and answers.
import path from "node:path";
import type { JsonObject } from "../../src/lib/index.ts";
import {
  compaction,
  on,
  prompted,
  type Reply,
  type Scenario,
  say,
  summary,
  tool,
  use,
} from "../scripted-api/index.ts";

interface Step {
  readonly thinking?: string;
  readonly tool: string;
  readonly input: JsonObject;
}

interface Turn {
  /** Minutes since the turn before: a prompt cache of five minutes is cold after some of them. */
  readonly pause: number;
  readonly words: string;
  readonly steps: readonly Step[];
  readonly answer: string;
}

const bash = (command: string, thinking?: string): Step => ({
  tool: "Bash",
  input: { command },
  ...(thinking === undefined ? {} : { thinking }),
});

const read = (file: string, thinking?: string): Step => ({
  tool: "Read",
  input: { file_path: file },
  ...(thinking === undefined ? {} : { thinking }),
});

const edit = (file: string, before: string, after: string, thinking?: string): Step => ({
  tool: "Edit",
  input: { file_path: file, old_string: before, new_string: after },
  ...(thinking === undefined ? {} : { thinking }),
});

const findTheBug: Turn = {
  pause: 0,
  words:
    "The 00:35 boat from Harbour to Skerry is missing on Friday nights. People at the pier keep asking us. Can you find out why the board does not show it?",
  steps: [
    bash(
      "ls -R src test data",
      "The board is computed somewhere in src. I look at the layout first, then for how times after midnight are written.",
    ),
    bash("grep -nE '2[4-9]:' data/timetable.json | head -20"),
    read("src/departures.js"),
    read("src/calendar.js"),
    bash(
      'node src/cli.js Harbour --at "2026-03-13 23:50"',
      "parseClock refuses hours above 23, so 24:35 becomes null and nextDepartures passes over it. And after midnight serviceDayOf already says saturday. I confirm both with the program.",
    ),
    bash('node src/cli.js Harbour --at "2026-03-14 00:10"'),
    bash("npm run trace"),
    read("data/timetable.json"),
  ],
  answer:
    "There are two faults. The timetable writes late boats as 24:35 and 25:20, and `parseClock` in src/calendar.js takes no hour above 23, so they are dropped in silence. And `serviceDayOf` changes the day at midnight, so from 00:00 on the board looks at Saturday's boats although Friday's are still sailing. `SERVICE_DAY_START_HOUR` is there already and nothing uses it. Shall I fix both?",
};

const fixIt: Turn = {
  pause: 9,
  words: "Yes please, both. The service day ends at four in the morning, as the constant says.",
  steps: [
    edit(
      "src/calendar.js",
      "  if (hours > 23 || minutes > 59) return null;",
      "  // Late boats are written past midnight: 24:35 is 00:35 of the day after.\n  if (hours >= 24 + SERVICE_DAY_START_HOUR || minutes > 59) return null;",
    ),
    edit(
      "src/calendar.js",
      "  return weekdayOf(instant);\n}\n\n/** Minutes since the service day's midnight. */",
      "  const shifted = new Date(instant);\n  shifted.setHours(shifted.getHours() - SERVICE_DAY_START_HOUR);\n  return weekdayOf(shifted);\n}\n\n/** Minutes since the service day's midnight. */",
    ),
    bash("npm test"),
    bash(
      "grep -rn minutesIntoServiceDay src",
      "One test fails still: after midnight the minutes count from zero again. minutesIntoServiceDay has to add a day before four o'clock.",
    ),
    edit(
      "src/calendar.js",
      "  return instant.getHours() * MINUTES_PER_HOUR + instant.getMinutes();",
      "  const minutes = instant.getHours() * MINUTES_PER_HOUR + instant.getMinutes();\n  return instant.getHours() < SERVICE_DAY_START_HOUR ? minutes + MINUTES_PER_DAY : minutes;",
    ),
    bash("npm test"),
    bash("npm run trace"),
  ],
  answer:
    "Both are fixed and the three tests pass. The board shows Friday's 24:35 and 25:20 until four in the morning.",
};

const fixTheBoard: Turn = {
  pause: 74,
  words:
    "I am back. Nobody reads 24:35 on a board; can it print 00:35 instead, without changing the timetable file?",
  steps: [
    read("src/format.js"),
    read("src/cli.js"),
    edit(
      "src/format.js",
      "export function formatBoard(departures) {",
      'function printedClock(clock) {\n  const [hours, minutes] = clock.split(":");\n  return String(Number(hours) % 24).padStart(2, "0") + ":" + minutes;\n}\n\nexport function formatBoard(departures) {',
      "The clock is printed as the timetable has it. formatBoard is the place: the hour modulo 24, only for printing.",
    ),
    edit("src/format.js", "    clock,\n    line,", "    printedClock(clock),\n    line,"),
    bash('node src/cli.js Harbour --at "2026-03-14 00:10"'),
  ],
  answer: "The board prints 00:35 and 01:20 now; the timetable file is as it was.",
};

const testHolidays: Turn = {
  pause: 2,
  words: "Good. What happens in the night after a holiday, Good Friday for example? Add a test for that.",
  steps: [
    read("data/holidays.json"),
    read("test/departures.test.js"),
    edit(
      "test/departures.test.js",
      '  it("still shows Friday\'s late boats after midnight", () => {',
      '  it("follows the Sunday timetable on a holiday, until four in the morning", () => {\n    assert.deepEqual(clocksAt("2026-04-03T23:30", ["2026-04-03"]), []);\n    assert.deepEqual(clocksAt("2026-04-04T00:10", ["2026-04-03"]), []);\n  });\n\n  it("still shows Friday\'s late boats after midnight", () => {',
      "isHoliday looks at the calendar date, so in the night after Good Friday the late boats come back at midnight. The holiday must follow the service day as well.",
    ),
    bash("npm test"),
    edit(
      "src/departures.js",
      '  if (isHoliday(instant, holidays)) return sailing.days.includes("sunday");',
      '  if (isHoliday(serviceDate(instant), holidays)) return sailing.days.includes("sunday");',
    ),
    edit(
      "src/departures.js",
      'import { isHoliday, minutesIntoServiceDay, parseClock, serviceDayOf } from "./calendar.js";',
      'import { isHoliday, minutesIntoServiceDay, parseClock, serviceDate, serviceDayOf } from "./calendar.js";',
    ),
    edit(
      "src/calendar.js",
      "  const shifted = new Date(instant);\n  shifted.setHours(shifted.getHours() - SERVICE_DAY_START_HOUR);\n  return weekdayOf(shifted);\n}",
      "  return weekdayOf(serviceDate(instant));\n}\n\n/** A moment of the calendar day that the service day is named after. */\nexport function serviceDate(instant) {\n  const shifted = new Date(instant);\n  shifted.setHours(shifted.getHours() - SERVICE_DAY_START_HOUR);\n  return shifted;\n}",
    ),
    bash("npm test"),
  ],
  answer:
    "There was a third fault of the same kind: holidays changed at midnight too. They follow the service day now, and the new test holds it.",
};

const writeItDown: Turn = {
  pause: 7,
  words: "Very good. Write it into the changelog as 1.4.1 and commit.",
  steps: [
    read("CHANGELOG.md"),
    edit(
      "CHANGELOG.md",
      "# Changes\n",
      "# Changes\n\n## 1.4.1\n\n- Boats after midnight are on the board until four in the morning, and printed as 00:35.\n- Holidays end with their service day.\n",
    ),
    bash("git diff --stat"),
    bash(
      'git commit -qam "Keep late boats on the board until the service day ends" && git log --format=%s -1',
    ),
  ],
  answer: "Committed. Version 1.4.1 is in the changelog.",
};

const afterwards: Turn = {
  pause: 1,
  words: "Is the pier office open on holidays? It should say so on the board one day; not now.",
  steps: [],
  answer: "Nothing in data says when the pier office is open. I leave it for another day.",
};

/** In the middle of them the user types `/compact`. */
export const turns: readonly Turn[] = [findTheBug, fixIt, fixTheBoard, testHolidays, writeItDown, afterwards];

const COMPACTED_AFTER = 5;

export const prompts: readonly string[] = [
  ...turns.slice(0, COMPACTED_AFTER).map(({ words }) => words),
  "/compact",
  ...turns.slice(COMPACTED_AFTER).map(({ words }) => words),
];

/** The agent's own words for what it forgets: short, as they tend to be. */
const ownSummary =
  "The user reported that late boats were missing from the ferry board. The clock parser, the service day, the printed times and the holidays were fixed, tests were added, and 1.4.1 was committed.";

function reply(step: Step, folder: string): Reply {
  const file = step.input.file_path;
  const input = typeof file === "string" ? { ...step.input, file_path: path.join(folder, file) } : step.input;
  return use(tool(step.tool, input), step.thinking === undefined ? {} : { thinking: step.thinking });
}

/** The story as the scripted API plays it, in a project that lies in `folder`. */
export function scenario(folder: string): Scenario {
  const told = turns.map(({ words, steps, answer }) =>
    on(prompted(words), ...steps.map((step) => reply(step, folder)), say(answer)),
  );
  return [...told, on(compaction, summary(ownSummary))];
}
