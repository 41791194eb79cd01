// The contract of forgetting and of retention: shown before, gone afterwards, and no more than was asked.
import { describe, expect, it } from "vitest";
import type { Store } from "../../src/store/store.ts";
import type { Counts } from "../../src/store/upkeep.ts";
import { event, isoAfter, observation, prompt, START, type StoreFactory } from "./setting.ts";

export function forgetContract(factory: StoreFactory): void {
  describe("forget", () => {
    forgetting(factory);
    forgettingTime(factory);
    stayingForgotten(factory);
  });
  describe("retention", () => {
    retentionByAge(factory);
    retentionBySize(factory);
  });
}

const none: Counts = {
  sessions: 0,
  events: 0,
  prompts: 0,
  observations: 0,
  summaries: 0,
  messages: 0,
  jobs: 0,
};

/** Two sessions of one project and one of another, a row of every kind in each. */
async function fill(store: Store): Promise<void> {
  const places = [
    { session: "s1", project: "app-00000001" },
    { session: "s2", project: "app-00000001" },
    { session: "s3", project: "other-00000002" },
  ];
  for (const [index, of] of places.entries()) {
    const second = index * 100;
    await store.recordEvents([
      prompt(`p${index}`, second, `words of ${of.session}`, of),
      event(`t${index}`, second + 1, of),
    ]);
    await store.addObservations([observation(`ob${index}`, second + 2, of)]);
    await store.addSummaries([
      { ...of, uid: `su${index}`, promptNumber: 1, at: isoAfter(second + 3), learned: "much" },
    ]);
    await store.addMessages([
      { ...of, uuid: `u${index}`, role: "user", text: "hello", at: isoAfter(second + 4) },
    ]);
  }
}

const ofOneSession: Counts = {
  sessions: 1,
  events: 2,
  prompts: 1,
  observations: 1,
  summaries: 1,
  messages: 1,
  jobs: 1,
};
const ofTwo = Object.fromEntries(Object.entries(ofOneSession).map(([name, count]) => [name, count * 2]));

function forgetting(factory: StoreFactory): void {
  it(
    "takes a session away, after showing what that means, and leaves the others whole",
    factory(async ({ store }) => {
      await fill(store);
      expect(await store.previewForget({ session: "s1" })).toEqual(ofOneSession);
      expect((await store.stats()).counts.events).toBe(6);
      expect(await store.forget({ session: "s1" })).toEqual({
        deleted: ofOneSession,
        left: none,
        erased: expect.any(Boolean),
      });
      expect(await store.session("s1")).toBeUndefined();
      expect((await store.stats()).counts).toEqual(ofTwo);
      expect(await store.integrityCheck()).toEqual({ ok: true, problems: [] });
    }),
  );

  it(
    "takes a project away, and does not let a session that went on elsewhere name it",
    factory(async ({ store }) => {
      await fill(store);
      await store.recordEvents([event("moved", 50, { project: "other-00000002" })]);
      const { deleted, left } = await store.forget({ project: "app-00000001" });
      expect(deleted).toEqual({ ...ofTwo, sessions: 1 });
      expect(left).toEqual(none);
      expect(await store.session("s1")).toMatchObject({ project: "other-00000002", createdAt: isoAfter(50) });
      expect((await store.stats()).projects.map(({ project }) => project)).toEqual(["other-00000002"]);
    }),
  );

  it(
    "refuses to forget everything by leaving everything out",
    factory(async ({ store }) => {
      await expect(store.forget({})).rejects.toMatchObject({ code: "usage" });
      await expect(store.previewForget({})).rejects.toMatchObject({ code: "usage" });
      await expect(store.forget({ from: "long ago" })).rejects.toMatchObject({ code: "usage" });
    }),
  );
}

function forgettingTime(factory: StoreFactory): void {
  it(
    "takes a time away, and keeps what a session did before and after",
    factory(async ({ store }) => {
      await fill(store);
      await store.recordEvents([event("after", 500)]);
      const scope = { from: isoAfter(1), to: isoAfter(200) };
      const { deleted, left } = await store.forget(scope);
      expect(deleted).toMatchObject({ sessions: 1, events: 3, prompts: 1, observations: 2, messages: 2 });
      expect(left).toEqual(none);
      expect((await store.events({ session: "s1", order: "oldest" })).items.map(({ id }) => id)).toEqual([
        "ev_p0",
        "ev_after",
      ]);
      expect(await store.session("s1")).toMatchObject({
        createdAt: isoAfter(0),
        lastActivityAt: isoAfter(500),
      });
      expect(await store.session("s2")).toBeUndefined();
    }),
  );
}

