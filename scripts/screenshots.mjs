// Takes pictures of every page in both themes, of believable work in a real worker: `node scripts/screenshots.mjs [FOLDER]`.
// Needs Chromium. Everything but the pictures lies in a temporary folder and is gone afterwards.
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { chromium } from "playwright-core";
import { story, storyLines } from "./pictures/story.mjs";
import { root } from "./root.mjs";
import { setup } from "./setup.mjs";
import { commandIn, freshEnvironment } from "./start/facts.mjs";
import { demoPlace, feed } from "./start/feed.mjs";

const target = path.resolve(process.argv[2] ?? path.join(root, "dist", "pictures"));
const size = { width: 1280, height: 800 };

/** Pictures are taken in Inter where it is installed; fontconfig decides what a page calls the system's own font. */
function fontsIn(folder) {
  const file = path.join(folder, "fonts.conf");
  const rule = (family) =>
    `<match target="pattern"><test name="family"><string>${family}</string></test><edit name="family" mode="assign" binding="strong"><string>Inter</string></edit></match>`;
  const rules = ["DejaVu Sans", "sans", "sans-serif"].map(rule).join("");
  writeFileSync(
    file,
    `<?xml version="1.0"?><fontconfig>${rules}<include>/etc/fonts/fonts.conf</include></fontconfig>`,
  );
  return { ...process.env, FONTCONFIG_FILE: file };
}

/** Fills the store. Gives the session whose window is shown: the recorded one, which goes through the hooks as in `npm start`. */
async function furnish(folder, throughline) {
  const file = path.join(folder, "story.jsonl");
  writeFileSync(file, `${storyLines().join("\n")}\n`);
  throughline("data", "import", file);
  throughline("worker", "start");
  const place = demoPlace(folder);
  feed(place, freshEnvironment(folder));
  for (const memory of story.memories) {
    const options = Object.entries(memory).flatMap(([name, value]) => [`--${name}`, value]);
    execFileSync(process.execPath, [path.join(root, "dist", "cli.js"), "memory", "add", ...options], {
      cwd: place.project,
      env: freshEnvironment(folder),
      stdio: "ignore",
    });
  }
  await sleep(3_000);
  return place.session;
}

async function openEvent(page) {
  await page.locator(".event-line").first().click();
  await page.locator(".panel h2").waitFor();
}

function shots(session) {
  return [
    ["live", "#/live"],
    ["timeline", "#/timeline"],
    ["timeline-turn", "#/timeline", (page) => page.locator(".turn-line").nth(3).click()],
    ["search", "#/search?q=tile+cache"],
    ["search-empty", "#/search"],
    ["sessions", "#/sessions"],
    ["session", `#/session/${session}`, (page) => page.locator(".turn-line").nth(1).click()],
    ["window", `#/session/${session}?view=window`],
    ["window-event", `#/session/${session}?view=window`, openEvent],
    ["files", `#/session/${session}?view=files`],
    ["kept", `#/session/${session}?view=kept`],
    ["memory", "#/memory", (page) => page.locator(".memory-line").first().click({ timeout: 3_000 })],
    ["stats", "#/stats"],
    ["settings", "#/settings"],
  ];
}

async function takeAll(page, base, session, suffix) {
  for (const [name, hash, then] of shots(session)) {
    await page.goto("about:blank");
    await page.goto(`${base}${hash}`);
    await page.locator(".bones").first().waitFor({ state: "detached" });
    await sleep(700);
    if (then !== undefined) {
      await then(page).catch((error) => console.error(`${name}: ${error.message.split("\n")[0]}`));
      await sleep(700);
    }
    await page.screenshot({ path: path.join(target, `${name}${suffix}.png`) });
  }
}

await setup();
mkdirSync(target, { recursive: true });
const folder = realpathSync(mkdtempSync(path.join(tmpdir(), "tl-p-")));
const throughline = commandIn(folder);
try {
  const session = await furnish(folder, throughline);
  const browser = await chromium.launch({
    executablePath: "/usr/bin/chromium",
    env: fontsIn(folder),
    args: [
      "--headless",
      "--no-sandbox",
      "--disable-gpu",
      "--disable-background-networking",
      "--font-render-hinting=none",
    ],
  });
  for (const colorScheme of ["light", "dark"]) {
    const context = await browser.newContext({ viewport: size, colorScheme, reducedMotion: "reduce" });
    const page = await context.newPage();
    const { url } = JSON.parse(throughline("open", "--print", "--json"));
    await page.goto(url);
    await page.locator(".shell nav a").first().waitFor();
    const base = url.slice(0, url.indexOf("#"));
    await takeAll(page, base, session, colorScheme === "dark" ? "-dark" : "");
    await page.setViewportSize({ width: 360, height: 740 });
    if (colorScheme === "light") await takeAll(page, base, session, "-small");
    await context.close();
  }
  await browser.close();
  console.log(`pictures are in ${target}`);
} finally {
  throughline("worker", "stop");
  rmSync(folder, { recursive: true, force: true });
}
