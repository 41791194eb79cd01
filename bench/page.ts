// The page in a browser where little and where much is kept: how long until the first rows of the timeline and of a session are there,
// and how many rows and how much memory the page has while one scrolls through all of it.
import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { writeFileSync } from "node:fs";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { type Browser, chromium, type Page } from "playwright-core";
import { databaseFile, resolveHome } from "../src/home/index.ts";
import { openStore } from "../src/store/index.ts";
import type { Bench } from "./bench.ts";
import { fill } from "./fillStore.ts";
import { inFolder, numberAt, rounded, timed } from "./measure.ts";

const ROUNDS = 9;
const BAR = 1.15;
const STEPS = 120;
const MOST_ROWS = 60;
/** Of the page after two passes over everything, and how much the second pass may add to the first. */
const MOST_HEAP_MB = 96;
const MOST_GROWTH = 1.25;
const CALLS_PER_TURN = 100;
const LONG_SESSION = "long-session";
const program = (name: string): string => path.resolve("dist", name);

interface Size {
  readonly observations: number;
  readonly requests: number;
}

interface Kept {
  readonly worker: ChildProcess;
  readonly page: Page;
  readonly base: string;
}

/** A transcript of so many requests, each with one call of a tool: turns of a hundred. */
function longTranscript(file: string, requests: number): void {
  const start = Date.now() - requests * 2_000;
  const about = { sessionId: LONG_SESSION, cwd: "/", isSidechain: false, version: "2.1.325" };
  let parent: string | null = null;
  const lines: string[] = [];
  const add = (second: number, row: object): void => {
    const uuid = `row-${lines.length}`;
    const timestamp = new Date(start + second * 1_000).toISOString();
    lines.push(JSON.stringify({ ...about, uuid, parentUuid: parent, timestamp, ...row }));
    parent = uuid;
  };
  for (let n = 0; n < requests; n++) {
    const id = `toolu_${n}`;
    if (n % CALLS_PER_TURN === 0)
      add(2 * n, {
        type: "user",
        message: { role: "user", content: `part ${n / CALLS_PER_TURN} of the work` },
      });
    const usage = { input_tokens: 10, cache_read_input_tokens: 20_000 + n, output_tokens: 20 };
    const call = { type: "tool_use", id, name: "Bash", input: { command: `echo ${n}` } };
    const message = { role: "assistant", id: `msg_${n}`, model: "claude-opus-4-5", usage, content: [call] };
    add(2 * n + 1, { type: "assistant", requestId: `req_${n}`, message });
    const content = [{ type: "tool_result", tool_use_id: id, content: `${n}` }];
    add(2 * n + 2, { type: "user", message: { role: "user", content } });
  }
  writeFileSync(file, `${lines.join("\n")}\n`);
}

/** A worker with so many observations and a session of so many requests, and a browser that has signed in. */
async function open(browser: Browser, folder: string, size: Size, port: number): Promise<Kept> {
  const env = { ...process.env, THROUGHLINE_HOME: folder, THROUGHLINE_WORKER_PORT: String(port) };
  const home = resolveHome({ env, platform: process.platform, homeFolder: folder });
  const store = await openStore({ file: databaseFile(home) });
  await fill(store, size.observations);
  const transcript = path.join(folder, "long.jsonl");
  longTranscript(transcript, size.requests);
  const turns = Math.ceil(size.requests / CALLS_PER_TURN);
  await store.recordEvents(
    Array.from({ length: turns }, (_, turn) => ({
      ...{
        v: 1,
        id: `ev_long_${turn}`,
        kind: "prompt",
        session: LONG_SESSION,
        lane: "hooks",
        writer: "bench",
      },
      at: new Date(Date.now() - (size.requests - turn * CALLS_PER_TURN) * 2_000).toISOString(),
      ...{ cwd: "/", project: "project-0-00000000", transcript },
      payload: { prompt: `part ${turn} of the work` },
    })),
  );
  await store.close();
  const worker = spawn(process.execPath, [program("worker.js")], { env, stdio: "ignore" });
  const base = `http://127.0.0.1:${port}/`;
  const isUp = (): Promise<boolean> =>
    fetch(`${base}health`).then(
      ({ ok }) => ok,
      () => false,
    );
  while (!(await isUp())) await sleep(100);
  const printed = execFileSync(process.execPath, [program("cli.js"), "open", "--print", "--json"], { env });
  const { url } = JSON.parse(printed.toString()) as { url: string };
  const page = await (await browser.newContext({ viewport: { width: 1_280, height: 900 } })).newPage();
  await page.goto(url);
  await page.locator(".shell nav a").first().waitFor();
  return { worker, page, base };
}

const timelineHash = "#/timeline";
const sessionHash = `#/session/${LONG_SESSION}`;

async function firstRows({ page, base }: Kept, hash: string): Promise<number> {
  await page.goto("about:blank");
  return timed(async () => {
    await page.goto(`${base}${hash}`, { waitUntil: "commit" });
    await page.locator(".turn-line").first().waitFor();
  });
}

