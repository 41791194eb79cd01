// The rules of the notebook in the order in which they were given, one test each. What each means in detail is tested beside
// the file that keeps it.
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { appendLog } from "./folder/dailyLogs.ts";
import { indexLine, sizeOfIndex } from "./folder/indexFile.ts";
import { memoryTypes } from "./folder/model.ts";
import {
  checkTruth,
  indexBudget,
  isActive,
  readFolder,
  readRepository,
  type SaveOutcome,
  type SaveRequest,
  saveMemory,
  searchMemories,
  selectInjectable,
  staleBanner,
  trustSection,
} from "./index.ts";

let root = "";
beforeEach(() => {
  root = mkdtempSync(path.join(tmpdir(), "throughline-notebook-"));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

const place = () => ({
  folder: path.join(root, "memory"),
  books: path.join(root, "books"),
  isClaudes: false,
});
const clock = { now: () => Date.parse("2026-03-02T09:00:00Z") };
const save = (more: Partial<SaveRequest> = {}): Promise<SaveOutcome> =>
  saveMemory(
    place(),
    {
      ...{ name: "Pipeline bugs", description: "pipeline bugs are in Linear INGEST", type: "reference" },
      ...{ body: "Pipeline bugs are tracked in the Linear project INGEST.", author: "user", ...more },
    } as SaveRequest,
    { clock, timeZone: "UTC" },
  );
const text = (file: string): string => readFileSync(path.join(place().folder, file), "utf8");

describe("1. types", () => {
  it("are four, and there is no fifth", async () => {
    expect(memoryTypes).toEqual(["user", "feedback", "project", "reference"]);
    expect(await save({ type: "misc" as "user" })).toMatchObject({ outcome: "refused", reason: "schema" });
  });
});

describe("2. only what cannot be derived", () => {
  it.each([
    ["the structure of code", "The login is implemented in `src/auth/login.ts`."],
    ["git's history", "Commit 3f9a0c12 renamed the login."],
    ["a fix", "The crash was fixed by closing the pool in a finally block."],
    [
      "a list of pull requests, also when the user asks for it",
      "Merged: #101 login, #102 search, #103 paging.",
    ],
  ])("%s is refused with the question", async (_, body) => {
    expect(await save({ type: "project", body })).toMatchObject({
      outcome: "refused",
      message: expect.stringContaining("What was surprising about it?"),
    });
  });

  it("and only the answer to that question is kept", async () => {
    const surprising = "#102 had to go out without its index.";
    const body = "Merged: #101 login, #102 search, #103 paging.";
    expect(await save({ type: "project", body, surprising })).toMatchObject({ memory: { body: surprising } });
  });
});

describe("3. two steps", () => {
  it("a file with its frontmatter, then a line of the index in its form", async () => {
    await save();
    expect(text("pipeline-bugs.md")).toMatch(
      /^---\nname: Pipeline bugs\ndescription: pipeline bugs are in Linear INGEST\ntype: reference\n[\s\S]*---\n\nPipeline bugs are/,
    );
    expect(text("MEMORY.md")).toBe(
      "- [Pipeline bugs](pipeline-bugs.md) — pipeline bugs are in Linear INGEST\n",
    );
  });

  it("the index is no memory: it has a line each, 200 of them or 25 KB, and a warning from 140 on", () => {
    const line = indexLine({ name: "n", file: "n.md", description: "d".repeat(1_000) });
    expect(line).not.toContain("\n");
    expect(line.length).toBeLessThanOrEqual(200);
    const states = [139, 140, 200, 201].map((count) => sizeOfIndex("- [n](n.md) — d\n".repeat(count)).state);
    expect(states).toEqual(["fine", "near", "near", "over"]);
    expect(indexBudget).toMatchObject({ lines: 200, characters: 25_000, warnLines: 140 });
    expect(sizeOfIndex("x".repeat(25_001)).state).toBe("over");
  });
});

describe("4. feedback", () => {
  it("is the rule, why, and how to apply it; and it is said why there has to be a why", async () => {
    const refused = await save({ type: "feedback", body: "Use a real database in tests." });
    expect(refused).toMatchObject({ outcome: "refused", reason: "feedback-shape" });
    expect(refused.outcome === "refused" && refused.fix).toMatch(/why[\s\S]*edge cases/);
    const body =
      "Use a real database.\n\n**Why:** mocks hid a bug.\n\n**How to apply:** in integration tests.";
    expect(await save({ type: "feedback", body })).toMatchObject({ outcome: "saved" });
  });
});

describe("5. trust", () => {
  it("has a section of its own under exactly that heading, and no other heading above it", () => {
    for (const language of ["en", "zh"] as const) {
      const section = trustSection(language);
      expect(section.match(/^#+ .*$/gm)).toEqual(["## Before recommending from memory"]);
    }
    expect(trustSection("en")).toMatch(/names a thing does not mean that the thing is there now/);
  });

  it("goes to what is seen now: a memory that drifted says so, and is to be updated or removed", async () => {
    await save({
      type: "project",
      body: "Berths are counted in `src/berths.ts`, at night, as the auditors want.",
    });
    const [memory] = readFolder(place()).memories;
    const verdict = checkTruth(memory?.body ?? "", readRepository(root, { ignore: ["memory", "books"] }));
    expect(verdict.standing).toBe("stale");
    expect(staleBanner(verdict, "en")).toContain("there is no src/berths.ts");
    expect(trustSection("en")).toMatch(/what you see now is right: update the memory, or remove it/);
    expect(readFolder(place()).memories).toHaveLength(1);
  });

  it("ends with what supersedes it, and with its day", async () => {
    await save();
    await save({ name: "Bugs now", body: "Bugs are in Jira INGEST.", supersedes: ["pipeline-bugs.md"] });
    await save({ name: "Until May", body: "The board is frozen for the audit.", expires: "2026-05-01" });
    const told = (now: number): string[] =>
      selectInjectable(readFolder(place()), { now, confirmed: new Set() }).map(({ file }) => file);
    expect(told(clock.now()).sort()).toEqual(["bugs-now.md", "until-may.md"]);
    expect(told(Date.parse("2026-05-03"))).toEqual(["bugs-now.md"]);
    const old = readFolder(place()).memories.find(({ file }) => file === "pipeline-bugs.md");
    expect(old).toMatchObject({
      created: "2026-03-02T09:00:00.000Z",
      validUntil: "2026-03-02T09:00:00.000Z",
    });
    expect(old && isActive(old, clock.now())).toBe(false);
  });
});

describe("6. the log of agents that run for long", () => {
  it("is a file a day that is only added to, and no index", () => {
    const log = (words: string) =>
      appendLog(place(), { text: words, author: "assistant" }, { clock, timeZone: "UTC" });
    expect(log("the first")).toMatchObject({ outcome: "logged", file: "logs/2026/03/2026-03-02.md" });
    const before = text("logs/2026/03/2026-03-02.md");
    log("the second");
    expect(text("logs/2026/03/2026-03-02.md").startsWith(before)).toBe(true);
    expect(readdirSync(place().folder)).toEqual(["logs"]);
  });
});

describe("7. search", () => {
  it("asks memories first, and what is large and slow only when they have nothing", async () => {
    await save();
    const asked: string[] = [];
    const elsewhere = (query: string): string[] => {
      asked.push(query);
      return [];
    };
    const { memories } = readFolder(place());
    expect(await searchMemories(memories, "ingest", elsewhere)).toMatchObject({ from: "memories" });
    expect(asked).toEqual([]);
    await searchMemories(memories, "kangaroo", elsewhere);
    expect(asked).toEqual(["kangaroo"]);
  });
});

describe("and in all of it the specific before the abstract", () => {
  it.each(["database stuff", "数据库相关"])("%s is warned about", async (description) => {
    expect(await save({ description })).toMatchObject({
      warnings: [expect.stringContaining("nothing in particular")],
    });
  });

  it("project memories say dates, not days", async () => {
    expect(await save({ type: "project", body: "Merges stop by Thursday; 下周五解冻。" })).toMatchObject({
      memory: { body: "Merges stop by 2026-03-05; 2026-03-13解冻。" },
    });
  });
});
