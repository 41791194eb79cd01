// Pages look as they were recorded, in both themes and from a phone to a large screen: `THROUGHLINE_RECORD=1` records them anew.
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { browserProblem, openBrowser, openTab, type Tab } from "./viewer/browser.ts";
import { afternoonZone, differenceOf, isRecording, looksProblem } from "./viewer/looks.ts";
import { openViewerWorld, playSample, type ViewerWorld } from "./viewer/world.ts";

const problem = browserProblem() ?? looksProblem();
if (problem !== undefined) console.warn(`\nthroughline: looks are not compared: ${problem}\n`);

/** Dates, a scrollbar and the edges of letters; a row that moved by its height differs by more. */
const MOST_DIFFERENCE = 0.03;
const sizes = [
  { width: 390, height: 844 },
  { width: 1440, height: 900 },
  { width: 2560, height: 1440 },
];

let world: ViewerWorld;
let browser: Browser;
const tabs = new Map<string, Tab>();
let blank: Page;

const session = (): string => world.place.session;
const click =
  (selector: string) =>
  (page: Page): Promise<void> =>
    page.locator(selector).first().click();

const views: readonly (readonly [
  name: string,
  hash: () => string,
  then?: (page: Page) => Promise<unknown>,
])[] = [
  ["home", () => "#/home"],
  ["live", () => "#/live"],
  ["timeline", () => "#/timeline"],
  ["search", () => "#/search?q=tile+cache"],
  ["sessions", () => "#/sessions"],
  ["trace", () => `#/session/${session()}?turn=${session()}:4`],
  ["window", () => `#/session/${session()}?view=window&a=30&b=38`],
  ["event", () => `#/session/${session()}?view=window`, click(".event-line")],
  ["files", () => `#/session/${session()}?view=files`],
  ["notes", () => `#/session/${session()}?view=notes`],
  ["kept", () => `#/session/${session()}?view=kept`],
  ["replay", () => `#/session/${session()}?view=replay`],
  ["memory", () => "#/memory", click(".memory-line")],
  ["add", () => "#/memory", click(".page-head .button")],
  ["stats", () => "#/stats"],
  ["settings", () => "#/settings"],
  ["palette", () => "#/home", (page) => page.keyboard.press("Control+k")],
];

/** What depends on the day, the machine or the moment is not looked at. */
const HIDDEN =
  ".rail, .health, .nav .foot, .page-head .mono, .facts, time, .figure { visibility: hidden !important; }";

describe.skipIf(problem !== undefined)("the looks of the page", () => {
  beforeAll(async () => {
    world = await openViewerWorld();
    browser = await openBrowser();
    await world.start();
    playSample(world);
    await world.settled();
    const memory = ["--name", "Reviews", "--description", "Short", "--body", "The worst finding first."];
    world.throughlineIn(world.place.project, "memory", "add", "--type", "user", ...memory);
    blank = (await openTab(browser)).page;
    for (const colorScheme of ["light", "dark"] as const) {
      const timezoneId = afternoonZone();
      const tab = await openTab(browser, {
        colorScheme,
        timezoneId,
        locale: "en-GB",
        reducedMotion: "reduce",
      });
      await tab.page.goto(world.invitation());
      await tab.page.locator(".period").first().waitFor();
      await tab.page.getByText("Still counting").waitFor({ state: "detached", timeout: 60_000 });
      tabs.set(colorScheme, tab);
    }
  }, 300_000);
  afterAll(async () => {
    await browser?.close();
    await world?.close();
  });

  const cases = views.flatMap(([name]) =>
    (["light", "dark"] as const).map((theme) => [name, theme] as const),
  );
  it.each(cases)("of %s, %s, are those that were recorded", async (name, theme) => {
    const [, hash, then] = views.find(([one]) => one === name) ?? views[0] ?? [];
    const { page } = tabs.get(theme) as Tab;
    const differences: Record<number, number | undefined> = {};
    for (const size of sizes) {
      await page.setViewportSize(size);
      await page.goto("about:blank");
      await page.goto(`${world.base}${hash?.()}`);
      await page.locator("h1, .search-box").first().waitFor();
      await page.locator(".bones").first().waitFor({ state: "detached" });
      await page.waitForLoadState("networkidle");
      await then?.(page);
      await page.addStyleTag({ content: HIDDEN }).catch(() => undefined);
      await page.evaluate("document.fonts.ready.then(() => new Promise(requestAnimationFrame))");
      await page.waitForTimeout(150);
      differences[size.width] = await differenceOf(page, blank, `${name}-${theme}-${size.width}`);
    }
    const wrong = Object.entries(differences).filter(([, by]) => by === undefined || by > MOST_DIFFERENCE);
    if (isRecording) console.log(name, theme, differences);
    expect(Object.fromEntries(wrong)).toEqual({});
  });
});
