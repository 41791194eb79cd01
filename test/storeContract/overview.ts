// The contract of what people look through: the chronicle, its days, projects and sessions at a glance.
import { describe, expect, it } from "vitest";
import type { ChronicleRow } from "../../src/store/overview.ts";
import type { Store } from "../../src/store/store.ts";
import { addJobs, event, everyPage, isoAfter, observation, prompt, type StoreFactory } from "./setting.ts";

export function overviewContract(factory: StoreFactory): void {
  describe("the chronicle", () => {
    chroniclePages(factory);
    chronicleFilters(factory);
    chronicleDays(factory);
  });
  describe("an overview", () => {
    digests(factory);
    currentNumbers(factory);
  });
}

const app = "app-00000001";
const other = "other-00000002";

const summary = (uid: string, seconds: number, more: object = {}) => ({
  ...{ uid, session: "s1", project: app, promptNumber: 1, at: isoAfter(seconds), completed: `did ${uid}` },
  ...more,
});

const uids = (rows: readonly ChronicleRow[]): string[] => rows.map(({ row }) => row.uid.replace(/^ev_/, ""));

async function fill(store: Store): Promise<void> {
  await store.recordEvents([
    prompt("p1", 0, "first"),
    prompt("p2", 30, "second", { session: "s2", project: other }),
  ]);
  await store.addObservations([
    observation("o1", 10, { type: "bugfix", filesRead: ["src/auth.ts"], concepts: ["Caching"] }),
    observation("o2", 20, {
      filesModified: ["/home/a/src/auth.ts", "lib/auth.ts"],
      filesRead: ["src/auth.ts"],
    }),
    observation("o3", 40, {
      session: "s2",
      project: other,
      filesRead: ["docs/xauth.ts"],
      concepts: ["caching"],
    }),
  ]);
  await store.addSummaries([summary("u1", 20), summary("u2", 50, { session: "s2", project: other })]);
}

function chroniclePages(factory: StoreFactory): void {
  it(
    "has rows of all kinds in one order, page by page from both ends, also where times are the same",
    factory(async ({ store }) => {
      expect(await store.chronicle()).toEqual({ items: [] });
      await fill(store);
      const newest = ["u2", "o3", "p2", "u1", "o2", "o1", "p1"];
      for (const size of [1, 2, 3, 7]) {
        expect(uids(await everyPage(size, (page) => store.chronicle(page)))).toEqual(newest);
        expect(uids(await everyPage(size, (page) => store.chronicle({ ...page, order: "oldest" })))).toEqual(
          [...newest].reverse(),
        );
      }
      expect((await store.chronicle({ limit: 1 })).items).toMatchObject([
        { kind: "summary", row: { completed: "did u2" } },
      ]);
    }),
  );

  it(
    "does not shift when rows are added between two pages, and refuses a cursor that it never gave",
    factory(async ({ store }) => {
      await fill(store);
      const { items, next = "" } = await store.chronicle({ limit: 3 });
      await store.addObservations([observation("new", 99)]);
      const rest = await store.chronicle({ cursor: next });
      expect(uids([...items, ...rest.items])).toEqual(["u2", "o3", "p2", "u1", "o2", "o1", "p1"]);
      for (const cursor of ["1_1", "x", "1_1_1;", ""])
        await expect(store.chronicle({ cursor })).rejects.toMatchObject({ code: "usage" });
      await expect(store.chronicle({ limit: 501 })).rejects.toMatchObject({ code: "usage" });
    }),
  );
}

function chronicleFilters(factory: StoreFactory): void {
  it(
    "can be narrowed by project, session, time, kind, type, file and concept, all at once",
    factory(async ({ store }) => {
      await fill(store);
      const found = async (filter: Parameters<Store["chronicle"]>[0]): Promise<string[]> => {
        const all = await everyPage(2, (page) => store.chronicle({ ...filter, ...page }));
        expect(uids((await store.chronicle({ ...filter, order: "oldest" })).items)).toEqual(
          uids(all).reverse(),
        );
        return uids(all);
      };
      expect(await found({ project: other })).toEqual(["u2", "o3", "p2"]);
      expect(await found({ session: "s1" })).toEqual(["u1", "o2", "o1", "p1"]);
      expect(await found({ from: isoAfter(20), to: isoAfter(40) })).toEqual(["p2", "u1", "o2"]);
      expect(await found({ kinds: ["prompt", "summary"] })).toEqual(["u2", "p2", "u1", "p1"]);
      expect(await found({ kinds: [] })).toEqual([]);
      expect(await found({ type: "bugfix" })).toEqual(["o1"]);
      expect(await found({ type: "bugfix", project: other })).toEqual([]);
      expect(await found({ type: "bugfix", kinds: ["prompt"] })).toEqual([]);
      expect(await found({ concept: "CACHING" })).toEqual(["o3", "o1"]);
      expect(await found({ concept: "cach" })).toEqual([]);
      expect(await found({ concept: "caching", project: app })).toEqual(["o1"]);
    }),
  );

  it(
    "finds a file by its path or by the end of it, and what mentions it twice once",
    factory(async ({ store }) => {
      await fill(store);
      const found = async (file: string, more: object = {}): Promise<string[]> =>
        uids((await store.chronicle({ file, ...more })).items);
      expect(await found("auth.ts")).toEqual(["o2", "o1"]);
      expect(await found("src/auth.ts")).toEqual(["o2", "o1"]);
      expect(await found("./src/auth.ts")).toEqual(["o2", "o1"]);
      expect(await found("/home/a/src/auth.ts")).toEqual(["o2"]);
      expect(await found("lib/auth.ts", { from: isoAfter(20) })).toEqual(["o2"]);
      expect(await found("auth.ts", { type: "bugfix" })).toEqual(["o1"]);
      expect(await found("auth.ts", { concept: "caching" })).toEqual(["o1"]);
      expect(await found("auth.ts", { session: "s2" })).toEqual([]);
      for (const nothing of ["uth.ts", "src", "src/", "%", "_uth.ts", "a%h.ts", ""])
        expect([nothing, await found(nothing)]).toEqual([nothing, []]);
    }),
  );
}