function stayingForgotten(factory: StoreFactory): void {
  it(
    "keeps what is forgotten from coming back, and lets what happens later in",
    factory(async ({ store, clock, reopen }) => {
      clock.time = START + 1_000_000;
      await store.recordEvents([event("a", 1), event("b", 2, { session: "s2" })]);
      await store.forget({ session: "s1" });
      await store.forget({ from: isoAfter(1), to: isoAfter(10), project: "app-00000001" });
      const again = await reopen();
      expect(
        await again.recordEvents([event("a", 1), event("b", 2, { session: "s2" }), event("late", 999)]),
      ).toEqual({
        added: [],
        known: ["ev_a", "ev_b", "ev_late"],
      });
      await again.addMessages([
        { session: "s1", uuid: "u", role: "user", text: "x", at: isoAfter(3), project: "any" },
      ]);
      expect((await again.stats()).counts).toEqual(none);
      const later = [event("next", 1_001), event("c", 11, { session: "s2" })];
      expect((await again.recordEvents(later)).added).toEqual(["ev_next", "ev_c"]);
    }),
  );
}

const DAY_SECONDS = 86_400;

function retentionByAge(factory: StoreFactory): void {
  it(
    "keeps everything by default",
    factory(async ({ store }) => {
      await fill(store);
      for (const rules of [{}, { days: 0, rawDays: 0, maxBytes: 0 }])
        expect(await store.applyRetention(rules, START + 1e12)).toEqual({ counts: none, bytes: 0 });
      expect((await store.stats()).counts.events).toBe(6);
    }),
  );

  it(
    "lets raw rows go first and knowledge later, and shows it before",
    factory(async ({ store }) => {
      await fill(store);
      await store.recordEvents([
        event("end", 5, { kind: "session-end" }),
        event("new", 30 * DAY_SECONDS, { session: "s9" }),
      ]);
      const now = START + 31 * DAY_SECONDS * 1_000;
      const shown = await store.previewRetention({ rawDays: 10 }, now);
      expect(shown).toMatchObject({ rawBefore: isoAfter(21 * DAY_SECONDS) });
      expect(shown.counts).toEqual({ ...none, events: 7, messages: 3, jobs: 3 });
      expect(await store.applyRetention({ rawDays: 10 }, now)).toEqual(shown);
      expect((await store.stats()).counts).toMatchObject({
        sessions: 4,
        events: 1,
        prompts: 3,
        observations: 3,
      });
      expect(await store.session("s1")).toMatchObject({ status: "completed", promptCounter: 1 });
      await store.applyRetention({ days: 10 }, now);
      expect((await store.stats()).counts).toEqual({ ...none, sessions: 1, events: 1, jobs: 1 });
    }),
  );
}

function retentionBySize(factory: StoreFactory): void {
  it(
    "lets the oldest days go until the rest fits, and never the current one",
    factory(async ({ store }) => {
      for (let day = 0; day < 6; day++) {
        const text = "x".repeat(50_000);
        const events = Array.from({ length: 10 }, (_, index) =>
          event(`${day}-${index}`, day * DAY_SECONDS, { payload: { text } }),
        );
        await store.recordEvents(events);
        await store.addObservations([observation(`ob${day}`, day * DAY_SECONDS)]);
      }
      const now = START + 5 * DAY_SECONDS * 1_000;
      const shown = await store.previewRetention({ maxBytes: 1_800_000 }, now);
      expect(shown.counts).toMatchObject({ events: 30, observations: 0 });
      await store.applyRetention({ maxBytes: 1_800_000 }, now);
      const { after } = await store.vacuum();
      expect(after).toBeLessThan(2_000_000);
      const all = await store.applyRetention({ maxBytes: 1 }, now);
      expect(all.counts).toMatchObject({ events: 20, observations: 5 });
      expect((await store.stats()).counts).toMatchObject({ events: 10, observations: 1 });
    }),
  );
}
