// The contract of upkeep: numbers, checks and copies.
import { randomBytes } from "node:crypto";
import { existsSync, writeFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { event, isoAfter, observation, prompt, type StoreFactory } from "./setting.ts";

export function upkeepContract(factory: StoreFactory): void {
  describe("upkeep", () => {
    counting(factory);
    caring(factory);
  });
}

function counting(factory: StoreFactory): void {
  it(
    "counts what there is",
    factory(async ({ store }) => {
      await store.recordEvents([
        prompt("p", 0, "x"),
        event("a", 1),
        event("b", 86_400, { session: "s2", project: "other" }),
      ]);
      await store.addObservations([observation("ob", 2), observation("ob2", 3, { type: "decision" })]);
      const stats = await store.stats();
      expect(stats).toMatchObject({
        counts: { sessions: 2, events: 3, prompts: 1, observations: 2, summaries: 0, messages: 0, jobs: 2 },
        projects: [
          { project: "app-00000001", sessions: 1, events: 2 },
          { project: "other", sessions: 1, events: 1 },
        ],
        observationsByType: { decision: 1, discovery: 1 },
        eventsByKind: { prompt: 1, tool: 2 },
        days: [
          { day: "2026-11-17", events: 1, observations: 0 },
          { day: "2026-11-16", events: 2, observations: 2 },
        ],
        oldest: isoAfter(0),
        newest: isoAfter(86_400),
      });
      expect(stats.bytes).toBeGreaterThan(0);
    }),
  );
}

function caring(factory: StoreFactory): void {
  it(
    "finds nothing wrong with a store that is well, and gives space back",
    factory(async ({ store }) => {
      // Text that no engine can compress.
      const text = () => randomBytes(10_000).toString("hex");
      await store.recordEvents(
        Array.from({ length: 50 }, (_, index) => event(`${index}`, index, { payload: { text: text() } })),
      );
      await store.forget({ session: "s1" });
      const { before, after } = await store.vacuum();
      expect(after).toBeLessThan(before / 2);
      expect(await store.integrityCheck()).toEqual({ ok: true, problems: [] });
    }),
  );

  it(
    "copies itself into a new file, and into no other",
    factory(async ({ store, folder }) => {
      await store.recordEvents([event("a", 1)]);
      const file = path.join(folder, "deep", "copy");
      const { bytes } = await store.backup(file);
      expect(bytes).toBeGreaterThan(0);
      await expect(store.backup(file)).rejects.toMatchObject({ code: "usage" });
      writeFileSync(path.join(folder, "in-the-way"), "");
      await expect(store.backup(path.join(folder, "in-the-way", "copy"))).rejects.toThrow();
      expect(existsSync(path.join(folder, "in-the-way", "copy"))).toBe(false);
    }),
  );
}
