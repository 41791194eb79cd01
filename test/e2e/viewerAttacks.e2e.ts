// Everything that is kept is text: what others wrote into any field of it never runs, even where the policy of the page is off.
import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import type { Browser } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { notesFile, notesFolder } from "../../src/compact/index.ts";
import { sessionPlace } from "../../src/lib/index.ts";
import { attackedStory } from "./viewer/attackedStory.ts";
import { attacks } from "./viewer/attacks.ts";
import { browserProblem, openBrowser, openTab, type Tab } from "./viewer/browser.ts";
import { openViewerWorld, type ViewerWorld } from "./viewer/world.ts";

const problem = browserProblem();

let world: ViewerWorld;
let browser: Browser;
let tab: Tab;

/** Elements and attributes that only an attack brings in. */
const FOREIGN = [
  ...[
    "img",
    "iframe",
    "object",
    "embed",
    "video",
    "audio",
    "form[action]",
    "base",
    "meta[http-equiv]",
    "math",
  ],
  ...["script:not([src^='/assets/'])", "link:not([href^='/'])", "style", "marquee", "frameset", "template"],
  ...[
    "a[href^='javascript' i]",
    "a[href^='data' i]",
    "a[href^='vbscript' i]",
    "svg script",
    "svg animate",
    "svg set",
  ],
].join();

async function ranOn(page: Tab["page"]): Promise<string[]> {
  const ran = await page.evaluate<number[]>("window.__seen ?? []");
  const foreign = await page.evaluate<string[]>(
    `[...document.querySelectorAll(${JSON.stringify(FOREIGN)})].map((one) => one.outerHTML.slice(0, 120))`,
  );
  const handlers = await page.evaluate<string[]>(
    `[...document.querySelectorAll("*")].flatMap((one) => one.getAttributeNames().filter((name) => /^on|^style$|^srcdoc$|^formaction$/i.test(name) && !one.closest(".rows, .bar-track, .window-chart")).map((name) => one.tagName + " " + name))`,
  );
  return [...ran.map((n) => `ran: ${attacks[n]}`), ...foreign, ...handlers];
}

async function visit(hash: string): Promise<void> {
  await tab.page.goto("about:blank");
  await tab.page.goto(`${world.base}${hash}`);
  await tab.page.locator("h1").first().waitFor({ state: "attached" });
  await tab.page.locator(".bones").first().waitFor({ state: "detached" });
}

describe.skipIf(problem !== undefined)(`${attacks.length} attacks in every field`, () => {
  beforeAll(async () => {
    world = await openViewerWorld(attackedStory());
    browser = await openBrowser();
    const notes = notesFile(notesFolder(sessionPlace(world.home, "attacked-0badf00d", "attack-0")));
    mkdirSync(path.dirname(notes), { recursive: true });
    writeFileSync(notes, attacks.join("\n\n"));
    await world.start();
    // The page's own policy would stop most of them: it is taken away, so that the page itself is what is tested.
    tab = await openTab(browser, { bypassCSP: true });
    await tab.page.addInitScript("window.__seen = []; window.__ran = (n) => window.__seen.push(n);");
    await tab.page.goto(world.invitation());
    await tab.page.locator(".shell nav a").first().waitFor();
  }, 180_000);
  afterAll(async () => {
    await tab?.close();
    await browser?.close();
    await world?.close();
  });
  afterEach(() => expect(tab.troubles).toEqual([]));

  it("are enough", () => {
    expect(new Set(attacks).size).toBeGreaterThanOrEqual(100);
  });

  it.each(["live", "timeline", "sessions", "search?q=script", "search?q=onerror", "stats", "settings"])(
    "do nothing on %s",
    async (place) => {
      await visit(`#/${place}`);
      expect(await ranOn(tab.page)).toEqual([]);
    },
  );

  it("do nothing when each is opened whole", async () => {
    await visit("#/timeline");
    for (const kind of ["%23", "S", "P", "M"]) {
      for (let n = 1; n <= attacks.length; n++) {
        await tab.page.evaluate(`location.hash = "#/timeline?item=${kind}${n}"`);
        await tab.page.locator(".panel .button").waitFor();
      }
      expect(await ranOn(tab.page)).toEqual([]);
    }
  }, 300_000);

  it("do nothing on the page of a session, in its files and in its notes", async () => {
    for (const view of ["", "?view=files", "?view=notes", "?view=kept"]) {
      await visit(`#/session/attack-0${view}`);
      if (view === "?view=notes") await tab.page.locator(".prose > *").first().waitFor();
      expect(await ranOn(tab.page)).toEqual([]);
    }
  });

  it("do nothing in the address", async () => {
    for (const attack of attacks) {
      await tab.page.evaluate(
        `location.hash = ${JSON.stringify(`#/timeline?file=${encodeURIComponent(attack)}`)}`,
      );
    }
    await visit(
      `#/search?q=${encodeURIComponent(attacks[10] ?? "")}&item=${encodeURIComponent(attacks[0] ?? "")}`,
    );
    expect(await ranOn(tab.page)).toEqual([]);
  });
});