function chronicleDays(factory: StoreFactory): void {
  it(
    "counts the days that a filter leaves, by UTC or by the reader's time zone",
    factory(async ({ store }) => {
      const hours = 3_600;
      await store.addObservations([
        observation("a", 0, { filesRead: ["x/a.ts", "y/a.ts"] }),
        observation("b", 14 * hours, { filesRead: ["a.ts"] }),
        observation("c", 16 * hours, { type: "bugfix" }),
      ]);
      await store.addSummaries([summary("u", 20 * hours)]);
      // It began at nine o'clock.
      expect(await store.chronicleDays()).toEqual([
        { day: "2026-11-17", rows: 2 },
        { day: "2026-11-16", rows: 2 },
      ]);
      expect(await store.chronicleDays({}, 8 * 60)).toEqual([
        { day: "2026-11-17", rows: 3 },
        { day: "2026-11-16", rows: 1 },
      ]);
      expect(await store.chronicleDays({}, -10 * 60)).toEqual([
        { day: "2026-11-16", rows: 3 },
        { day: "2026-11-15", rows: 1 },
      ]);
      expect(await store.chronicleDays({ type: "bugfix" })).toEqual([{ day: "2026-11-17", rows: 1 }]);
      expect(await store.chronicleDays({ file: "a.ts" })).toEqual([{ day: "2026-11-16", rows: 2 }]);
      expect(await store.chronicleDays({ project: other })).toEqual([]);
    }),
  );
}

function digests(factory: StoreFactory): void {
  it(
    "of projects has those first that were last worked on, and where that was",
    factory(async ({ store }) => {
      expect(await store.projectDigests()).toEqual([]);
      await fill(store);
      await store.recordEvents([event("e", 5, { cwd: "/work/app" })]);
      expect(await store.projectDigests()).toEqual([
        { project: other, sessions: 1, observations: 1, lastActivityAt: isoAfter(50) },
        { project: app, sessions: 1, observations: 2, lastActivityAt: isoAfter(20), folder: "/work/app" },
      ]);
    }),
  );

  it(
    "of sessions has what was asked first and how much came of it",
    factory(async ({ store }) => {
      await fill(store);
      await store.recordEvents([
        prompt("p0", 60, "later"),
        prompt("p9", -60, "x".repeat(2_000), { session: "s3" }),
      ]);
      const [s3, s1] = await store.sessionDigests(["s3", "nobody", "s1"]);
      expect(s1).toEqual({ session: "s1", firstPrompt: "first", observations: 2, summaries: 1 });
      expect(s3).toMatchObject({ session: "s3", observations: 0, summaries: 0 });
      expect(s3?.firstPrompt?.length).toBeLessThan(1_000);
    }),
  );

  it(
    "of a session has the files that were touched, those that were changed first, and the lanes of its events",
    factory(async ({ store }) => {
      await fill(store);
      await store.recordEvents([event("m", 5, { lane: "mods" })]);
      expect(await store.touchedFiles("s1")).toEqual([
        { path: "/home/a/src/auth.ts", reads: 0, changes: 1 },
        { path: "lib/auth.ts", reads: 0, changes: 1 },
        { path: "src/auth.ts", reads: 2, changes: 0 },
      ]);
      expect(await store.touchedFiles("nobody")).toEqual([]);
      expect(await store.lanesOf("s1")).toEqual(["hooks", "mods"]);
    }),
  );
}

function currentNumbers(factory: StoreFactory): void {
  it(
    "stays true when rows are given other words, forgotten and kept again",
    factory(async ({ store, another }) => {
      await fill(store);
      await addJobs(store, [{ kind: "refine", key: "k" }]);
      const jobs = await store.leaseJobs({
        kinds: ["refine"],
        worker: "w",
        now: 1,
        leaseMs: 1_000,
        maxAttempts: 8,
        limit: 1,
      });
      const words = {
        uid: "o1",
        title: "now otherwise",
        type: "feature",
        filesRead: ["src/new.ts"],
      } as const;
      await store.completeJobs({
        ids: jobs.map(({ id }) => id),
        worker: "w",
        revisions: { observations: [words] },
      });
      expect(uids((await store.chronicle({ file: "auth.ts" })).items)).toEqual(["o2"]);
      expect(uids((await store.chronicle({ file: "new.ts" })).items)).toEqual(["o1"]);
      expect((await store.chronicle({ concept: "caching", project: app })).items).toEqual([]);
      expect((await store.stats()).observationsByType).toEqual({ discovery: 2, feature: 1 });
      const lines: string[] = [];
      for await (const line of store.exportLines()) lines.push(line);
      await store.forget({ project: other });
      expect(await store.stats()).toMatchObject({
        counts: { observations: 2, prompts: 1, summaries: 1, events: 1 },
      });
      expect((await store.projectDigests()).map(({ project }) => project)).toEqual([app]);
      expect((await store.chronicle({ concept: "caching" })).items).toEqual([]);
      const copy = await another();
      await copy.importLines(
        (async function* () {
          yield* lines;
        })(),
      );
      expect((await copy.stats()).counts).toMatchObject({
        observations: 3,
        prompts: 2,
        summaries: 2,
        events: 2,
      });
      expect(uids((await copy.chronicle({ concept: "caching" })).items)).toEqual(["o3"]);
    }),
  );
}
