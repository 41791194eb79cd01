// The contract of what a user does to one row: edits and deletions, which a model does not override and which can be undone.
import { describe, expect, it } from "vitest";
import type { Store } from "../../src/store/store.ts";
import { isoAfter, observation, type StoreFactory } from "./setting.ts";

const titles = async (store: Store) => (await store.observations()).items.map(({ title }) => title);

const found = async (store: Store, word: string) =>
  (await store.passages({ terms: [word], mode: "any", limit: 10 })).length;

const lease = { kinds: ["refine"], worker: "w", now: 0, leaseMs: 1_000, limit: 5, maxAttempts: 3 };

/** Has a model reword a row, or drop it. */
async function reword(store: Store, uid: string, title?: string) {
  const session = { session: "s1", project: "app-00000001" };
  await store.completeJobs({ ids: [], worker: "w", jobs: [{ kind: "refine", key: uid, ...session }] });
  const [job] = await store.leaseJobs(lease);
  const revisions =
    title === undefined
      ? { dropped: [{ uid, reason: "not so" }] }
      : { observations: [{ uid, type: "discovery" as const, title }] };
  await store.completeJobs({ ids: [job?.id ?? 0], worker: "w", revisions });
}

export function correctionsContract(factory: StoreFactory): void {
  describe("corrections", () => {
    edits(factory);
    deletions(factory);
    travels(factory);
  });
}

function edits(factory: StoreFactory): void {
  it(
    "replace a text in row and index, one after the other, and are undone in the other order",
    factory(async ({ store }) => {
      await store.addObservations([
        observation("ob_1", 1, { narrative: "walnut", correlationId: "ev_1", evidence: ["ev_2"] }),
      ]);
      const [row] = (await store.observations()).items;
      const place = { kind: "observation", id: row?.id ?? 0 } as const;
      expect(await store.correct({ ...place, text: { type: "bugfix", title: "ostrich" } })).toBe(true);
      expect(await store.correct({ ...place, text: { type: "bugfix", title: "penguin" } })).toBe(true);
      expect(await titles(store)).toEqual(["penguin"]);
      expect([await found(store, "walnut"), await found(store, "penguin")]).toEqual([0, 1]);
      expect(await store.undoCorrection(place)).toBe(true);
      expect(await titles(store)).toEqual(["ostrich"]);
      expect(await store.undoCorrection(place)).toBe(true);
      expect((await store.observations()).items).toEqual([row]);
      expect(await found(store, "walnut")).toBe(1);
      expect(await store.undoCorrection(place)).toBe(false);
    }),
  );

  it(
    "of a summary too; of a row that is not there none",
    factory(async ({ store }) => {
      const of = { session: "s1", project: "app-00000001", promptNumber: 1, at: isoAfter(1) };
      await store.addSummaries([{ ...of, uid: "su_1", request: "walnut" }]);
      const [row] = (await store.summaries()).items;
      const place = { kind: "summary", id: row?.id ?? 0 } as const;
      await store.correct({ ...place, text: { request: "ostrich" } });
      expect((await store.summaries()).items[0]?.request).toBe("ostrich");
      await store.correct({ ...place, text: null });
      expect((await store.summaries()).items).toEqual([]);
      await store.undoCorrection(place);
      await store.undoCorrection(place);
      expect((await store.summaries()).items).toEqual([row]);
      expect(await store.correct({ kind: "summary", id: 999, text: null })).toBe(false);
    }),
  );

  it(
    "are not overridden by a model",
    factory(async ({ store }) => {
      await store.addObservations([observation("ob_1", 1), observation("ob_2", 2)]);
      const [second, first] = (await store.observations()).items;
      await store.correct({
        ...{ kind: "observation", id: first?.id ?? 0 },
        text: { type: "decision", title: "mine" },
      });
      await reword(store, "ob_1", "the model's");
      await reword(store, "ob_2", "the model's");
      expect(await titles(store)).toEqual(["the model's", "mine"]);
      await reword(store, "ob_1");
      expect(await titles(store)).toEqual(["the model's", "mine"]);
      expect(second?.uid).toBe("ob_2");
    }),
  );
}

function deletions(factory: StoreFactory): void {
  it(
    "take a row out of lists, index and feed, and it does not come back by itself",
    factory(async ({ store, reopen }) => {
      await store.addObservations([observation("ob_1", 1, { title: "walnut", filesRead: ["a.ts"] })]);
      const [row] = (await store.observations()).items;
      const place = { kind: "observation", id: row?.id ?? 0 } as const;
      await store.correct({ ...place, text: null });
      expect([await titles(store), await found(store, "walnut")]).toEqual([[], 0]);
      expect((await store.feedSince(0, 10)).map(({ kind }) => kind)).toEqual(["event"]);
      expect(await store.addObservations([observation("ob_1", 1)])).toEqual({ added: [], known: ["ob_1"] });
      expect((await store.integrityCheck()).problems).toEqual([]);
      const again = await reopen();
      expect(await again.undoCorrection(place)).toBe(true);
      expect((await again.observations()).items).toEqual([row]);
      expect(await found(again, "walnut")).toBe(1);
      expect((await again.feedSince(0, 10)).map(({ kind }) => kind)).toEqual(["observation"]);
      expect((await again.integrityCheck()).problems).toEqual([]);
    }),
  );

  it(
    "are forgotten with their session",
    factory(async ({ store }) => {
      await store.addObservations([observation("ob_1", 1)]);
      const [row] = (await store.observations()).items;
      await store.correct({ kind: "observation", id: row?.id ?? 0, text: null });
      const { deleted } = await store.forget({ session: "s1" });
      expect(deleted).toMatchObject({ events: 1, observations: 0, sessions: 1 });
      expect(await store.undoCorrection({ kind: "observation", id: row?.id ?? 0 })).toBe(false);
    }),
  );
}

function travels(factory: StoreFactory): void {
  it(
    "go with an export: what was edited comes edited, what was deleted stays deleted",
    factory(async ({ store, another }) => {
      await store.addObservations([observation("ob_1", 1), observation("ob_2", 2)]);
      const [second, first] = (await store.observations()).items;
      await store.correct({ kind: "observation", id: second?.id ?? 0, text: null });
      await store.correct({
        ...{ kind: "observation", id: first?.id ?? 0 },
        text: { type: "change", title: "mine" },
      });
      const other = await another();
      await other.importLines(store.exportLines());
      expect(await titles(other)).toEqual(["mine"]);
      expect((await other.addObservations([observation("ob_2", 2)])).added).toEqual([]);
    }),
  );
}
