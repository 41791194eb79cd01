// Everything that is kept is text: what others wrote into any field of it never runs, even where the policy of the page is off.

import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import type { Browser } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { notesFile, notesFolder } from "../../src/compact/index.ts";
import { ledgerFile, projectOf, sessionPlace, vaultFolder } from "../../src/home/index.ts";
import { openLedger } from "../../src/ledger/index.ts";
import { openVault } from "../../src/vault/index.ts";
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
  ...["script:not([src^='/assets/'])", "#app link", "style", "marquee", "frameset", "template"],
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
    `[...document.querySelectorAll("*")].flatMap((one) => one.getAttributeNames().filter((name) => /^on|^style$|^srcdoc$|^formaction$/i.test(name) && !one.closest(".rows, .bar-track, .gauge-track, .window-chart")).map((name) => one.tagName + " " + name))`,
  );
  return [...ran.map((n) => `ran: ${attacks[n]}`), ...foreign, ...handlers];
}

/** Runs from a file's name, too: a folder of work may be called anything that has no slash. */
const NAME = "<img src=x onerror=window.__ran(11)>";

/** A session whose transcript and ledger are attacks, in a folder whose name is one. */
function attackWindow(): void {
  const cwd = path.join(world.folder, NAME);
  mkdirSync(cwd, { recursive: true });
  const transcript = path.join(world.folder, "attacked.jsonl");
  const at = (n: number): string => new Date(Date.now() - 3_600_000 + n * 1_000).toISOString();
  const usage = { input_tokens: 5_000, output_tokens: 5 };
  const rows = attacks.flatMap((attack, n) => {
    const about = { sessionId: "attack-window", cwd, isSidechain: false, timestamp: at(n) };
    const say = { role: "assistant", id: `msg_${n}`, model: "claude-opus-4-1", usage };
    const call = { type: "tool_use", id: `toolu_${n}`, name: attack, input: { command: attack } };
    const result = [{ type: "tool_result", tool_use_id: `toolu_${n}`, content: attack }];
    const row = (part: number, more: object): object => ({
      ...about,
      uuid: `${n}-${part}`,
      parentUuid: part === 0 ? (n === 0 ? null : `${n - 1}-2`) : `${n}-${part - 1}`,
      ...more,
    });
    return [
      row(0, { type: "user", message: { role: "user", content: attack } }),
      row(1, {
        type: "assistant",
        requestId: `r${n}`,
        message: { ...say, content: [{ type: "text", text: attack }, call] },
      }),
      row(2, { type: "user", message: { role: "user", content: result } }),
    ];
  });
  writeFileSync(transcript, rows.map((row) => `${JSON.stringify(row)}\n`).join(""));
  world.hook({
    hook_event_name: "UserPromptSubmit",
    prompt: attacks[10] ?? "",
    session_id: "attack-window",
    cwd,
    transcript_path: transcript,
  });
  const { handle } = openVault(vaultFolder(world.home)).put(attacks.join("\n"), { session: "attack-window" });
  const place = sessionPlace(world.home, projectOf(cwd).id, "attack-window");
  const entries = attacks.map((why, n) => ({
    v: 1 as const,
    id: `e_${n}`,
    at: at(n),
    by: "here" as const,
    level: "microcompact" as const,
    why,
    edit: { kind: "replace-result" as const, toolUseId: `toolu_${n}`, content: why },
    handles: [handle],
  }));
  openLedger(ledgerFile(place)).append(entries);
}

/** Memories whose every field is an attack, as another program could put them into the folder. */
function attackMemories(folder: string): void {
  for (const [n, attack] of attacks.entries()) {
    const quoted = JSON.stringify(attack);
    const head = `---\nname: ${quoted}\ndescription: ${quoted}\ntype: ${n % 2 === 0 ? "project" : quoted}\n---\n`;
    writeFileSync(path.join(folder, `attack-${n}.md`), `${head}\n${attack}\n`);
  }
  writeFileSync(
    path.join(folder, `${NAME}.md`),
    `---\nname: x\ndescription: y\ntype: user\n---\n${attacks.join("\n\n")}`,
  );
}

async function visit(hash: string): Promise<void> {
  await tab.page.goto("about:blank");
  await tab.page.goto(`${world.base}${hash}`);
  await tab.page.locator("h1").first().waitFor({ state: "attached" });
  await tab.page.locator(".bones").first().waitFor({ state: "detached" });
}

