// The contract of the job queue: leases that run out, attempts, backoff, and dead jobs that can be retried.
import { describe, expect, it } from "vitest";
import type { Job } from "../../src/store/jobQueue.ts";
import type { Store } from "../../src/store/store.ts";
import { addJobs, observation, START, type StoreFactory } from "./setting.ts";

export function queueContract(factory: StoreFactory): void {
  describe("the queue", () => {
    leasing(factory);
    leasingByName(factory);
    completing(factory);
    following(factory);
    dropping(factory);
    failing(factory);
    postponing(factory);
    waiting(factory);
  });
}

const backoff = { baseMs: 1_000, maxMs: 5_000, maxAttempts: 4 };

function leaseAt(
  store: Store,
  worker: string,
  now: number,
  more: { limit?: number; maxAttempts?: number; keys?: readonly string[] } = {},
): Promise<Job[]> {
  return store.leaseJobs({ kinds: ["k"], worker, now, leaseMs: 1_000, maxAttempts: 8, limit: 10, ...more });
}

function leasingByName(factory: StoreFactory): void {
  it(
    "gives named jobs before their time, and none that another holds",
    factory(async ({ store }) => {
      await addJobs(
        store,
        ["a", "b", "c"].map((key) => ({ kind: "k", key, notBefore: 5_000 })),
      );
      expect(await leaseAt(store, "w1", 0)).toEqual([]);
      expect((await leaseAt(store, "w1", 0, { keys: ["b", "z"] })).map(({ key }) => key)).toEqual(["b"]);
      const rest = await leaseAt(store, "w2", 0, { keys: ["a", "b", "c"] });
      expect(rest.map(({ key }) => key)).toEqual(["a", "c"]);
    }),
  );

  it(
    "gives back at once what workers hold that are gone",
    factory(async ({ store }) => {
      await addJobs(
        store,
        ["a", "b"].map((key) => ({ kind: "k", key })),
      );
      await leaseAt(store, "gone", 0, { limit: 1 });
      await leaseAt(store, "here", 0, { limit: 1 });
      expect(await store.releaseOtherLeases("here", 8)).toBe(1);
      expect(await leaseAt(store, "here", 0)).toMatchObject([{ key: "a", attempts: 2 }]);
    }),
  );
}

function following(factory: StoreFactory): void {
  it(
    "keeps new words of a row, and the work that follows, with the job that is done",
    factory(async ({ store }) => {
      await addJobs(store, [{ kind: "k", key: "a" }]);
      await store.addObservations([observation("ob_1", 1), observation("ob_2", 2)]);
      const summary = { uid: "su_1", session: "s1", project: "app-00000001", promptNumber: 1 };
      await store.addSummaries([{ ...summary, at: new Date(START).toISOString(), request: "first" }]);
      const before = (await store.observations({ order: "oldest" })).items;
      const [job] = await leaseAt(store, "w", 0);
      const said = { type: "bugfix", title: "wholly rewritten", facts: ["quetzal"] } as const;
      const revisions = {
        observations: [
          { uid: "ob_1", ...said },
          { uid: "ob_none", ...said },
        ],
        summaries: [{ uid: "su_1", request: "second" }],
      };
      const done = { ids: [job?.id ?? 0], revisions, jobs: [{ kind: "next", key: "a" }] };
      expect(await store.completeJobs({ ...done, worker: "stranger" })).toEqual([]);
      expect((await store.observations({ order: "oldest" })).items).toEqual(before);
      await store.completeJobs({ ...done, worker: "w" });
      const after = (await store.observations({ order: "oldest" })).items;
      expect(after).toMatchObject([{ ...said, id: before[0]?.id, uid: "ob_1" }, { title: "found ob_2" }]);
      expect((await store.summaries()).items).toMatchObject([{ uid: "su_1", request: "second" }]);
      expect((await store.queueStats(0)).byKind).toEqual({ next: { ready: 1, leased: 0, dead: 0 } });
      const found = await store.passages({ terms: ["quetzal"], mode: "any", limit: 5 });
      expect(found.map(({ entry }) => entry.ref)).toEqual([before[0]?.id]);
      expect(await store.integrityCheck()).toEqual({ ok: true, problems: [] });
    }),
  );
}

