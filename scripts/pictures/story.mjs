// Believable work of a few weeks, as the lines of an export: what the pictures of the page are taken of.
import { createHash } from "node:crypto";

/** Per session: project, hours before now, turns; per turn: what was asked, what came of it, what was observed. */
const sessions = [
  {
    project: "ferry-times",
    hoursAgo: 1.2,
    turns: [
      {
        prompt:
          "The 00:35 boat from Harbour to Skerry is missing on Friday nights. Can you find out why the board does not show it?",
        observed: [
          [
            "discovery",
            "parseClock drops every hour above 23",
            "24:35 becomes null and the boat vanishes",
            ["src/calendar.js", "data/timetable.json"],
            ["time parsing", "silent failure"],
          ],
          [
            "discovery",
            "The service day changes at midnight, not at four",
            "SERVICE_DAY_START_HOUR is defined and never used",
            ["src/calendar.js", "src/departures.js"],
            ["service day"],
          ],
        ],
        learned: "Late boats are written as 24:35 and 25:20; two functions disagree about what a day is.",
        completed: "Found both faults behind the missing night boat.",
      },
      {
        prompt: "Yes please, both. The service day ends at four in the morning, as the constant says.",
        observed: [
          [
            "bugfix",
            "Night boats are read as part of the evening before",
            "parseClock accepts hours up to 27",
            ["src/calendar.js"],
            ["time parsing"],
          ],
          [
            "bugfix",
            "serviceDayOf shifts by the service-day start",
            "Friday's late boats show until 04:00",
            ["src/calendar.js"],
            ["service day"],
          ],
          [
            "change",
            "Tests for the hours around midnight",
            "12 cases, among them the change to summer time",
            ["test/departures.test.js"],
            ["tests"],
          ],
        ],
        learned: "The change to summer time moves the border of the service day with it.",
        completed: "Fixed both; 38 tests pass, 12 of them new.",
        next: "Check the printed timetable, which has code of its own.",
      },
      {
        prompt: "Also, decide where the holiday table should live. It is copied in three places.",
        observed: [
          [
            "decision",
            "Holidays live in data/holidays.json and nowhere else",
            "The copies in cli.js and format.js are gone",
            ["data/holidays.json", "src/cli.js", "src/format.js"],
            ["single source", "data"],
          ],
          [
            "refactor",
            "format.js asks the calendar instead of knowing dates",
            undefined,
            ["src/format.js", "src/calendar.js"],
            ["single source"],
          ],
        ],
        learned: "One copy still had last year's Easter.",
        completed: "One holiday table, read in one place.",
      },
    ],
  },
  {
    project: "lanternfish",
    hoursAgo: 5.5,
    turns: [
      {
        prompt:
          "Thumbnails of large TIFFs take nine seconds. Profile it and tell me where the time goes before changing anything.",
        observed: [
          [
            "discovery",
            "82 % of the time is one colour conversion",
            "Every tile is converted to Lab and back",
            ["src/render/colour.ts", "src/render/tiles.ts"],
            ["performance", "profiling"],
          ],
          [
            "discovery",
            "The tile cache never hits",
            "Keys contain the request id",
            ["src/cache/tileKey.ts"],
            ["cache", "performance"],
          ],
          [
            "decision",
            "Keep Lab for print, drop it for thumbnails",
            "Nobody can tell at 256 pixels",
            ["docs/colour.md"],
            ["colour"],
          ],
        ],
        learned: "The cache key was the real culprit: the conversion ran eleven times for each tile.",
        completed: "Measured; two causes, both small to fix.",
        next: "Fix the key first, then measure again.",
      },
      {
        prompt: "Go ahead with the cache key.",
        observed: [
          [
            "bugfix",
            "Tile keys are made of content, not of the request",
            "Hit rate 0 % → 94 %",
            ["src/cache/tileKey.ts", "src/cache/tileKey.test.ts"],
            ["cache"],
          ],
          [
            "feature",
            "A header says whether a tile came from the cache",
            "X-Tile-Cache: hit | miss",
            ["src/server/tiles.ts"],
            ["observability"],
          ],
        ],
        learned: "With the key fixed, 9.1 s became 0.7 s and the conversion hardly shows.",
        completed: "Thumbnails of the largest TIFF take 0.7 s.",
      },
    ],
  },
  {
    project: "ferry-times",
    hoursAgo: 26,
    turns: [
      {
        prompt: "把到站时间的文案改成中文和英文两种，默认跟随系统语言。",
        observed: [
          [
            "feature",
            "到站文案支持中文与英文",
            "按系统语言选择，找不到时用英文",
            ["src/format.js", "src/words/zh.js"],
            ["本地化"],
          ],
          [
            "decision",
            "时间一律用 24 小时制",
            "夜班船避免上午下午混淆",
            ["docs/wording.md"],
            ["本地化", "时间"],
          ],
        ],
        learned: "原来的文案里有三处写死了 am/pm。",
        completed: "两种语言都能用，测试覆盖每条文案。",
      },
    ],
  },
  {
    project: "quill",
    hoursAgo: 29,
    turns: [
      {
        prompt: "Search in the docs finds nothing for two-letter words like Go or R. Why?",
        observed: [
          [
            "discovery",
            "The tokenizer throws away words under three letters",
            "MIN_WORD = 3 in three places",
            ["lib/index/tokenize.ts"],
            ["search", "tokenizer"],
          ],
          [
            "bugfix",
            "Short words are indexed when they are names",
            "A list of 41 language names",
            ["lib/index/tokenize.ts", "lib/index/names.ts"],
            ["search"],
          ],
        ],
        learned: "Dropping the limit altogether doubled the index for little gain.",
        completed: "Go, R, C and D are found.",
      },
      {
        prompt: "Write down why we did not just remove the limit.",
        observed: [
          [
            "decision",
            "The three-letter limit stays, with a list of exceptions",
            "Index size: 1.9 MB with, 4.2 MB without",
            ["docs/decisions.md"],
            ["search", "trade-off"],
          ],
        ],
        completed: "The reason is in docs/decisions.md.",
      },
    ],
  },
  {
    project: "lanternfish",
    hoursAgo: 51,
    turns: [
      {
        prompt: "Uploads over 2 GB fail in production only. Start with the proxy logs in ops/.",
        observed: [
          [
            "discovery",
            "The proxy cuts bodies at 2,147,483,647 bytes",
            "A signed 32-bit length",
            ["ops/proxy.conf"],
            ["upload", "limits"],
          ],
          [
            "change",
            "Uploads go in parts of 64 MB",
            "Resumable; a failed part is sent again alone",
            ["src/upload/parts.ts", "src/upload/client.ts"],
            ["upload", "resumable"],
          ],
          [
            "feature",
            "The upload bar shows parts, not guesses",
            undefined,
            ["web/upload.tsx"],
            ["upload", "interface"],
          ],
          ["refactor", "One place knows how large a part is", undefined, ["src/upload/parts.ts"], ["upload"]],
        ],
        learned: "Staging has no proxy in front, which is why nobody saw it there.",
        completed: "A 7 GB file went through, interrupted twice on purpose.",
        next: "Put a proxy in front of staging.",
      },
    ],
  },
];