/** What the worker refuses is an error on the console, and here some of it has to be refused. */
function forgiveRefusals(): void {
  tab.troubles.splice(0, tab.troubles.length, ...tab.troubles.filter((one) => !/status of 4\d\d/.test(one)));
}

describe.skipIf(problem !== undefined)(`${attacks.length} attacks in every field`, () => {
  beforeAll(async () => {
    world = await openViewerWorld(attackedStory());
    browser = await openBrowser();
    const notes = notesFile(notesFolder(sessionPlace(world.home, "attacked-0badf00d", "attack-0")));
    mkdirSync(path.dirname(notes), { recursive: true });
    writeFileSync(notes, attacks.join("\n\n"));
    await world.start();
    attackWindow();
    world.throughline("config", "set", "llm.model", attacks[15] ?? "");
    await world.settled();
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

  it.each([
    "home",
    "live",
    "timeline",
    "sessions",
    "search?q=script",
    "search?q=onerror",
    "memory",
    "stats",
    "settings",
  ])("do nothing on %s", async (place) => {
    await visit(`#/${place}`);
    expect(await ranOn(tab.page)).toEqual([]);
  });

  it("do nothing when each is opened whole", async () => {
    await visit("#/timeline");
    for (const kind of ["%23", "S", "P", "M"]) {
      for (let n = 1; n <= attacks.length; n++) {
        await tab.page.evaluate(`location.hash = "#/timeline?item=${kind}${n}"`);
        await tab.page.locator(".panel .button").first().waitFor();
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

  it("do nothing in a window, in what was done to it, and when they are recalled", async () => {
    await visit("#/session/attack-window?view=window");
    await tab.page.locator(".window-chart canvas").waitFor();
    for (const n of [0, 10, 19, 61, 90]) {
      await visit(`#/session/attack-window?view=window&event=e_${n}`);
      await tab.page.getByRole("button", { name: "Recall the exact text" }).click();
      await tab.page.locator(".recall .text-box").waitFor();
      expect(await ranOn(tab.page)).toEqual([]);
    }
  });

  it("do nothing in a trace: prompts, calls, what was said, and edits", async () => {
    await visit("#/session/attack-window");
    await tab.page.getByRole("button", { name: "Open all turns" }).click();
    await tab.page.locator(".step.call").first().waitFor();
    const list = tab.page.locator(".rows");
    for (let part = 0; part <= 20; part++) {
      await list.evaluate(`(list) => list.scrollTo(0, (list.scrollHeight * ${part}) / 20)`);
      await tab.page.locator(".step").first().waitFor();
      expect(await ranOn(tab.page)).toEqual([]);
    }
  });

  it.each([0, 1, 2, 3])(
    "do nothing in the input and output of calls that are opened, part %i",
    async (part) => {
      const { page } = tab;
      const own = Math.ceil(attacks.length / 4);
      const first = part * own;
      const numbers = Array.from({ length: Math.min(own, attacks.length - first) }, (_, n) => first + n);
      // Turns of the transcript alone are named by their number, the one whose prompt is stored by the prompt's.
      const turns = numbers.flatMap((n) => [`attack-window:t${n + 1}`, `attack-window:${n + 1}`]).join(",");
      const calls = numbers.map((n) => `toolu_${n}`).join(",");
      await visit(`#/session/attack-window?${new URLSearchParams({ turn: turns, call: calls })}`);
      const opened = new Set<string>();
      const refs = "[...document.querySelectorAll('.step.call.open')].map((one) => one.dataset.ref)";
      const scrolled = `((list) => list.scrollTop + list.clientHeight >= list.scrollHeight - 1)(document.querySelector(".rows"))`;
      const readThrough = async () => {
        await page.evaluate(`document.querySelector(".rows").scrollTo(0, 0)`);
        do {
          await page.evaluate(`document.querySelector(".rows").scrollBy(0, 600)`);
          await page.waitForTimeout(40);
          await page.waitForFunction(`document.querySelector(".call-texts .bones") === null`);
          for (const id of await page.evaluate<string[]>(refs)) opened.add(id);
          expect(await ranOn(page)).toEqual([]);
        } while (!(await page.evaluate(scrolled)));
        return opened.size;
      };
      await page.locator(".turn-line").first().waitFor();
      // The steps of its turns arrive after the turns.
      await expect.poll(readThrough, { timeout: 60_000 }).toBe(numbers.length);
    },
  );

  it("do nothing in two requests compared, in a preview and in a replay", async () => {
    const { page } = tab;
    await visit(`#/session/attack-window?view=window&a=1&b=${attacks.length}`);
    await page.locator(".diff-side").first().waitFor();
    await page.evaluate("for (const side of document.querySelectorAll('.diff-side')) side.open = true");
    expect(await page.locator(".diff-side .text-box").count()).toBeGreaterThan(30);
    expect(await ranOn(page)).toEqual([]);
    await page.getByRole("button", { name: "Preview" }).click();
    await page.getByLabel("The summary").waitFor();
    expect(await ranOn(page)).toEqual([]);
    for (const place of ["#/session/attack-window?view=replay", "#/stats?span=all"]) {
      await visit(place);
      await page.getByRole("button", { name: "Replay", exact: true }).last().click();
      await page.getByText(/sessions? replayed/).waitFor({ timeout: 60_000 });
      expect(await ranOn(page)).toEqual([]);
    }
  });

  it("do nothing on the live page as they happen", async () => {
    const { page } = tab;
    await visit("#/live");
    await page.getByText("Connected").waitFor();
    const cwd = path.join(world.folder, NAME);
    for (const [n, attack] of attacks.entries()) {
      world.hook({
        ...{ hook_event_name: "PostToolUse", session_id: "attack-live", cwd },
        ...{
          tool_name: attack,
          tool_use_id: `live_${n}`,
          tool_input: { command: attack },
          tool_response: attack,
        },
      });
    }
    world.hook({
      ...{ hook_event_name: "UserPromptSubmit", session_id: "attack-live", cwd },
      prompt: attacks.join(" "),
    });
    await page.locator(".turn-line", { hasText: "__ran(0)" }).first().waitFor();
    await page.locator(".live-event").first().waitFor();
    expect(await ranOn(page)).toEqual([]);
  }, 300_000);

  it("do nothing as a new memory, and when it is retired", async () => {
    const { page } = tab;
    const project = projectOf(path.join(world.folder, NAME)).id;
    await visit(`#/memory?project=${encodeURIComponent(project)}`);
    for (const attack of [attacks[0], attacks[10], attacks[19], attacks[61], attacks[86]]) {
      await page.getByRole("button", { name: "Add a memory" }).click();
      const dialog = page.getByRole("dialog");
      for (const label of ["Name", "Description", "Text"])
        await dialog.getByLabel(label).fill(`about ${attack}`);
      await dialog.getByRole("button", { name: "Save" }).click();
      await page.locator(".problem, ul.note").first().waitFor();
      expect(await ranOn(page)).toEqual([]);
      await visit(`#/memory?project=${encodeURIComponent(project)}`);
    }
    await page.locator(".memory-line").first().click();
    await page.getByRole("button", { name: "Retire" }).click();
    await page.getByText("retired memory").waitFor();
    expect(await ranOn(page)).toEqual([]);
    forgiveRefusals();
  });

  it("do nothing as memories, in their fields, their files and their project's name", async () => {
    const project = projectOf(path.join(world.folder, NAME)).id;
    await visit(`#/memory?project=${encodeURIComponent(project)}`);
    const folder = (await tab.page.locator(".page .mono").first().textContent()) ?? "";
    mkdirSync(folder, { recursive: true });
    attackMemories(folder);
    await visit(`#/memory?project=${encodeURIComponent(project)}`);
    await tab.page.locator(".memory-line").first().waitFor();
    expect(await ranOn(tab.page)).toEqual([]);
    for (const file of [0, 10, 61, 86, 92].map((n) => `attack-${n}.md`)) {
      await visit(`#/memory?project=${encodeURIComponent(project)}&file=${file}`);
      await tab.page.locator(".prose").waitFor({ state: "attached" });
      expect(await ranOn(tab.page)).toEqual([]);
    }
    await visit(`#/memory?project=${encodeURIComponent(project)}&file=${encodeURIComponent(`${NAME}.md`)}`);
    expect(await ranOn(tab.page)).toEqual([]);
    forgiveRefusals();
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
