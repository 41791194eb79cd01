// The page in a real browser against a real worker: every page, what can be done on it, and how it holds itself.
import { describe, expect, it } from "vitest";
import { violationsOn } from "./viewer/axe.ts";
import { browserProblem, openBrowser, openTab } from "./viewer/browser.ts";
import { type SampleScene, sampleScene } from "./viewer/sampleData.ts";
import { openViewerWorld } from "./viewer/world.ts";

const problem = browserProblem();
if (problem !== undefined) console.warn(`\nthroughline: the page is not tested: ${problem}\n`);

let scene: SampleScene;

const pages = ["home", "live", "timeline", "search", "sessions", "memory", "stats", "settings"];
const sessionViews = ["", "?view=window", "?view=files", "?view=notes", "?view=kept"];

const textOf = (selector: string): Promise<string[]> => scene.page.locator(selector).allInnerTexts();

describe.skipIf(problem !== undefined)("the page", () => {
  scene = sampleScene();

  it("takes the code out of the address, and needs it only once", async () => {
    expect(scene.page.url()).toBe(`${scene.world.base}#/home`);
    await scene.visit("#/sessions");
    await scene.page.locator("a.line").first().waitFor();
  });

  it.each(["light", "dark"] as const)(
    "has nothing serious against it on any page, in the %s",
    async (theme) => {
      await scene.page.emulateMedia({ colorScheme: theme });
      const found: Record<string, string[]> = {};
      const views = sessionViews.map((view) => `session/${scene.world.place.session}${view}`);
      for (const place of [...pages, ...views, "search?q=boat", "timeline?item=%231"]) {
        await scene.visit(`#/${place}`);
        const violations = await violationsOn(scene.page);
        if (violations.length > 0) found[place] = violations;
      }
      expect(found).toEqual({});
    },
  );

  it("fits into 360 pixels", async () => {
    await scene.page.setViewportSize({ width: 360, height: 740 });
    const tooWide: string[] = [];
    for (const place of [
      ...pages,
      `session/${scene.world.place.session}?view=window`,
      "timeline?item=%231",
    ]) {
      await scene.visit(`#/${place}`);
      const width = await scene.page.evaluate("document.documentElement.scrollWidth");
      if (Number(width) > 360) tooWide.push(`${place}: ${width}`);
    }
    expect(tooWide).toEqual([]);
  });

  it("shows days, sessions, turns and what came of them, narrowed by what the address says", async () => {
    await scene.visit("#/timeline");
    await scene.page.locator(".turn-line").first().waitFor();
    expect((await textOf(".day-line h2"))[0]).toMatch(/^Today/);
    expect(new Set(await textOf(".turn-line .badge .hidden")).size).toBeGreaterThan(2);
    await scene.page.getByLabel("Type").selectOption("decision");
    await scene.page.waitForURL(/type=decision/);
    await expect
      .poll(async () => new Set(await textOf(".turn-line .badge .hidden")))
      .toEqual(new Set(["Decision"]));
    await scene.page.goBack();
    await expect.poll(async () => new Set(await textOf(".turn-line .badge .hidden")).size).toBeGreaterThan(2);
    await scene.visit("#/timeline?file=src/cache/tileKey.ts");
    await scene.page.locator(".turn-line").first().waitFor();
    expect(await textOf(".turn-line")).toEqual(
      expect.arrayContaining([expect.stringContaining("Tile keys are made of content")]),
    );
  });

  it("jumps to a date and opens what is there beside the list", async () => {
    await scene.visit("#/timeline");
    await scene.page.locator(".turn-line").first().waitFor();
    const day = new Date(Date.now() - 20 * 86_400_000).toISOString().slice(0, 10);
    await scene.page.locator(".rail input").fill(day);
    await scene.page.waitForURL(new RegExp(`day=${day}`));
    await expect.poll(async () => (await textOf(".day-line h2")).join()).not.toMatch(/Today/);
    await scene.page.locator(".turn-line").first().click();
    await scene.page.waitForURL(/turn=/);
    await scene.page.locator(".row-line").first().click();
    await scene.page.locator(".panel h2").waitFor();
    const title = await scene.page.locator(".panel h2").textContent();
    await scene.page.reload();
    await expect.poll(() => scene.page.locator(".panel h2").textContent()).toBe(title);
  });

  it("finds while one types, marks the words and says why", async () => {
    await scene.visit("#/search");
    await scene.page.locator(".search-box").pressSequentially("tile cach", { delay: 20 });
    await scene.page.locator(".hit mark").first().waitFor();
    expect(await textOf(".hit .title")).toEqual(
      expect.arrayContaining([expect.stringContaining("The tile cache never hits")]),
    );
    expect((await textOf(".hit .why"))[0]).toMatch(/^matched: .*(?:tile|cach).* · /);
    expect(scene.page.url()).toContain("q=tile+cach");
    await scene.page.getByLabel("Kind").selectOption("message");
    await expect
      .poll(async () => new Set(await textOf(".hit .about > span:first-child")))
      .toEqual(new Set(["Conversation"]));
  });

  it("shows a session, its files, its archive and what its window held", async () => {
    await scene.visit("#/sessions");
    await scene.page
      .getByText("The 00:35 boat from Harbour to Skerry is missing on Friday nights. People")
      .click();
    await scene.page.locator(".turn-line").first().waitFor();
    expect(await textOf(".turn-line")).toHaveLength(6);
    await scene.page.locator(".window-chart canvas").waitFor();
    await scene.page.getByRole("button", { name: "Files", exact: true }).click();
    await scene.page.getByRole("link", { name: "src/calendar.js" }).waitFor();
    await scene.page.getByRole("button", { name: "Kept" }).click();
    await scene.page.getByText("-5a3b1e70.md").waitFor();
    await scene.page.getByRole("button", { name: "Window", exact: true }).click();
    await scene.page.locator(".window-chart canvas").waitFor();
    expect((await textOf(".event-line time"))[0]).toMatch(/^\d+ \w+, \d\d:\d\d$/);
    await scene.page.locator(".event-line").first().click();
    await scene.page.getByRole("heading", { name: "Compaction" }).waitFor();
    await scene.page.getByText("The numbers as a table").click();
    expect(await scene.page.locator(".numbers tbody tr").count()).toBe(38);
  });

  it("opens a turn to its trace: calls with their times and texts, failures, and edits of the window", async () => {
    const { page, world } = scene;
    await scene.visit(`#/session/${world.place.session}`);
    await page.locator(".turn-line", { hasText: "Yes please, both" }).click();
    await page.locator(".step.call").first().waitFor();
    expect(await textOf(".step.call")).toHaveLength(7);
    expect(await page.locator(".step.call.failed").count()).toBe(1);
    await page.locator(".step.call.failed").click();
    await page.getByLabel("Bash: Input").getByText("npm test").waitFor();
    await page.getByLabel("Bash: Output").getByText("deep-equal").first().waitFor();
    expect(await violationsOn(page)).toEqual([]);
    await page.reload();
    await page.getByLabel("Bash: Output").getByText("deep-equal").first().waitFor();
    await scene.visit(`#/session/${world.place.session}?turn=${world.place.session}:6`);
    const list = page.locator(".rows");
    await page.locator(".turn-line").first().waitFor();
    await list.press("End");
    await page.locator(".step.edit").click();
    await page.getByRole("heading", { name: "Compaction" }).waitFor();
    expect(await violationsOn(page)).toEqual([]);
  });

  it("links the chart of the window with the trace, both ways", async () => {
    const { page, world } = scene;
    await scene.visit(`#/session/${world.place.session}`);
    const over = page.locator(".u-over");
    await over.waitFor();
    const { width = 0, height = 0 } = (await over.boundingBox()) ?? {};
    await over.click({ position: { x: width * 0.3, y: height / 2 } });
    await page.locator(".step.request.pointed").waitFor();
    const point = await page.locator(".step.request.pointed").getAttribute("data-point");
    await expect.poll(() => textOf(".readout strong")).toEqual([`Request ${Number(point) + 1}`]);
    await page.locator(".step.request").last().hover();
    const last = await page.locator(".step.request").last().getAttribute("data-point");
    await expect.poll(() => textOf(".readout strong")).toEqual([`Request ${Number(last) + 1}`]);
    await page.locator(".pointed-line").waitFor();
  });

  it("shows the numbers that the command line prints, to the digit", async () => {
    const { page, world } = scene;
    const { session } = world.place;
    const asked = (...args: string[]): unknown => JSON.parse(world.throughline("usage", ...args, "--json"));
    const sums = asked() as Record<"today" | "week", { dollars: number; requests: number }>;
    const dollars = (value: number): string => `$${value.toFixed(2)}`;
    await scene.visit("#/home");
    await expect
      .poll(() => textOf(".period strong"), { timeout: 30_000 })
      .toEqual([dollars(sums.today.dollars), dollars(sums.week.dollars)]);
    expect((await textOf(".period"))[1]).toContain(`${sums.week.requests} requests`);
    const own = asked("--session", session) as {
      cost: { dollars: number; requests: number };
      compactions: number;
      turns: { dollars: number; calls: number; failed: number }[];
    };
    await scene.visit(`#/session/${session}`);
    await page.locator(".turn-line .cost").nth(5).waitFor();
    await page.locator(".u-over").waitFor();
    await expect
      .poll(() => textOf(".figure-line li"))
      .toEqual(
        expect.arrayContaining([
          `${dollars(own.cost.dollars)} cost`,
          `${own.cost.requests} requests`,
          `${own.compactions} compaction`,
          `${own.turns.length} turns`,
        ]),
      );
    const shown = (value: number): string => (value < 0.005 ? "<$0.01" : dollars(value));
    await expect.poll(() => textOf(".turn-line .cost")).toEqual(own.turns.map((turn) => shown(turn.dollars)));
  });

  it("is three clicks at most from Home to a decision, a session's cost, and why something left the window", async () => {
    const { page } = scene;
    await scene.visit("#/home");
    await page.locator(".decision-open").first().click();
    await page.locator(".panel h2").waitFor();
    await scene.visit("#/home");
    await page.locator(".recent-line", { hasText: "The 00:35 boat" }).click();
    await page.locator(".figure-line", { hasText: "cost" }).waitFor();
    await page.locator(".marker").first().click();
    await page.locator(".panel", { hasText: "asked for with /compact" }).waitFor();
  });

  it("goes anywhere from the palette, with keys alone", async () => {
    const { page } = scene;
    await scene.visit("#/home");
    await page.keyboard.press("Control+k");
    await page.locator(".palette-field:focus").waitFor();
    expect(await violationsOn(page)).toEqual([]);
    await page.keyboard.type("tile cache");
    await page.locator(".choice", { hasText: "The tile cache never hits" }).waitFor();
    await page.locator(".palette-field").fill("mem");
    await page.keyboard.press("Enter");
    await page.waitForURL(/#\/memory/);
    await page.getByRole("dialog").waitFor({ state: "detached" });
  });

  it("is moved through with keys alone", async () => {
    const { keyboard } = scene.page;
    await keyboard.press("g");
    await keyboard.press("t");
    await scene.page.waitForURL(/#\/timeline/);
    await scene.page.locator(".turn-line").first().waitFor();
    // The first line is the session; its second turn has findings.
    for (const key of ["j", "j", "j"]) await keyboard.press(key);
    await keyboard.press("Enter");
    await scene.page.locator(".row-line").first().waitFor();
    for (const key of ["j", "j", "k"]) await keyboard.press(key);
    const chosen = await scene.page.evaluate("document.activeElement.dataset.ref");
    expect(chosen).toMatch(/^#\d+$/);
    await keyboard.press("Enter");
    await scene.page.locator(".panel h2").waitFor();
    expect(await scene.page.evaluate("document.activeElement.className")).toBe("panel");
    await keyboard.press("Escape");
    await scene.page.locator(".panel").waitFor({ state: "detached" });
    await expect.poll(() => scene.page.evaluate("document.activeElement.dataset.ref")).toBe(chosen);
    await keyboard.press("/");
    await scene.page.locator(".search-box:focus").waitFor();
    await keyboard.type("gjk?");
    expect(await scene.page.locator(".search-box").inputValue()).toBe("gjk?");
    await keyboard.press("Escape");
    await keyboard.press("?");
    await scene.page.getByRole("dialog").waitFor();
    await keyboard.press("Escape");
    await scene.page.getByRole("dialog").waitFor({ state: "detached" });
  });

  it("speaks both languages and wears both themes, and remembers which", async () => {
    const colour = (): Promise<string> =>
      scene.page.evaluate("getComputedStyle(document.body.parentElement).backgroundColor");
    const light = await colour();
    await scene.page.getByRole("button", { name: "Theme: as the system" }).click();
    await scene.page.getByRole("button", { name: "Theme: light" }).click();
    expect(await colour()).not.toBe(light);
    await scene.page.getByTitle("Switch to Chinese").click();
    await scene.page.getByRole("heading", { name: "首页" }).waitFor();
    await scene.visit("#/settings");
    await scene.page.getByRole("heading", { name: "设置" }).waitFor();
    await scene.page.getByText("多少分钟没有事件和读者后后台进程退出").waitFor();
    expect(await colour()).not.toBe(light);
    expect(await scene.page.evaluate("document.documentElement.lang")).toBe("zh-Hans");
  });
});

describe.skipIf(problem !== undefined)("a browser without a sign-in", () => {
  it("is told how to get in, in its language, and sees nothing else", async () => {
    const ownWorld = await openViewerWorld();
    const ownBrowser = await openBrowser();
    try {
      await ownWorld.start();
      for (const [locale, words] of [
        ["en-GB", "This browser is not signed in"],
        ["zh-CN", "此浏览器尚未登录"],
      ] as const) {
        const own = await openTab(ownBrowser, { locale });
        await own.page.goto(ownWorld.base);
        await own.page.getByRole("heading", { name: words }).waitFor();
        await own.page.getByText("throughline open", { exact: true }).waitFor();
        expect(await violationsOn(own.page)).toEqual([]);
        await own.close();
      }
      const used = ownWorld.invitation();
      const first = await openTab(ownBrowser);
      await first.page.goto(used);
      await first.page.locator(".shell nav a").first().waitFor();
      await first.close();
      const second = await openTab(ownBrowser);
      await second.page.goto(used);
      await second.page.getByRole("alert").waitFor();
      await second.close();
    } finally {
      await ownBrowser.close();
      await ownWorld.close();
    }
  });
});