/** What fills the weeks before: shorter, and repeated with other files. */
const earlier = [
  ["bugfix", "Race between save and close", "The writer was closed before its last flush", ["store"]],
  ["feature", "Export to CSV with a chosen separator", undefined, ["export"]],
  ["change", "Packages brought up to date", "Two needed a change of ours", ["upkeep"]],
  ["refactor", "Dates are values, not strings, from the edge inwards", undefined, ["dates"]],
  [
    "discovery",
    "Retries multiply: three layers each try three times",
    "27 requests for one failure",
    ["retries"],
  ],
  [
    "decision",
    "No feature flags for what ships to everybody",
    "They were never taken out again",
    ["process"],
  ],
  ["bugfix", "Empty names no longer sort before everything", undefined, ["sorting"]],
  ["discovery", "The slow test waits for a timer of 5 s", "It never needed a real clock", ["tests"]],
  ["change", "Logs say which request they belong to", undefined, ["observability"]],
  ["feature", "Keyboard shortcuts in the editor", "Documented in the help dialog", ["interface"]],
];
const asked = [
  "The nightly job failed again, have a look at the log and fix what is broken.",
  "Clean up the storage module, it has grown two ways of doing everything.",
  "Add what the customer asked for in the ticket, with tests.",
  "Why is this test flaky? Run it until it fails and explain.",
  "Review the change on this branch as if you had not written it.",
];
const files = [
  "src/store/writer.ts",
  "src/export/csv.ts",
  "src/server/routes.ts",
  "test/flaky.test.ts",
  "src/editor/keys.ts",
  "docs/guide.md",
];

