// The contract of what is made of events: observations, summaries and messages, each kept once.
import { describe, expect, it } from "vitest";
import { importSession, isoAfter, observation, START, type StoreFactory } from "./setting.ts";

export function knowledgeContract(factory: StoreFactory): void {
  describe("observations", () => {
    observations(factory);
    observationIds(factory);
  });
  describe("summaries and messages", () => summariesAndMessages(factory));
}

function observations(factory: StoreFactory): void {
  it(
    "come back with everything they said, by list and by id",
    factory(async ({ store }) => {
      const full = observation("ob_full", 1, {
        type: "bugfix",
        subtitle: "a subtitle",
        narrative: "what happened",
        text: "more",
        facts: ["one", "two"],
        concepts: ["caching"],
        filesRead: ["a.ts"],
        filesModified: [],
        toolName: "Edit",
        correlationId: "ev_1",
      });
      await store.addObservations([full, observation("ob_bare", 2)]);
      const { items } = await store.observations({ order: "oldest" });
      const { session, at, ...said } = full;
      expect(items[0]).toMatchObject({
        ...said,
        claudeSessionId: session,
        createdAt: at,
        createdAtEpoch: START + 1_000,
      });
      expect(items[1]).not.toHaveProperty("subtitle");
      const numbers = items.map(({ id }) => id);
      expect((await store.observationsById([...numbers].reverse())).map(({ uid }) => uid)).toEqual([
        "ob_bare",
        "ob_full",
      ]);
      expect(await store.observationsById([999])).toEqual([]);
      expect((await store.observations({ type: "bugfix" })).items).toHaveLength(1);
    }),
  );
}

function observationIds(factory: StoreFactory): void {
  it(
    "are added once per uid, and make their session known",
    factory(async ({ store }) => {
      expect(await store.addObservations([observation("ob_1", 5)])).toEqual({ added: ["ob_1"], known: [] });
      const again = [observation("ob_1", 5, { title: "changed" }), observation("ob_2", 6)];
      expect(await store.addObservations(again)).toEqual({ added: ["ob_2"], known: ["ob_1"] });
      expect((await store.observations()).items.map(({ title }) => title)).toEqual([
        "found ob_2",
        "found ob_1",
      ]);
      expect(await store.session("s1")).toMatchObject({
        createdAt: isoAfter(5),
        lastActivityAt: isoAfter(6),
      });
    }),
  );

  it(
    "get a uid of their own where none is given, and the model's session where there is one",
    factory(async ({ store }) => {
      const { uid: _uid, ...nameless } = observation("", 1);
      await importSession(store, "s2", "m1");
      const { added } = await store.addObservations([nameless, { ...nameless, session: "s2" }]);
      expect(added[0]).toMatch(/^ob_/);
      const { items } = await store.observations({ order: "oldest" });
      expect(items.map(({ sdkSessionId }) => sdkSessionId)).toEqual([undefined, "m1"]);
    }),
  );
}

function summariesAndMessages(factory: StoreFactory): void {
  const of = { session: "s1", project: "app-00000001" };

  it(
    "of one session can be many",
    factory(async ({ store }) => {
      const summary = { ...of, promptNumber: 1, at: isoAfter(1), request: "fix it", nextSteps: "ship it" };
      await store.addSummaries([
        { ...summary, uid: "su_1" },
        { ...summary, uid: "su_2", at: isoAfter(2) },
      ]);
      expect(await store.addSummaries([{ ...summary, uid: "su_1" }])).toEqual({ added: [], known: ["su_1"] });
      const { items } = await store.summaries({ session: "s1" });
      expect(items.map(({ uid }) => uid)).toEqual(["su_2", "su_1"]);
      expect(items[0]).toMatchObject({ request: "fix it", nextSteps: "ship it" });
      expect(items[0]).not.toHaveProperty("learned");
    }),
  );

  it(
    "are kept once per session and uuid",
    factory(async ({ store }) => {
      const message = { ...of, uuid: "u1", role: "user", text: "hello", at: isoAfter(1) };
      const added = await store.addMessages([message, { ...message, session: "s2" }, message]);
      expect(added).toEqual({ added: ["u1", "u1"], known: ["u1"] });
      await store.addMessages([{ ...message, uuid: "u2", role: "assistant", agent: "a7" }]);
      expect((await store.messages({ role: "assistant" })).items).toMatchObject([
        { uuid: "u2", agent: "a7", text: "hello" },
      ]);
      expect((await store.messages({ session: "s1" })).items).toHaveLength(2);
    }),
  );
}
