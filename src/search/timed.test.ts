// Two weeks of work, one thing a day, and questions about time and order. Seen from Wednesday, 18 November 2026, 15:30.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openStore, type Store } from "../store/index.ts";
import { find } from "./timed.ts";
import { timeline } from "./timeline.ts";

const now = new Date(2026, 10, 18, 15, 30).getTime();
const onDay = (date: number, hour = 10): string => new Date(2026, 10, date, hour).toISOString();

const work: readonly (readonly [date: number, title: string])[] = [
  [4, "Set up the harbour database"],
  [5, "Wrote the tide parser"],
  [6, "Fixed the lock timeout"],
  [9, "Decided to drop the retry queue"],
  [10, "Refactored the berth allocator"],
  [11, "Fixed the crash of the crane scheduler"],
  [12, "Measured the tide parser"],
  [13, "Fixed the login of the pilots"],
  [16, "Moved the reports to the new store"],
  [17, "Fixed the timezone of arrivals"],
  [18, "Renamed the gate module"],
];

let folder = "";
let store: Store;
beforeAll(async () => {
  folder = mkdtempSync(path.join(tmpdir(), "throughline-timed-"));
  store = await openStore({ file: path.join(folder, "throughline.db") });
  await store.addObservations(
    work.map(([date, title]) => ({
      ...{ session: `s${date}`, project: "app", promptNumber: 1, type: "change" as const },
      ...{ at: onDay(date), title },
    })),
  );
  const asked = "what did we do yesterday";
  const message = { session: "s18", uuid: "q", role: "user", project: "app" };
  await store.addMessages([{ ...message, text: asked, at: onDay(18, 15) }]);
});
afterAll(async () => {
  await store.close();
  rmSync(folder, { recursive: true, force: true });
});

const first = async (query: string): Promise<string | undefined> =>
  (await find({ store }, { query, projects: ["app"] }, now)).hits[0]?.title;

const all = async (query: string): Promise<string[]> =>
  (await find({ store }, { query, projects: ["app"] }, now)).hits.map(({ title }) => title);

describe("a question about a time", () => {
  it.each([
    ["what did we do yesterday", "Fixed the timezone of arrivals"],
    ["昨天做了什么？", "Fixed the timezone of arrivals"],
    ["what was fixed last Friday", "Fixed the login of the pilots"],
    ["上周五我们做了什么", "Fixed the login of the pilots"],
    ["what did we work on today", "Renamed the gate module"],
    ["what happened the day before yesterday", "Moved the reports to the new store"],
    ["what did we do two weeks ago", "Set up the harbour database"],
    ["which parser did we measure last week", "Measured the tide parser"],
    ["上周 tide parser", "Measured the tide parser"],
    ["what did we fix since Monday", "Fixed the timezone of arrivals"],
  ])("%s → %s", async (query, title) => {
    expect(await first(query)).toBe(title);
  });

  it("has everything of that time, newest first, and never the question itself", async () => {
    expect(await all("what did we do since Monday")).toEqual([
      "Renamed the gate module",
      "Fixed the timezone of arrivals",
      "Moved the reports to the new store",
    ]);
  });

  it("is answered from other times where there is nothing, and says so", async () => {
    const { hits, notes } = await find(
      { store },
      { query: "tide parser last month", projects: ["app"] },
      now,
    );
    expect(hits[0]?.title).toContain("tide parser");
    expect(notes.join()).toMatch(/Nothing was found from 2026-10-01/);
  });
});

describe("a question about an order", () => {
  it.each([
    ["what came after the refactoring of the berth allocator?", "Fixed the crash of the crane scheduler"],
    ["what did we do before the refactoring of the berth allocator", "Decided to drop the retry queue"],
    ["what happened right after we moved the reports", "Fixed the timezone of arrivals"],
    ["crane scheduler 崩溃之后我们做了什么", "Measured the tide parser"],
  ])("%s → %s", async (query, title) => {
    expect(await first(query)).toBe(title);
  });

  it("is no question about an order where before is only a word", async () => {
    expect(await first("should the crane scheduler run before the tide parser")).toMatch(/crane|tide/);
  });
});

it("is what a timeline without anything shows: the latest, oldest first", async () => {
  const { items } = await timeline({ store }, { before: 2, after: 0 });
  expect(items.map(({ title }) => title)).toEqual([
    "Moved the reports to the new store",
    "Fixed the timezone of arrivals",
    "Renamed the gate module",
  ]);
});

describe("where nothing is found", () => {
  const ask = async (projects: readonly string[] | undefined, query = "crane scheduler") =>
    (await find({ store }, { query, ...(projects && { projects }) }, now)).notes.join("\n");

  it("it is said where was looked, and how many other projects have", async () => {
    expect(await ask(["quay"])).toMatch(
      /messages and memories of this project\. Other projects have 1; search everywhere/,
    );
    expect(await ask(["quay"], "zeppelin")).toMatch(/Other projects have nothing either\.$/);
    expect(await ask(undefined, "zeppelin")).toMatch(/of all projects\.$/);
  });

  it("nothing is said of it while something is found, or while one types", async () => {
    expect(await ask(["app"])).toBe("");
    const typing = await find({ store }, { query: "zepp", projects: ["app"], typed: true }, now);
    expect(typing).toEqual({ hits: [], more: false, notes: [] });
  });
});
