// The contract of vectors: of one model at a time, nearest first, and gone with what they were made of.
import { describe, expect, it } from "vitest";
import type { VectorModel } from "../../src/store/searchIndex.ts";
import type { Store } from "../../src/store/store.ts";
import { addJobs, isoAfter, observation, START, type StoreFactory } from "./setting.ts";

const model: VectorModel = { id: "tiny", dimensions: 3 };
const directions: Readonly<Record<string, readonly number[]>> = {
  north: [1, 0, 0],
  east: [0, 1, 0],
  between: [0.7, 0.7, 0],
};
const toward = (name: string): Float32Array => Float32Array.from(directions[name] ?? [0, 0, 1]);

/** Makes vectors of everything that waits, as a worker would; gives the texts in the order they came. */
async function embedAll(store: Store, of: VectorModel = model, batch = 2): Promise<string[]> {
  const seen: string[] = [];
  for (;;) {
    const bare = await store.barePassages(of, batch);
    const last = bare.at(-1);
    if (last === undefined) return seen;
    seen.push(...bare.map(({ text }) => text.split("\n")[0] ?? ""));
    const vectors = bare.map(({ id, text }) => ({ passage: id, vector: toward(text.split("\n")[0] ?? "") }));
    await store.addVectors({ model: of, until: last.id, vectors });
  }
}

async function near(store: Store, name: string, more: object = {}): Promise<string[]> {
  const found = await store.nearest({ model, vector: toward(name), limit: 2, ...more });
  return found.map(({ entry, similarity }) => `${entry.kind} ${entry.ref} ${similarity.toFixed(2)}`);
}

/** How many vectors of a model there are, and how many passages wait for one. */
async function vectorState(store: Store, of = model): Promise<{ vectors: number; waiting: number }> {
  const found = await store.nearest({ model: of, vector: toward("between"), limit: 100 });
  return { vectors: found.length, waiting: (await store.barePassages(of, 100)).length };
}

export function vectorsContract(factory: StoreFactory): void {
  describe("the vectors", () => {
    comparing(factory);
    changing(factory);
  });
}

function comparing(factory: StoreFactory): void {
  it(
    "are made of passages oldest first and found nearest first, within a filter",
    factory(async ({ store, reopen }) => {
      await store.addObservations([
        observation("a", 1, { title: "north" }),
        observation("b", 2, { title: "east", project: "other-2" }),
        observation("c", 3, { title: "between" }),
      ]);
      expect(await vectorState(store)).toEqual({ vectors: 0, waiting: 3 });
      expect(await store.vectorState()).toEqual({ passages: 3, done: 0 });
      expect(await near(store, "north")).toEqual([]);
      expect(await embedAll(store)).toEqual(["north", "east", "between"]);
      const again = await reopen();
      expect(await vectorState(again)).toEqual({ vectors: 3, waiting: 0 });
      expect(await again.vectorState()).toEqual({ model: model.id, passages: 3, done: 3 });
      expect(await near(again, "north")).toEqual(["observation 1 1.00", "observation 3 0.71"]);
      expect(await near(again, "north", { projects: ["other-2"] })).toEqual(["observation 2 0.00"]);
      expect(await near(again, "east", { from: isoAfter(3) })).toEqual(["observation 3 0.71"]);
    }),
  );

  it(
    "hold the whole text of an entry, in its order",
    factory(async ({ store }) => {
      const text = `${"One thing happened and then another. ".repeat(20)}The heron landed.`;
      await store.addMessages([
        { session: "s1", uuid: "m", role: "user", text, at: isoAfter(1), project: "app-00000001" },
      ]);
      const bare = await store.barePassages(model, 10);
      expect(bare.length).toBeGreaterThan(1);
      expect(bare.map((one) => one.text).join("")).toBe(text);
    }),
  );
}

function changing(factory: StoreFactory): void {
  it(
    "go with their rows, also where a row went while its vector was made",
    factory(async ({ store }) => {
      await store.addObservations([
        observation("a", 1, { title: "north" }),
        observation("b", 2, { title: "north", session: "s2" }),
      ]);
      const bare = await store.barePassages(model, 10);
      await store.forget({ session: "s1" });
      const vectors = bare.map(({ id }) => ({ passage: id, vector: toward("north") }));
      await store.addVectors({ model, until: bare.at(-1)?.id ?? 0, vectors });
      expect(await near(store, "north")).toEqual(["observation 2 1.00"]);
      await store.forget({ session: "s2" });
      expect(await vectorState(store)).toEqual({ vectors: 0, waiting: 0 });
    }),
  );

  it(
    "are made anew for another model, and for rows that were revised",
    factory(async ({ store }) => {
      await store.addObservations([
        observation("a", 1, { title: "north" }),
        observation("b", 2, { title: "east" }),
      ]);
      await embedAll(store);
      await addJobs(store, [{ kind: "refine", key: "turn" }]);
      const [job] = await store.leaseJobs({
        kinds: ["refine"],
        worker: "w",
        now: START,
        leaseMs: 1_000,
        maxAttempts: 8,
        limit: 1,
      });
      const titles = { a: "north", b: "east" };
      const observations = Object.entries(titles).map(
        ([uid, title]) => ({ uid, title, type: "bugfix" }) as const,
      );
      await store.completeJobs({ ids: [job?.id ?? 0], worker: "w", revisions: { observations } });
      expect(await near(store, "north")).toEqual([]);
      expect(await embedAll(store)).toEqual(["north", "east"]);
      const other = { id: "tiny-2", dimensions: 3 };
      expect(await store.nearest({ model: other, vector: toward("north"), limit: 2 })).toEqual([]);
      const [first] = await store.barePassages(other, 1);
      const passage = first?.id ?? 0;
      await store.addVectors({
        model: other,
        until: passage,
        vectors: [{ passage, vector: toward("north") }],
      });
      expect(await vectorState(store, other)).toEqual({ vectors: 1, waiting: 1 });
      expect(await embedAll(store, other, 1)).toEqual(["east"]);
      expect(await vectorState(store, other)).toEqual({ vectors: 2, waiting: 0 });
      expect(await near(store, "north")).toEqual([]);
    }),
  );
}
