// Believable work of a few weeks, as the lines of an export: what the pictures of the page are taken of.
import { createHash } from "node:crypto";

/** Per session: project, hours before now, turns; per turn: what was asked, what came of it, what was observed. */
const sessions = [
  {
    project: "pier-display",
    hoursAgo: 1.9,
    turns: [
      {
        prompt:
          "The display at pier 4 freezes every few days until somebody pulls the plug. Logs are in logs/pier4. Find out why.",
        observed: [
          [
            "discovery",
            "The watchdog is fed by a timer that never stops",
            "It would keep a dead display alive for ever",
            ["src/watchdog.rs", "logs/pier4/2026-11.log"],
            ["watchdog", "silent failure"],
          ],
          [
            "discovery",
            "A socket stays half open when the switch restarts",
            "read() waits without a deadline",
            ["src/feed.rs"],
            ["network", "timeouts"],
          ],
        ],
        learned: "Both are needed for a freeze: the feed hangs, and the watchdog does not notice.",
        completed: "Found why pier 4 freezes; it happened eleven times since May.",
      },
      {
        prompt: "Fix both. The display may be dark for ten seconds, not longer.",
        observed: [
          [
            "bugfix",
            "The watchdog is fed by frames that were drawn",
            "No frame for 8 s restarts the display",
            ["src/watchdog.rs", "src/draw.rs"],
            ["watchdog"],
          ],
          [
            "bugfix",
            "The feed gives up after 5 s of silence and connects again",
            undefined,
            ["src/feed.rs"],
            ["network", "timeouts"],
          ],
          [
            "change",
            "A test that cuts the line in the middle of a frame",
            "It failed before, 40 times of 40",
            ["tests/cut_line.rs"],
            ["tests"],
          ],
        ],
        learned: "The old timeouts were in seconds where the library takes milliseconds.",
        completed: "Dark for 7.4 s at most, over 500 cuts of the line.",
        next: "Roll it out to pier 4 first.",
      },
      {
        prompt: "Decide how the other piers get it.",
        observed: [
          [
            "decision",
            "Piers are updated one a night, the quietest first",
            "A display that does not come back stops the rest",
            ["docs/rollout.md"],
            ["rollout"],
          ],
          [
            "feature",
            "The office sees which version each display runs",
            undefined,
            ["src/report.rs", "web/office.html"],
            ["rollout", "observability"],
          ],
        ],
        learned: "Two displays have not been reached for a year; nobody had noticed.",
        completed: "The plan is in docs/rollout.md, and the office page shows versions.",
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
  "Make the export twice as fast without making it harder to read.",
  "Write the page of the guide that explains this to somebody who starts today.",
  "Where do these duplicates come from? Do not fix anything yet.",
  "Bring the packages up to date, one at a time, tests after each.",
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
    const count = [0, 6].includes((day + 2) % 7) ? (day % 3 === 0 ? 1 : 0) : 1 + ((day * day * 7 + day) % 5);
    for (let at = 0; at < count; at++) {
      const seed = (day * 37 + at * 11 + day * day * at) % 97;
      const observed = Array.from({ length: 2 + (seed % 5) }, (_, n) => {
        const [type, title, subtitle, concepts] = pick(earlier, seed + n * 3);
        return [type, title, subtitle, [pick(files, seed + n)], concepts];
      });
      made.push({
        project: pick(["lanternfish", "ferry-times", "quill", "pier-display", "lanternfish"], seed),
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