function dropping(factory: StoreFactory): void {
  it(
    "takes a dropped row away, keeps it with the reason, and records the model session with what it worded",
    factory(async ({ store }) => {
      await addJobs(store, [{ kind: "k", key: "a" }]);
      await store.addObservations([observation("ob_1", 1, { facts: ["quetzal"] }), observation("ob_2", 2)]);
      const [job] = await leaseAt(store, "w", 0);
      const by = { session: "s1", modelSession: "model-1" };
      const worded = { uid: "ob_2", type: "change", title: "in other words", correlationId: "ev_2" } as const;
      const revisions = {
        observations: [{ ...worded, evidence: ["ev_2", "ev_5"] }],
        dropped: [
          { uid: "ob_1", reason: "an echo" },
          { uid: "ob_none", reason: "unknown" },
        ],
        by,
      };
      await store.completeJobs({ ids: [job?.id ?? 0], worker: "w", revisions });
      expect((await store.observations()).items).toMatchObject([
        { ...worded, evidence: ["ev_2", "ev_5"], sdkSessionId: "model-1" },
      ]);
      expect((await store.session("s1"))?.sdkSessionId).toBe("model-1");
      expect(await store.passages({ terms: ["quetzal"], mode: "any", limit: 5 })).toEqual([]);
      const { items } = await store.events({ kind: "observation-dropped" });
      expect(items.map(({ payload }) => payload)).toMatchObject([
        { reason: "an echo", observation: { uid: "ob_1", facts: ["quetzal"] } },
      ]);
      expect(await store.integrityCheck()).toEqual({ ok: true, problems: [] });
    }),
  );
}

function leasing(factory: StoreFactory): void {
  it(
    "gives each job to one worker, oldest first, and again when a lease runs out",
    factory(async ({ store, reopen }) => {
      const jobs = ["a", "b", "c"].map((key) => ({ kind: "k", key, payload: { key } }));
      await addJobs(store, [...jobs, { kind: "other", key: "a" }]);
      await addJobs(store, jobs);
      expect(await store.queueStats(0)).toMatchObject({ ready: 4, leased: 0, dead: 0 });
      const first = await leaseAt(store, "w1", 0, { limit: 2 });
      expect(first.map(({ key, attempts, leasedBy, payload }) => [key, attempts, leasedBy, payload])).toEqual(
        [
          ["a", 1, "w1", { key: "a" }],
          ["b", 1, "w1", { key: "b" }],
        ],
      );
      expect((await leaseAt(store, "w2", 999)).map(({ key }) => key)).toEqual(["c"]);
      const again = await reopen();
      expect((await leaseAt(again, "w2", 1_000)).map(({ key, attempts }) => [key, attempts])).toEqual([
        ["a", 2],
        ["b", 2],
      ]);
    }),
  );

  it(
    "begins with what has been due longest",
    factory(async ({ store }) => {
      await addJobs(store, [
        { kind: "k", key: "third", notBefore: 3_000 },
        { kind: "k", key: "second", notBefore: 2_000 },
        { kind: "l", key: "first", notBefore: 1_000 },
        { kind: "k", key: "fourth", notBefore: 9_000 },
      ]);
      const next = async (): Promise<string[]> =>
        (
          await store.leaseJobs({
            kinds: ["k", "l"],
            worker: "w",
            now: 5_000,
            leaseMs: 1_000,
            maxAttempts: 8,
            limit: 1,
          })
        ).map(({ key }) => key);
      expect([await next(), await next(), await next(), await next()].flat()).toEqual([
        "first",
        "second",
        "third",
      ]);
    }),
  );

  it(
    "marks a job dead that outlived too many workers",
    factory(async ({ store }) => {
      await addJobs(store, [{ kind: "k", key: "poison" }]);
      for (const round of [0, 1, 2])
        expect(await leaseAt(store, "w", round * 1_000, { maxAttempts: 3 })).toHaveLength(1);
      expect(await leaseAt(store, "w", 3_000, { maxAttempts: 3 })).toEqual([]);
      expect(await store.deadJobs()).toMatchObject([{ key: "poison", state: "dead", attempts: 3 }]);
    }),
  );

  it(
    "marks a job dead that ended the last worker it may end, and no job of another kind",
    factory(async ({ store }) => {
      await addJobs(store, [
        { kind: "k", key: "poison" },
        { kind: "other", key: "poison" },
      ]);
      const other = { kinds: ["other"], leaseMs: 1_000, limit: 1, maxAttempts: 1 };
      await leaseAt(store, "gone", 0);
      await store.leaseJobs({ ...other, worker: "here", now: 0 });
      expect(await store.releaseOtherLeases("here", 2)).toBe(1);
      await leaseAt(store, "gone", 0);
      expect(await store.releaseOtherLeases("here", 2)).toBe(0);
      expect(await leaseAt(store, "here", 5_000, { maxAttempts: 1 })).toEqual([]);
      expect(await store.deadJobs()).toMatchObject([{ kind: "k", state: "dead", attempts: 2 }]);
      expect(await store.leaseJobs({ ...other, worker: "here", now: 5_000 })).toEqual([]);
      expect(await store.deadJobs()).toMatchObject([{ kind: "k" }, { kind: "other", attempts: 1 }]);
    }),
  );
}

