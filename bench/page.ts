// The page in a browser where little and where much is kept: how long until the first rows of the timeline stand there, and
// how many rows are in the page while one scrolls through all of it. usage: npm run bench:page -- [few] [many]
import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { type Browser, chromium, type Page } from "playwright-core";
import { databaseFile, resolveHome } from "../src/lib/index.ts";
import { openStore } from "../src/store/index.ts";
import { fill } from "./viewer/fill.ts";

const FEW = Number(process.argv[2] ?? 1_000);
const MANY = Number(process.argv[3] ?? 100_000);
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
  const began = performance.now();
  await page.goto(`${base}#/timeline`, { waitUntil: "commit" });
  await page.locator(".row-line").first().waitFor();
  return performance.now() - began;
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

const folder = mkdtempSync(path.join(tmpdir(), "tl-b-"));
const browser = await chromium.launch({
  executablePath: "/usr/bin/chromium",
  args: ["--headless", "--no-sandbox", "--disable-gpu", "--disable-background-networking"],
});
const kept: Kept[] = [];
try {
  kept.push(await open(browser, path.join(folder, "few"), FEW, 38_801));
  kept.push(await open(browser, path.join(folder, "many"), MANY, 38_802));
  const times: number[][] = kept.map(() => []);
  // In turns, so that what else the machine does falls on both alike; the fastest is what it costs by itself.
  for (let round = 0; round < ROUNDS; round++) {
    for (const [at, one] of kept.entries()) times[at]?.push(await firstRows(one));
  }
  const [few = 0, many = 0] = times.map((all) => Math.min(...all));
  const most = await scrollThrough(kept[1] as Kept);
  const ratio = many / few;
  process.stdout.write(
    `first rows: ${few.toFixed(0)} ms at ${FEW} observations, ${many.toFixed(0)} ms at ${MANY}; ratio ${ratio.toFixed(2)} (at most ${BAR})\n` +
      `rows in the page while scrolling through ${MANY}: ${most} (at most ${MOST_ROWS})\n`,
  );
  if (ratio > BAR || most > MOST_ROWS) process.exitCode = 1;
} finally {
  await browser.close();
  for (const { worker } of kept) worker.kill("SIGKILL");
  rmSync(folder, { recursive: true, force: true });
}