/** Through all of it in steps; gives the most rows that were there at once. */
async function scrollThrough({ page }: Kept): Promise<number> {
  let most = 0;
  for (let step = 1; step <= STEPS; step++) {
    await page.evaluate(
      `(() => { const rows = document.querySelector(".rows"); rows.scrollTop = (rows.scrollHeight * ${step}) / ${STEPS}; })()`,
    );
    // Every other step rests, so that what is seen is read and drawn.
    await sleep(step % 2 === 0 ? 160 : 30);
    most = Math.max(most, Number(await page.evaluate(`document.querySelectorAll(".rows .placed").length`)));
  }
  return most;
}

async function heapOf({ page }: Kept): Promise<number> {
  const devtools = await page.context().newCDPSession(page);
  await devtools.send("HeapProfiler.collectGarbage");
  const { usedSize } = await devtools.send("Runtime.getHeapUsage");
  await devtools.detach();
  return usedSize / 1e6;
}

interface Scrolled {
  readonly list: string;
  /** Lines of the list. */
  readonly lines: number;
  readonly mostRows: number;
  readonly firstHeap: number;
  readonly secondHeap: number;
}

/** Twice from end to end: what the second pass adds is what would add up. */
async function scrollTwice(kept: Kept, list: string): Promise<Scrolled> {
  const mostRows = [await scrollThrough(kept)];
  const firstHeap = await heapOf(kept);
  mostRows.push(await scrollThrough(kept));
  const lines = await kept.page.locator(".rows .placed").last().getAttribute("aria-setsize");
  return {
    list,
    lines: Number(lines),
    mostRows: Math.max(...mostRows),
    firstHeap,
    secondHeap: await heapOf(kept),
  };
}

async function scrollBoth(many: Kept): Promise<readonly Scrolled[]> {
  await firstRows(many, timelineHash);
  const timeline = await scrollTwice(many, "timeline");
  await firstRows(many, sessionHash);
  await many.page.getByRole("button", { name: "Open all turns" }).click();
  await many.page.locator(".step.call").first().waitFor();
  return [timeline, await scrollTwice(many, "trace of the long session")];
}

/** In turns, so that what else the machine does falls on both alike; the fastest is what it costs by itself. */
async function fastest(few: Kept, many: Kept, hash: string): Promise<readonly [number, number]> {
  const times: [number[], number[]] = [[], []];
  for (let round = 0; round < ROUNDS; round++) {
    times[0].push(await firstRows(few, hash));
    times[1].push(await firstRows(many, hash));
  }
  return [Math.min(...times[0]), Math.min(...times[1])];
}

async function measured(folder: string, sizes: readonly [Size, Size]) {
  const browser = await chromium.launch({
    executablePath: "/usr/bin/chromium",
    args: ["--headless", "--no-sandbox", "--disable-gpu", "--disable-background-networking"],
  });
  const kept: Kept[] = [];
  try {
    const few = await open(browser, path.join(folder, "few"), sizes[0], 38_801);
    kept.push(few);
    const many = await open(browser, path.join(folder, "many"), sizes[1], 38_802);
    kept.push(many);
    const timeline = await fastest(few, many, timelineHash);
    const session = await fastest(few, many, sessionHash);
    return { timeline, session, scrolled: await scrollBoth(many) };
  } finally {
    await browser.close();
    for (const { worker } of kept) worker.kill("SIGKILL");
  }
}

export const bench: Bench = {
  name: "page",
  measures: ["viewer"],
  about:
    "How long until the first rows of the timeline and of a session stand in a browser where a hundred times as much is kept, and what the page holds meanwhile.",
  usage: "[few] [many] [few requests] [many requests]",
  async run(args) {
    const sizes = [
      { observations: numberAt(args, 0, 1_000), requests: numberAt(args, 2, 50) },
      { observations: numberAt(args, 1, 100_000), requests: numberAt(args, 3, 5_000) },
    ] as const;
    const { timeline, session, scrolled } = await inFolder("page", (folder) => measured(folder, sizes));
    const rows = sizes.map((size, at) => ({
      ...size,
      "timeline, ms": Math.round(timeline[at] ?? Number.NaN),
      "session, ms": Math.round(session[at] ?? Number.NaN),
    }));
    return {
      findings: [
        { title: "Until the first rows are there", rows },
        {
          title: "Scrolled through twice",
          rows: scrolled.map(({ firstHeap, secondHeap, ...one }) => ({
            ...one,
            "heap, MB": Math.round(firstHeap),
            "again, MB": Math.round(secondHeap),
          })),
        },
      ],
      bars: [
        {
          what: "first rows of the timeline, × of few",
          value: rounded(timeline[1] / timeline[0]),
          atMost: BAR,
        },
        { what: "first rows of the session, × of few", value: rounded(session[1] / session[0]), atMost: BAR },
        ...scrolled.flatMap(({ list, mostRows, firstHeap, secondHeap }) => [
          { what: `rows in the page, ${list}`, value: mostRows, atMost: MOST_ROWS },
          { what: `heap after two passes in MB, ${list}`, value: rounded(secondHeap), atMost: MOST_HEAP_MB },
          {
            what: `heap of the second pass, × of the first, ${list}`,
            value: rounded(secondHeap / firstHeap),
            atMost: MOST_GROWTH,
          },
        ]),
      ],
    };
  },
};
