// The contract of importing the past: work waits for the whole of its source, a source is done once, copies are known.
import { describe, expect, it } from "vitest";
import type { Store } from "../../src/store/store.ts";
import { event, isoAfter, START, type StoreFactory } from "./setting.ts";

const lease = (store: Store, now: number) =>
  store.leaseJobs({ kinds: ["observe"], worker: "w", now, leaseMs: 1_000, maxAttempts: 8, limit: 10 });

export function importsContract(factory: StoreFactory): void {
  describe("importing", () => {
    holding(factory);
    remembering(factory);
    comparing(factory);
  });
}

function holding(factory: StoreFactory): void {
  it(
    "holds the work of a source until it is finished, over a restart too, and lets no other session's go",
    factory(async ({ store, reopen }) => {
      const holdUntil = START + 1_000_000;
      await store.recordEvents([event("a", 1), event("b", 2, { session: "s2" })], { holdUntil });
      const now = START + 500_000;
      expect(await store.workDue(["observe"], now)).toBe(0);
      const again = await reopen();
      expect(await lease(again, now)).toEqual([]);
      await again.finishSource({ key: "k", session: "s1" });
      expect(await again.workDue(["observe"], now)).toBe(1);
      expect(await again.workDue(["summarize"], now)).toBe(0);
      expect(await lease(again, now)).toMatchObject([{ key: "ev_a", payload: {} }]);
      expect(await again.workDue(["observe"], now)).toBe(1);
    }),
  );

  it(
    "holds the work of an unfinished source no longer than was set",
    factory(async ({ store }) => {
      await store.recordEvents([event("a", 1)], { holdUntil: START + 1_000 });
      expect(await lease(store, START + 999)).toEqual([]);
      expect(await lease(store, START + 1_000)).toMatchObject([{ key: "ev_a" }]);
    }),
  );
}

function remembering(factory: StoreFactory): void {
  it(
    "remembers what a finished source looked like, until it has to be looked at again",
    factory(async ({ store, reopen }) => {
      expect(await store.sourceState("k")).toBeUndefined();
      await store.finishSource({ key: "k", state: "120 bytes" });
      await store.finishSource({ key: "other", state: "7 bytes" });
      await store.finishSource({ key: "k", state: "130 bytes" });
      const again = await reopen();
      expect(await again.sourceState("k")).toBe("130 bytes");
      await again.finishSource({ key: "k" });
      expect(await again.sourceState("k")).toBeUndefined();
      expect(await again.sourceState("other")).toBe("7 bytes");
    }),
  );
}

function comparing(factory: StoreFactory): void {
  it(
    "knows the messages that another session has, and events by the lane they came in",
    factory(async ({ store }) => {
      const message = (session: string, uuid: string, role = "user") => ({
        ...{ session, uuid, role, text: "words", project: "p" },
        at: isoAfter(1),
      });
      await store.addMessages([message("s1", "a"), message("s1", "b", "assistant"), message("s2", "c")]);
      expect(await store.messagesElsewhere("s2", ["a", "b", "c", "d"])).toEqual(new Set(["a", "b"]));
      expect(await store.messagesElsewhere("s1", ["a", "b"])).toEqual(new Set());
      expect(await store.knownMessages("s1", ["a", "b", "c"])).toEqual(new Set(["a", "b"]));
      await store.recordEvents([event("x", 1, { lane: "import" }), event("y", 2), event("z", 3)]);
      const { items } = await store.events({ lanes: ["hooks", "mods"], order: "oldest" });
      expect(items.map(({ id }) => id)).toEqual(["ev_y", "ev_z"]);
    }),
  );
}
