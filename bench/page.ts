// The page in a browser where little and where much is kept: how long until the first rows of the timeline stand there, and
// how many rows are in the page while one scrolls through all of it.
import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { type Browser, chromium, type Page } from "playwright-core";
import { databaseFile, resolveHome } from "../src/home/index.ts";
import { openStore } from "../src/store/index.ts";
import type { Bench } from "./bench.ts";
import { fill } from "./fillStore.ts";
import { inFolder, numberAt, rounded, timed } from "./measure.ts";

const ROUNDS = 9;
const BAR = 2;
const STEPS = 120;
const MOST_ROWS = 300;
const program = (name: string): string => path.resolve("dist", name);

interface Kept {
  readonly worker: ChildProcess;
  readonly page: Page;
  readonly base: string;
}

/** A worker with so many observations, and a browser that has signed in. */
async function open(browser: Browser, folder: string, count: number, port: number): Promise<Kept> {
  const env = { ...process.env, THROUGHLINE_HOME: folder, THROUGHLINE_WORKER_PORT: String(port) };
  const home = resolveHome({ env, platform: process.platform, homeFolder: folder });
  const store = await openStore({ file: databaseFile(home) });
  await fill(store, count);
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

async function firstRows({ page, base }: Kept): Promise<number> {
  await page.goto("about:blank");
  return timed(async () => {
    await page.goto(`${base}#/timeline`, { waitUntil: "commit" });
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

/** In turns, so that what else the machine does falls on both alike; the fastest is what it costs by itself. */
async function fastest(few: Kept, many: Kept): Promise<readonly [number, number]> {
  const times: [number[], number[]] = [[], []];
  for (let round = 0; round < ROUNDS; round++) {
    times[0].push(await firstRows(few));
    times[1].push(await firstRows(many));
  }
  return [Math.min(...times[0]), Math.min(...times[1])];
}

async function measured(folder: string, counts: readonly [number, number]) {
  const browser = await chromium.launch({
    executablePath: "/usr/bin/chromium",
    args: ["--headless", "--no-sandbox", "--disable-gpu", "--disable-background-networking"],
  });
  const kept: Kept[] = [];
  try {
    const few = await open(browser, path.join(folder, "few"), counts[0], 38_801);
    kept.push(few);
    const many = await open(browser, path.join(folder, "many"), counts[1], 38_802);
    kept.push(many);
    return { times: await fastest(few, many), most: await scrollThrough(many) };
  } finally {
    await browser.close();
    for (const { worker } of kept) worker.kill("SIGKILL");
  }
}

export const bench: Bench = {
  name: "page",
  measures: ["viewer"],
  about:
    "How long until the first rows of the timeline stand in a browser where a hundred times as much is kept.",
  usage: "[few] [many]",
  async run(args) {
    const counts = [numberAt(args, 0, 1_000), numberAt(args, 1, 100_000)] as const;
    const { times, most } = await inFolder("page", (folder) => measured(folder, counts));
    const rows = counts.map((observations, at) => ({
      observations,
      ms: Math.round(times[at] ?? Number.NaN),
    }));
    const ratio = times[1] / times[0];
    return {
      findings: [{ title: "Until the first rows are there", rows }],
      bars: [
        { what: "first rows, × of few", value: rounded(ratio), atMost: BAR },
        { what: "rows in the page while scrolling", value: most, atMost: MOST_ROWS },
      ],
    };
  },
};
