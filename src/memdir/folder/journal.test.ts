// Holds history to its rule: what is young, what is newest, what undo needs; and to losing nothing else.

import { mkdtempSync, readdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { DAY } from "../../lib/index.ts";
import { defaultHistoryRule, keptChanges, type MemoryChange, pruneHistory } from "./journal.ts";
import type { HistoryRule, MemoryPlace } from "./model.ts";
import { historyOf, readFolder, readMemoryFile, removeMemory, undoChange, writeMemory } from "./store.ts";

const now = Date.parse("2026-06-01T12:00:00Z");
const change = (id: string, daysAgo: number, file = "a.md", action = "edit"): MemoryChange => ({
  ...{ id, action, at: new Date(now - daysAgo * DAY).toISOString() },
  steps: [{ file, before: `${id}-before`, after: `${id}-after` }],
});
const kept = (
  changes: readonly MemoryChange[],
  rule: HistoryRule,
  open: readonly MemoryChange[] = [],
): string[] => keptChanges({ changes, open }, rule, now).map(({ id }) => id);

describe("the rule", () => {
  const old = [
    change("1", 400),
    change("2", 300),
    change("3", 200),
    change("b", 500, "b.md"),
    change("4", 100),
  ];

  it("is ninety days and twenty changes unless something else is said", () => {
    expect(defaultHistoryRule).toEqual({ days: 90, versions: 20 });
  });

  it("keeps what is young, and of each memory the newest", () => {
    expect(kept(old, { days: 90, versions: 1 })).toEqual(["b", "4"]);
    expect(kept(old, { days: 90, versions: 2 })).toEqual(["3", "b", "4"]);
    expect(kept(old, { days: 250, versions: 1 })).toEqual(["3", "b", "4"]);
    expect(kept(old, { days: 0, versions: 1 })).toEqual(["1", "2", "3", "b", "4"]);
  });

  it("keeps what undo would take back, and what is not done yet", () => {
    const undone = [change("1", 400), change("2", 300), change("3", 200, "a.md", "undo 2")];
    expect(kept(undone, { days: 90, versions: 1 })).toEqual(["1", "3"]);
    const [first] = old;
    expect(kept(old, { days: 90, versions: 1 }, first === undefined ? [] : [first])).toEqual(["1", "b", "4"]);
  });

  it("keeps a change whose time cannot be read", () => {
    expect(kept([{ ...change("1", 0), at: "?" }, change("2", 0)], { days: 90, versions: 0 })).toEqual([
      "1",
      "2",
    ]);
  });
});

describe("the history of a folder", () => {
  let root = "";
  let place: MemoryPlace;
  beforeEach(() => {
    root = mkdtempSync(path.join(tmpdir(), "throughline-retention-"));
    place = {
      ...{ folder: path.join(root, "memory"), books: path.join(root, "books"), isClaudes: false },
      history: { days: 90, versions: 2 },
    };
  });
  afterEach(() => rmSync(root, { recursive: true, force: true }));

  const at = (daysAgo: number) => ({ clock: { now: () => now - daysAgo * DAY } });
  const write = (file: string, body: string, daysAgo: number) => {
    const hash = readMemoryFile(place, file)?.hash;
    const memory = { name: file, description: "d", type: "project", body } as const;
    return writeMemory(place, memory, {
      file,
      ...at(daysAgo),
      ...(hash === undefined ? {} : { expect: hash }),
    });
  };
  const versions = (): string[] => readdirSync(path.join(place.books, "versions")).sort();
  const settle = (): void => {
    for (const hash of versions()) utimesSync(path.join(place.books, "versions", hash), 0, 0);
  };
  const texts = (): string[] =>
    versions().map(
      (hash) => /^text \d+$/m.exec(readFileSync(path.join(place.books, "versions", hash), "utf8"))?.[0] ?? "",
    );

  it("goes with the versions that nothing names, and the rest can be undone as before", async () => {
    for (let step = 0; step < 24; step++) await write("a.md", `text ${step}`, 300 - step);
    settle();
    await write("a.md", "text 24", 1);
    await write("a.md", "text 25", 0);
    expect(historyOf(place)).toHaveLength(3);
    expect(texts()).toContain("text 25");
    expect(texts()).not.toContain("text 9");
    await undoChange(place);
    expect(readMemoryFile(place, "a.md")?.body).toBe("text 24");
    expect(readFolder(place).index).toMatchObject([{ file: "a.md" }]);
  });

  it("brings back a memory that was removed long ago", async () => {
    await write("gone.md", "text 1", 900);
    const memory = readMemoryFile(place, "gone.md");
    if (memory === undefined) throw new Error("not written");
    const removal = await removeMemory(place, memory, at(800));
    for (let step = 0; step < 24; step++) await write("a.md", `text ${100 + step}`, 0);
    settle();
    pruneHistory(place, now + 300 * DAY, () => true);
    expect(historyOf(place)).toHaveLength(4);
    await undoChange(place, removal === undefined ? {} : { id: removal.id });
    expect(readMemoryFile(place, "gone.md")?.body).toBe("text 1");
  });

  it("clears away what a crash left, but nothing that was just put there", async () => {
    await write("a.md", "text 1", 1);
    const stray = path.join(place.books, "versions", "f".repeat(64));
    writeFileSync(stray, "text 99");
    pruneHistory(place, now, () => true);
    expect(texts()).toEqual(expect.arrayContaining(["text 99"]));
    settle();
    pruneHistory(place, now, () => true);
    expect(texts()).toEqual(["text 1"]);
  });

  it("is kept whole where the setting says so", async () => {
    place = { ...place, history: { days: 0, versions: 2 } };
    for (let step = 0; step < 26; step++) await write("a.md", `text ${step}`, 300);
    settle();
    pruneHistory(place, now, () => true);
    expect(historyOf(place)).toHaveLength(26);
    expect(versions()).toHaveLength(26);
  });
});