const HOUR = 3_600_000;
const projectId = (name) => `${name}-${createHash("sha256").update(name).digest("hex").slice(0, 8)}`;
const sessionId = (name, at) => {
  const hex = createHash("sha256").update(`${name}${at}`).digest("hex");
  return [
    hex.slice(0, 8),
    hex.slice(8, 12),
    `4${hex.slice(13, 16)}`,
    `9${hex.slice(17, 20)}`,
    hex.slice(20, 32),
  ].join("-");
};
const pick = (list, at) => list[at % list.length];

function earlierSessions() {
  const made = [];
  for (let day = 3; day < 40; day++) {
    // Weekends are quieter, and no two days alike.
    const count = [0, 6].includes((day + 2) % 7) ? (day % 3 === 0 ? 1 : 0) : 1 + ((day * 7) % 3);
    for (let at = 0; at < count; at++) {
      const seed = day * 5 + at * 3;
      const observed = Array.from({ length: 2 + (seed % 5) }, (_, n) => {
        const [type, title, subtitle, concepts] = pick(earlier, seed + n * 3);
        return [type, title, subtitle, [pick(files, seed + n)], concepts];
      });
      made.push({
        project: pick(["lanternfish", "ferry-times", "quill", "lanternfish"], seed),
        hoursAgo: day * 24 + 3 + at * 2.5,
        turns: [
          {
            prompt: pick(asked, seed),
            observed,
            completed: "Done, with tests.",
            learned: pick(earlier, seed)[1],
          },
        ],
      });
    }
  }
  return made;
}

function* linesOfTurn(turn, { session, project, number, start }) {
  const at = (minutes) => new Date(start + minutes * 60_000).toISOString();
  const row = (kind, n) => ({
    session,
    project,
    promptNumber: number,
    uid: `${session}-${number}-${kind}-${n}`,
  });
  yield { type: "prompt", ...row("p", 0), at: at(0), promptText: turn.prompt };
  for (const [n, [type, title, subtitle, touched, concepts]] of turn.observed.entries()) {
    const isChange = ["bugfix", "feature", "refactor", "change"].includes(type);
    yield {
      type: "observation",
      ...row("o", n),
      at: at(3 + n * 4),
      observationType: type,
      title,
      ...(subtitle === undefined ? {} : { subtitle }),
      narrative: `${title}. ${subtitle ?? ""} Seen while working on: ${turn.prompt}`.trim(),
      facts: [subtitle ?? title, ...touched.map((file) => `${isChange ? "Changed" : "Read"} ${file}`)],
      concepts,
      ...(isChange ? { filesModified: touched, filesRead: touched.slice(0, 1) } : { filesRead: touched }),
      toolName: isChange ? "Edit" : "Read",
    };
  }
  const { learned, completed, next: nextSteps } = turn;
  const summary = { request: turn.prompt, learned, completed, nextSteps };
  const given = Object.fromEntries(Object.entries(summary).filter(([, value]) => value !== undefined));
  yield { type: "summary", ...row("s", 0), at: at(6 + turn.observed.length * 4), ...given };
  const message = { session, project, at: at(7), role: "assistant" };
  yield {
    type: "message",
    ...message,
    uuid: `${session}-${number}-m`,
    text: [completed, learned].filter(Boolean).join(" "),
  };
}

/** The lines of an export of this work, as it would look now. */
export function storyLines(now = Date.now()) {
  const data = [...sessions, ...earlierSessions()].flatMap(({ project: name, hoursAgo, turns }) => {
    const [project, session] = [projectId(name), sessionId(name, hoursAgo)];
    const start = now - hoursAgo * HOUR;
    const end = new Date(start + turns.length * 40 * 60_000).toISOString();
    const head = {
      session,
      project,
      at: new Date(start).toISOString(),
      lastActivityAt: end,
      promptCounter: turns.length,
    };
    const state = hoursAgo < 2 ? { status: "active" } : { status: "completed", completedAt: end };
    return [
      { type: "session", ...head, ...state },
      ...turns.flatMap((turn, n) => [
        ...linesOfTurn(turn, { session, project, number: n + 1, start: start + n * 40 * 60_000 }),
      ]),
    ];
  });
  return [{ throughline: "export", version: 1 }, ...data, { type: "end", lines: data.length }].map((line) =>
    JSON.stringify(line),
  );
}
