// What the first page of every list costs where a hundred times as much is kept: at most twice the time.
import path from "node:path";
import { resolveHome } from "../src/home/index.ts";
import { makeApp } from "../src/http/app.ts";
import { makeChangeNotifier } from "../src/http/routes/feed.ts";
import { makeMemoryHandlers } from "../src/http/routes/memoryHandlers.ts";
import { settingsAccess } from "../src/http/routes/settings.ts";
import { makeSignInCodes } from "../src/http/signInCodes.ts";
import { makeWindowHandlers } from "../src/inspector/handlers.ts";
import { inspectInThread } from "../src/inspector/inThread.ts";
import { makeUsageBook } from "../src/inspector/usageBook.ts";
import { openStore, type Store } from "../src/store/index.ts";
import { makeFinder } from "../src/tools/index.ts";
import type { Bench } from "./bench.ts";
import { fill } from "./fillStore.ts";
import { inFolder, numberAt, rounded, timed } from "./measure.ts";

const ROUNDS = 41;
const BAR = 2;

type App = ReturnType<typeof makeApp>;

interface Kept {
  readonly app: App;
  readonly store: Store;
}

async function open(folder: string, count: number): Promise<Kept> {
  const home = resolveHome({
    env: { THROUGHLINE_HOME: folder },
    platform: process.platform,
    homeFolder: folder,
  });
  const store = await openStore({ file: path.join(folder, `${count}.db`) });
  await fill(store, count);
  const clock = { now: () => Date.now() };
  const app = makeApp(
    {
      store,
      finder: makeFinder({ store }),
      changes: makeChangeNotifier(),
      stopping: new AbortController().signal,
      streams: { count: 0 },
      standing: { version: "0", locale: () => "en", isPaused: () => false, isExcluded: () => false },
      places: { home, env: {} },
      settings: settingsAccess({ home, env: {}, onChange: () => undefined }),
      home,
      forget: async () => Promise.reject(new Error("nothing is forgotten here")),
      correct: async () => Promise.reject(new Error("nothing is corrected here")),
      transfer: { home, store, redact: (value) => value, onImported: () => undefined },
      status: async () => ({}),
      savings: async () => ({ tokens: 0, dollars: 0, compactions: 0, results: 0, isCounting: false }),
      windows: makeWindowHandlers({
        ...{ home, env: {}, store, inspector: inspectInThread },
        replay: () => {
          throw new Error("nothing is replayed here");
        },
      }),
      memories: makeMemoryHandlers({ home, env: {} }),
      usage: makeUsageBook({
        ...{ store, clock, log: { warn: () => undefined } },
        trace: async (session) => ({ session, turns: [], steps: [], hasTranscript: false }),
      }),
      gateway: {
        ingest: async () => ({ accepted: 0, left: 0 }),
        context: async () => ({ text: "" }),
      },
      viewerFolder: folder,
      onError: (error) => {
        throw error;
      },
    },
    { sealer: () => ({ port: 1, token: "bench" }), codes: makeSignInCodes(clock), clock },
  );
  return { app, store };
}

const project = encodeURIComponent("project-1-00000001");

/** Held to the bar: what a page needs before it shows anything. A page holds as many rows where few are kept. */
const pages = [
  "/api/me",
  "/api/sessions?limit=20",
  `/api/sessions?limit=6&project=${project}`,
  "/api/timeline",
  "/api/timeline?order=oldest",
  `/api/timeline?project=${project}`,
  "/api/timeline?type=decision",
  `/api/timeline?type=decision&project=${project}`,
  "/api/timeline?file=src/index.ts",
  "/api/timeline?file=seldom.ts&limit=2",
  "/api/timeline?concept=concept-7&limit=20",
  "/api/timeline?concept=seldom&limit=2",
  "/api/timeline?from=2026-03-01&to=2026-03-02&limit=5",
  "/api/session?id=session-3",
  "/api/items?refs=%2312,%2313,P1",
  "/api/observations",
];

/** Not held to it: these count everything, day by day. */
const wholes = [
  "/api/stats",
  "/api/days?offset=480",
  `/api/days?project=${project}`,
  "/api/days?file=seldom.ts",
];

async function answered(app: App, target: string): Promise<void> {
  const answer = await app.request(target);
  await answer.text();
  if (answer.status !== 200) throw new Error(`${target} answered ${answer.status}`);
}

/** In turns, so that what else the machine does falls on both alike; the fastest is what it costs by itself. */
async function compared(few: App, many: App, target: string): Promise<readonly [number, number]> {
  const times: [number[], number[]] = [[], []];
  for (let round = 0; round < ROUNDS; round++) {
    times[0].push(await timed(() => answered(few, target)));
    times[1].push(await timed(() => answered(many, target)));
  }
  return [Math.min(...times[0]), Math.min(...times[1])];
}

async function rowsOf(targets: readonly string[], few: App, many: App, names: readonly [string, string]) {
  const rows: { page: string; "×": number; [milliseconds: string]: string | number }[] = [];
  for (const page of targets) {
    const [small, large] = await compared(few, many, page);
    rows.push({ page, [names[0]]: rounded(small), [names[1]]: rounded(large), "×": rounded(large / small) });
  }
  return rows;
}

export const bench: Bench = {
  name: "viewer",
  measures: ["viewer", "src/http", "src/inspector", "src/store"],
  about: "What the first page of every list costs where a hundred times as much is kept.",
  usage: "[few] [many]",
  async run(args) {
    const [less, more] = [numberAt(args, 0, 1_000), numberAt(args, 1, 100_000)];
    const names = [`ms of ${less}`, `ms of ${more}`] as const;
    return inFolder("viewer", async (folder) => {
      const [few, many] = [await open(folder, less), await open(folder, more)];
      const first = await rowsOf(pages, few.app, many.app, names);
      const whole = await rowsOf(wholes, few.app, many.app, names);
      await few.store.close();
      await many.store.close();
      return {
        findings: [
          { title: "First pages", rows: first },
          { title: "What counts all of it", rows: whole },
        ],
        bars: [
          { what: "worst first page, ×", value: Math.max(...first.map((row) => row["×"])), atMost: BAR },
        ],
      };
    });
  },
};
