// What happens appears on the page as it happens: held back while one pauses, and without gap or double when the worker dies.
import type { Browser } from "playwright-core";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { browserProblem, openBrowser, openTab, type Tab } from "./viewer/browser.ts";
import { openViewerWorld, type ViewerWorld } from "./viewer/world.ts";

const problem = browserProblem();

let world: ViewerWorld;
let browser: Browser;
let tab: Tab;

const prompt = (words: string): void =>
  world.hook({ hook_event_name: "UserPromptSubmit", prompt: words, permission_mode: "default" });

const toolCall = (n: number): void =>
  world.hook({
    hook_event_name: "PostToolUse",
    tool_name: `Tool${n}`,
    tool_use_id: `toolu_${n}`,
    tool_input: { command: `echo ${n}` },
    tool_response: { stdout: String(n) },
  });

const shown = (words: string) => tab.page.locator(".turn-line", { hasText: words });
const toolsShown = async (): Promise<string[]> =>
  (await tab.page.locator(".live-event .clip:first-of-type").allTextContents()).flatMap(
    (text) => /^Tool\d+/.exec(text)?.[0] ?? [],
  );

describe.skipIf(problem !== undefined)("the live page", () => {
  beforeAll(async () => {
    world = await openViewerWorld();
    browser = await openBrowser();
    await world.start();
  }, 180_000);
  afterAll(async () => {
    await browser?.close();
    await world?.close();
  });
  beforeEach(async () => {
    tab = await openTab(browser);
    await tab.page.goto(world.invitation());
    await tab.page.locator(".shell nav a").first().waitFor();
    await tab.page.evaluate('location.hash = "#/live"');
    await tab.page.locator(".turn-line").first().waitFor();
    await tab.page.getByText("Connected").waitFor();
  });
  afterEach(() => tab.close());

  it("shows a prompt the moment it is given, and reads it out", async () => {
    prompt("please look at the pier lights");
    await shown("please look at the pier lights").waitFor();
    expect(await tab.page.locator("[aria-live=polite]").textContent()).toContain("the pier lights");
    expect(tab.troubles).toEqual([]);
  });

  it("holds still while it is paused, says how much waits, and loses none of it", async () => {
    await tab.page.getByRole("button", { name: "Pause" }).click();
    prompt("first while paused");
    prompt("second while paused");
    await tab.page.getByRole("button", { name: /waiting/ }).waitFor();
    expect(await shown("while paused").count()).toBe(0);
    await expect
      .poll(() => tab.page.getByRole("button", { name: "Go on" }).textContent())
      .toMatch(/[2-9] waiting/);
    await tab.page.getByRole("button", { name: "Go on" }).click();
    await shown("second while paused").waitFor();
    expect(await shown("while paused").count()).toBe(2);
    expect(tab.troubles).toEqual([]);
  });

  it("is of one project when one is chosen", async () => {
    await tab.page.getByLabel("Project").selectOption({ label: "quill" });
    prompt("this is of another project");
    await expect
      .poll(async () => new Set(await tab.page.locator(".turn-line .project").allTextContents()))
      .toEqual(new Set(["quill"]));
    await tab.page.getByLabel("Project").selectOption({ label: "All projects" });
    await shown("this is of another project").waitFor();
  });

  it("says that the worker died, and goes on where it was when one is back", async () => {
    toolCall(1);
    await expect.poll(toolsShown).toEqual(["Tool1"]);
    await world.kill();
    await tab.page.locator(".banner").waitFor();
    // What happens meanwhile waits in the spool.
    for (const n of [2, 3, 4]) toolCall(n);
    await world.start();
    await tab.page.locator(".banner").waitFor({ state: "detached" });
    toolCall(5);
    await expect.poll(toolsShown, { timeout: 20_000 }).toEqual(["Tool5", "Tool4", "Tool3", "Tool2", "Tool1"]);
    // And a second time, with nothing in between.
    await world.kill();
    await tab.page.locator(".banner").waitFor();
    await world.start();
    await tab.page.locator(".banner").waitFor({ state: "detached" });
    toolCall(6);
    await expect.poll(toolsShown, { timeout: 20_000 }).toEqual([6, 5, 4, 3, 2, 1].map((n) => `Tool${n}`));
    // A connection that breaks is an error on the console, and here it was broken on purpose; nothing else is.
    expect(
      tab.troubles.filter((one) => !/ERR_(CONNECTION|INCOMPLETE|EMPTY|NETWORK|SOCKET)/.test(one)),
    ).toEqual([]);
  });

  it("asks again on every page when the worker is back", async () => {
    await tab.page.goto(`${world.base}#/sessions`);
    await tab.page.locator("a.line").first().waitFor();
    await world.kill();
    await tab.page.getByRole("link", { name: "Stats" }).click();
    await tab.page.locator(".banner").waitFor();
    await world.start();
    await tab.page.locator(".figure").first().waitFor();
    await tab.page.locator(".banner").waitFor({ state: "detached" });
  });
});
