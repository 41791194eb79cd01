// The contract of the change feed: every new row once, in order, under numbers that are never used again.
import { describe, expect, it } from "vitest";
import { event, observation, prompt, type StoreFactory } from "./setting.ts";

export function feedContract(factory: StoreFactory): void {
  describe("the feed", () => {
    it(
      "returns every new event, prompt, observation and summary, from any cursor on",
      factory(async ({ store }) => {
        expect(await store.feedHead()).toBe(0);
        await store.recordEvents([event("a", 1), event("a", 1), prompt("p", 2, "hello")]);
        await store.addObservations([observation("ob", 3), observation("ob", 3)]);
        await store.addSummaries([
          { uid: "su", session: "s1", project: "x", promptNumber: 1, at: "2026-11-16T09:00:00Z" },
        ]);
        const all = await store.feedSince(0, 100);
        expect(all.map(({ kind }) => kind).sort()).toEqual([
          "event",
          "event",
          "observation",
          "prompt",
          "summary",
        ]);
        expect(all[0]).toMatchObject({
          kind: "event",
          session: "s1",
          project: "app-00000001",
          row: { id: "ev_a" },
        });
        expect(all.at(-1)).toMatchObject({ kind: "summary", project: "x", row: { uid: "su" } });
        const cursors = all.map(({ cursor }) => cursor);
        expect(cursors).toEqual([...cursors].sort((a, b) => a - b));
        expect(new Set(cursors).size).toBe(5);
        expect(await store.feedHead()).toBe(cursors.at(-1));
        expect(await store.feedSince(cursors[1] ?? 0, 2)).toEqual(all.slice(2, 4));
        expect(await store.feedSince(cursors[4] ?? 0, 10)).toEqual([]);
      }),
    );

    it(
      "goes on counting after its last rows were forgotten and the store was opened anew",
      factory(async ({ store, reopen }) => {
        await store.recordEvents([event("a", 1), event("b", 2, { session: "s2" })]);
        const before = await store.feedHead();
        await store.forget({ session: "s2" });
        // Forgetting is a change of its own, for other machines.
        const head = before + 1;
        const again = await reopen();
        expect(await again.feedHead()).toBe(head);
        expect((await again.feedSince(0, 10)).map(({ session }) => session)).toEqual(["s1"]);
        await again.recordEvents([event("c", 3)]);
        expect((await again.feedSince(head, 10)).map(({ cursor }) => cursor)).toEqual([head + 1]);
      }),
    );
  });
}
