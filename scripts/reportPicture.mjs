// `npm run pictures:report` makes docs/pictures/report.png: what `throughline replay --html` writes about the sample session, as a browser shows it.
// Needs Chromium (`apt-get install chromium`, or CHROMIUM=/path/to/it). The drawings beside it need none: a test makes them.
import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { chromium } from "playwright-core";
import { root } from "./root.mjs";
import { setup } from "./setup.mjs";

const browser = process.env.CHROMIUM ?? "/usr/bin/chromium";
const SIZE = { width: 1040, height: 860 };
const quiet = [
  "--no-sandbox",
  "--disable-gpu",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-sync",
];

function writeReport(folder) {
  const file = path.join(folder, "report.html");
  const cli = path.join(root, "dist", "cli.js");
  const { status, stderr } = spawnSync(
    process.execPath,
    [cli, "replay", path.join(root, "sample", "session.jsonl"), "--html", file],
    { env: { PATH: process.env.PATH, THROUGHLINE_HOME: path.join(folder, "home") }, encoding: "utf8" },
  );
  if (status !== 0) throw new Error(`the report could not be made: ${stderr}`);
  return file;
}

if (!existsSync(browser)) {
  console.error(`there is no ${browser}; install Chromium, or say where it is with CHROMIUM`);
  process.exit(1);
}
await setup();
const folder = mkdtempSync(path.join(tmpdir(), "throughline-pictures-"));
const opened = await chromium.launch({ executablePath: browser, args: quiet });
try {
  const page = await opened.newPage({ viewport: SIZE, colorScheme: "light" });
  await page.goto(pathToFileURL(writeReport(folder)).href);
  await page.screenshot({ path: path.join(root, "docs", "pictures", "report.png") });
} finally {
  await opened.close();
  rmSync(folder, { recursive: true, force: true });
}