function completing(factory: StoreFactory): void {
  it(
    "lets a job go together with what it gave, or not at all",
    factory(async ({ store }) => {
      await addJobs(store, [{ kind: "k", key: "a" }]);
      const [job] = await leaseAt(store, "w1", 0);
      const ids = [job?.id ?? 0];
      expect(
        await store.completeJobs({ ids, worker: "stranger", observations: [observation("no", 1)] }),
      ).toEqual([]);
      expect((await store.observations()).items).toEqual([]);
      const bad = { ...observation("bad", 1), type: "gossip" as "change" };
      await expect(store.completeJobs({ ids, worker: "w1", observations: [bad] })).rejects.toThrow();
      expect((await store.queueStats(500)).leased).toBe(1);
      const summaries = [
        { session: "s1", project: "p", promptNumber: 1, at: "2026-11-16T09:00:00Z", uid: "su" },
      ];
      expect(
        await store.completeJobs({ ids, worker: "w1", observations: [observation("ok", 1)], summaries }),
      ).toEqual(ids);
      expect((await store.stats()).counts).toMatchObject({ jobs: 0, observations: 1, summaries: 1 });
      expect(await store.completeJobs({ ids, worker: "w1" })).toEqual([]);
    }),
  );
}

function failing(factory: StoreFactory): void {
  it(
    "waits longer after every failure, marks the job dead at last, and retries it when asked",
    factory(async ({ store }) => {
      await addJobs(store, [{ kind: "k", key: "a" }]);
      let now = 0;
      for (const pause of [1_000, 2_000, 4_000]) {
        const [job] = await leaseAt(store, "w", now);
        const failure = { id: job?.id ?? 0, worker: "w", now, error: `after ${now}`, backoff };
        expect(await store.failJob({ ...failure, worker: "stranger" })).toBeUndefined();
        expect(await store.failJob(failure)).toBe("ready");
        expect(await leaseAt(store, "w", now + pause - 1)).toEqual([]);
        now += pause;
      }
      const [last] = await leaseAt(store, "w", now);
      expect(await store.failJob({ id: last?.id ?? 0, worker: "w", now, error: "the end", backoff })).toBe(
        "dead",
      );
      expect(await leaseAt(store, "w", now + 1e9)).toEqual([]);
      expect(await store.deadJobs()).toMatchObject([{ lastError: "the end", attempts: 4 }]);
      expect(await store.retryDeadJobs()).toBe(1);
      expect(await leaseAt(store, "w", now)).toMatchObject([{ key: "a", attempts: 1 }]);
    }),
  );
}

function postponing(factory: StoreFactory): void {
  it(
    "postpones a job without counting an attempt",
    factory(async ({ store }) => {
      await addJobs(store, [{ kind: "k", key: "a" }]);
      for (let now = 0; now < 20_000; now += 1_000) {
        const [job] = await leaseAt(store, "w", now, { maxAttempts: 2 });
        expect(job).toMatchObject({ key: "a", attempts: 1 });
        const request = { id: job?.id ?? 0, worker: "w", error: "not yet", until: now + 1_000 };
        expect(await store.postponeJob({ ...request, worker: "stranger" })).toBeUndefined();
        expect(await store.postponeJob(request)).toBe("ready");
        expect(await leaseAt(store, "w", now + 999)).toEqual([]);
      }
      expect(await store.deadJobs()).toEqual([]);
      expect(await leaseAt(store, "w", 20_000)).toMatchObject([{ attempts: 1, lastError: "not yet" }]);
    }),
  );
}

function waiting(factory: StoreFactory): void {
  it(
    "says how much waits, and for how long",
    factory(async ({ store, clock }) => {
      clock.time = START;
      await addJobs(store, [
        { kind: "k", key: "a" },
        { kind: "k", key: "b" },
        { kind: "k", key: "later", notBefore: START + 1 },
      ]);
      clock.time = START + 5;
      await addJobs(store, [{ kind: "other", key: "a" }]);
      await leaseAt(store, "w", START, { limit: 1 });
      expect(await store.queueStats(START)).toEqual({
        ready: 2,
        delayed: 1,
        leased: 1,
        dead: 0,
        oldestReadyEpoch: START,
        byKind: { k: { ready: 2, leased: 1, dead: 0 }, other: { ready: 1, leased: 0, dead: 0 } },
      });
      expect(await store.queueStats(START + 1_000)).toMatchObject({ ready: 4, delayed: 0, leased: 0 });
    }),
  );
}
