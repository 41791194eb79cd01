// What the first page of every list costs where a hundred times as much is kept: at most twice the time.
// usage: npm run bench:viewer -- [few] [many]
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { resolveHome } from "../src/lib/index.ts";
import { openStore, type Store } from "../src/store/index.ts";
import { makeApp } from "../src/worker/http/app.ts";
import { makeBell } from "../src/worker/http/feed.ts";
import { makeInvitations } from "../src/worker/http/invitations.ts";
import { makeMemory } from "../src/worker/index.ts";
import { makeWindowDesk } from "../src/worker/inspect/desk.ts";
import { inspectHere } from "../src/worker/inspect/here.ts";
import { makeMemoryDesk } from "../src/worker/memoryDesk.ts";
import { settingsAccess } from "../src/worker/settingsAccess.ts";
import { fill } from "./viewer/fill.ts";

const FEW = Number(process.argv[2] ?? 1_000);
const MANY = Number(process.argv[3] ?? 100_000);
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
      memory: makeMemory({ store }),
      bell: makeBell(),
      stopping: new AbortController().signal,
      streams: { count: 0 },
      standing: { version: "0", locale: () => "en", isPaused: () => false, isExcluded: () => false },
      places: { home, env: {} },
      settings: settingsAccess({ home, env: {}, onChange: () => undefined }),
      privacy: { home, forget: async () => Promise.reject(new Error("nothing is forgotten here")) },
      transfer: { home, store, redact: (value) => value, onImported: () => undefined },
      status: async () => ({}),
      savings: async () => ({ tokens: 0, dollars: 0, compactions: 0, results: 0, isCounting: false }),
      windows: makeWindowDesk({ home, env: {}, store, inspector: inspectHere }),
      memories: makeMemoryDesk({ home, env: {} }),
      viewerFolder: folder,
      onError: (error) => {
        throw error;
      },
    },
    { sealer: () => ({ port: 1, token: "bench" }), invitations: makeInvitations(clock), clock },
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

async function timed(app: App, target: string): Promise<number> {
  const began = performance.now();
  const answer = await app.request(target);
  await answer.text();
  const took = performance.now() - began;
  if (answer.status !== 200) throw new Error(`${target} answered ${answer.status}`);
  return took;
}

/** In turns, so that what else the machine does falls on both alike; the fastest is what it costs by itself. */
async function compared(few: App, many: App, target: string): Promise<readonly [number, number]> {
  const times: [number[], number[]] = [[], []];
  for (let round = 0; round < ROUNDS; round++) {
    times[0].push(await timed(few, target));
    times[1].push(await timed(many, target));
  }
  return [Math.min(...times[0]), Math.min(...times[1])];
}

const folder = mkdtempSync(path.join(tmpdir(), "throughline-bench-viewer-"));
try {
  const [few, many] = [await open(folder, FEW), await open(folder, MANY)];
  const lines: string[] = [];
  let worst = 0;
  for (const target of [...pages, ...wholes]) {
    const [small, large] = await compared(few.app, many.app, target);
    const ratio = large / small;
    if (pages.includes(target)) worst = Math.max(worst, ratio);
    const note = pages.includes(target) ? "" : "  (counts all of it)";
    lines.push(
      `${small.toFixed(2).padStart(7)} ms ${large.toFixed(2).padStart(8)} ms ${ratio.toFixed(2).padStart(7)}  ${target}${note}`,
    );
  }
  process.stdout.write(
    `${FEW} observations, ${MANY} observations, ratio\n${lines.join("\n")}\nworst first page: ${worst.toFixed(2)} (at most ${BAR})\n`,
  );
  if (worst > BAR) process.exitCode = 1;
  await few.store.close();
  await many.store.close();
} finally {
  rmSync(folder, { recursive: true, force: true });
}
