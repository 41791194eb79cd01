// Ten questions about time and order over two weeks of work, asked by command, MCP, HTTP and in the page of a real worker.
import path from "node:path";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { isObject, parseJson } from "../../src/lib/index.ts";
import { browserProblem, openBrowser, openTab, type Tab } from "./viewer/browser.ts";
import { openViewerWorld, type ViewerWorld } from "./viewer/world.ts";

const problem = browserProblem();
if (problem !== undefined) console.warn(`\nthroughline: questions about time are not asked: ${problem}\n`);

/** What was done, by how many days ago. */
const work = [
  "Renamed the gate module",
  "Fixed the timezone of arrivals",
  "Moved the reports to the new store",
  "Fixed the login of the pilots",
  "Measured the tide parser",
  "Fixed the crash of the crane scheduler",
  "Refactored the berth allocator",
  "Decided to drop the retry queue",
  "Added the ferry export",
  "Fixed the lock timeout",
  "Wrote the tide parser",
  "Chose the map library",
  "Set up the harbour database",
  "Sketched the first berth plan",
] as const;

const REFACTORED = 6;
const now = Date.now();

/** At ten in the morning of a day; today, a moment ago. */
function timeOf(daysAgo: number): string {
  const day = new Date(now);
  const morning = new Date(day.getFullYear(), day.getMonth(), day.getDate() - daysAgo, 10).getTime();
  const midnight = new Date(day.getFullYear(), day.getMonth(), day.getDate()).getTime();
  return new Date(daysAgo === 0 ? Math.max(midnight, now - 300_000) : morning).toISOString();
}

/** How many days ago this week's Monday was. */
const monday = (new Date(now).getDay() + 6) % 7;
const between = (first: number, last: number): number[] =>
  Array.from({ length: last - first + 1 }, (_, at) => first + at);

/** A question, and the days whose work answers it, in this order and before everything else. */
const questions: readonly (readonly [question: string, daysAgo: readonly number[]])[] = [
  ["what did we do yesterday", [1]],
  ["昨天做了什么", [1]],
  ["what happened the day before yesterday?", [2]],
  ["what did we change 3 days ago", [3]],
  ["what did we do since Monday", between(0, monday)],
  ["what did we do last week", between(monday + 1, monday + 7)],
  ["上周五做了什么", [monday + 3]],
  ["最近三天做了什么", between(0, 3)],
  ["what did we do before the refactoring", [REFACTORED + 1, REFACTORED + 2, REFACTORED + 3]],
  ["what came after the refactoring?", [REFACTORED - 1, REFACTORED - 2, REFACTORED - 3]],
];

function* exported(): Generator<object> {
  const project = "harbour-0ef22dc7";
  for (const [daysAgo, title] of work.entries()) {
    const session = `day-${daysAgo}`;
    const row = { session, project, at: timeOf(daysAgo) };
    yield { type: "session", ...row, lastActivityAt: row.at, promptCounter: 1, status: "completed" };
    yield {
      type: "observation",
      ...row,
      promptNumber: 1,
      uid: `o${daysAgo}`,
      observationType: "change",
      title,
    };
    const text = `Yesterday is over; last week and the refactoring are, too. ${title}.`;
    yield { type: "message", ...row, uuid: `m${daysAgo}`, role: "assistant", text };
  }
  // The questions themselves, as the agent was asked them today.
  for (const [at, [question]] of questions.entries())
    yield {
      type: "message",
      ...{ session: "day-0", project, at: timeOf(0), uuid: `q${at}`, role: "user", text: question },
    };
}

const titlesIn = (answer: unknown, list: string): string[] =>
  isObject(answer) && Array.isArray(answer[list])
    ? answer[list].map((one) => String(isObject(one) ? one.title : one[columnsOf(answer).indexOf("title")]))
    : [];

const columnsOf = ({ columns }: Readonly<Record<string, unknown>>): readonly unknown[] =>
  Array.isArray(columns) ? columns : [];

describe.skipIf(problem !== undefined)("a question about a time has the right entries first", () => {
  let world: ViewerWorld;
  let browser: Browser;
  let tab: Tab;
  let client: Client;

  beforeAll(async () => {
    const rows = [...exported()];
    const lines = [{ throughline: "export", version: 1 }, ...rows, { type: "end", lines: rows.length }];
    world = await openViewerWorld(lines.map((line) => JSON.stringify(line)));
    await world.start();
    browser = await openBrowser();
    tab = await openTab(browser);
    await tab.page.goto(world.invitation());
    await tab.page.locator(".shell nav a").first().waitFor();
    client = new Client({ name: "test", version: "1.0.0" });
    await client.connect(
      new StdioClientTransport({
        command: process.execPath,
        args: [path.resolve(import.meta.dirname, "../../dist/cli.js"), "mcp"],
        cwd: world.folder,
        env: {
          PATH: process.env.PATH ?? "",
          HOME: world.folder,
          THROUGHLINE_HOME: path.join(world.folder, "throughline"),
          THROUGHLINE_WORKER_PORT: String(world.port),
        },
      }),
    );
  }, 180_000);

  afterAll(async () => {
    await client?.close();
    await browser?.close();
    await world?.close();
  });

  const asked: Readonly<Record<string, (question: string) => Promise<string[]>>> = {
    command: async (question) =>
      titlesIn(parseJson(world.throughline("search", "--json", ...question.split(" "))), "hits"),
    MCP: async (query) => {
      const result = await client.callTool({ name: "search", arguments: { query, everywhere: true } });
      return titlesIn(result.structuredContent, "items");
    },
    HTTP: async (query) => {
      const address = `${world.base}api/search?q=${encodeURIComponent(query)}`;
      return titlesIn(await (await tab.page.request.get(address)).json(), "hits");
    },
    page: async (query) => {
      await tab.page.goto("about:blank");
      await tab.page.goto(`${world.base}#/search?q=${encodeURIComponent(query)}`);
      await tab.page.locator(".hit .title").first().waitFor();
      return (await tab.page.locator(".hit .title").allInnerTexts()).map((title) => title.trim());
    },
  };

  it.each(Object.keys(asked))("by %s, ten of ten", async (by) => {
    const wrong: Record<string, readonly string[]> = {};
    for (const [question, daysAgo] of questions) {
      const expected = daysAgo.map((day) => work[day] ?? "");
      const found = (await asked[by]?.(question)) ?? [];
      if (found.slice(0, expected.length).join("\n") !== expected.join("\n")) wrong[question] = found;
      if (found.includes(question)) wrong[question] = found;
    }
    expect(wrong).toEqual({});
  });
});
