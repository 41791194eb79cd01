// The page of a worker that was played the sample: one worker and one browser for a file, a signed-in tab for each test.
import type { Browser, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, beforeEach, expect } from "vitest";
import { openBrowser, openTab, type Tab } from "./browser.ts";
import { openViewerWorld, playSample, type ViewerWorld } from "./world.ts";

export interface SampleScene {
  readonly world: ViewerWorld;
  readonly page: Page;
  /** What went wrong in the tab so far. */
  readonly troubles: string[];
  /** Goes to an address of the page as if it were typed: the page starts anew. */
  visit(hash: string): Promise<void>;
}

/** To be called in a `describe`; what it gives is there while a test runs. Trouble in a tab fails its test. */
export function sampleScene(): SampleScene {
  let world: ViewerWorld;
  let browser: Browser;
  let tab: Tab;
  beforeAll(async () => {
    world = await openViewerWorld();
    browser = await openBrowser();
    await world.start();
    playSample(world);
    await world.settled();
  }, 180_000);
  afterAll(async () => {
    await browser?.close();
    await world?.close();
  });
  beforeEach(async () => {
    tab = await openTab(browser);
    await tab.page.goto(world.invitation());
    await tab.page.locator(".shell nav a").first().waitFor();
  });
  afterEach(async () => {
    const { troubles } = tab;
    await tab.close();
    expect(troubles).toEqual([]);
  });
  return {
    get world() {
      return world;
    },
    get page() {
      return tab.page;
    },
    get troubles() {
      return tab.troubles;
    },
    async visit(hash) {
      await tab.page.goto("about:blank");
      await tab.page.goto(`${world.base}${hash}`);
      await tab.page.locator("h1").first().waitFor({ state: "attached" });
      await tab.page.locator(".bones").first().waitFor({ state: "detached" });
    },
  };
}
