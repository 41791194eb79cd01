// The contract of recording: one row per id, sessions and prompts in step, whatever the order.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Job } from "../../src/store/jobQueue.ts";
import { event, importSession, isoAfter, prompt, START, type StoreFactory } from "./setting.ts";

export function eventsContract(factory: StoreFactory): void {
  describe("recordEvents", () => {
    recording(factory);
    consequences(factory);
    oddValues(factory);
  });
  describe("a session", () => {
    sessions(factory);
    sessionOrder(factory);
  });
}

function recording(factory: StoreFactory): void {
  it(
    "keeps an event once, however often it is reported",
    factory(async ({ store, reopen }) => {
      const first = await store.recordEvents([event("a", 1), event("b", 2), event("a", 1)]);
      expect(first).toEqual({ added: ["ev_a", "ev_b"], known: ["ev_a"] });
      const again = await reopen();
      const second = await again.recordEvents([event("b", 2, { lane: "transcript" }), event("c", 3)]);
      expect(second).toEqual({ added: ["ev_c"], known: ["ev_b"] });
      expect((await again.events({ order: "oldest" })).items).toEqual([
        { ...event("a", 1), promptNumber: 0 },
        { ...event("b", 2), promptNumber: 0 },
        { ...event("c", 3), promptNumber: 0 },
      ]);
    }),
  );
}

function consequences(factory: StoreFactory): void {
  it(
    "numbers prompts within their session and gives each event its prompt",
    factory(async ({ store }) => {
      await store.recordEvents([event("0", 0), prompt("p1", 1, "first"), event("a", 2)]);
      await store.recordEvents([
        prompt("p1", 1, "first"),
        prompt("p2", 3, "second"),
        event("b", 4),
        prompt("q1", 5, "elsewhere", { session: "s2" }),
      ]);
      const { items } = await store.prompts({ session: "s1", order: "oldest" });
      expect(items.map(({ uid, promptNumber, promptText }) => [uid, promptNumber, promptText])).toEqual([
        ["ev_p1", 1, "first"],
        ["ev_p2", 2, "second"],
      ]);
      const numbers = (await store.eventsById(["ev_b", "ev_q1", "ev_none", "ev_0"])).map((row) => [
        row.id,
        row.promptNumber,
      ]);
      expect(numbers).toEqual([
        ["ev_b", 2],
        ["ev_q1", 1],
        ["ev_0", 0],
      ]);
      expect(await store.session("s1")).toMatchObject({ promptCounter: 2 });
    }),
  );

  it(
    "queues the work of new events, and of no other",
    factory(async ({ store }) => {
      const events = [
        event("a", 1),
        event("f", 2, { kind: "tool-failure" }),
        event("z", 3, { kind: "stop" }),
      ];
      await store.recordEvents([...events, event("e", 4, { kind: "session-end" })]);
      await store.recordEvents(events);
      const leaseAt = (now: number): Promise<Job[]> =>
        store.leaseJobs({
          kinds: ["observe", "summarize"],
          worker: "w",
          now,
          leaseMs: 100_000,
          maxAttempts: 8,
          limit: 10,
        });
      // The end of a turn is worked on first: what the calls meant is seen from there.
      expect(await leaseAt(START + 5_999)).toEqual([]);
      const jobs = [...(await leaseAt(START + 6_000)), ...(await leaseAt(START + 62_000))];
      expect(jobs.map(({ kind, key, session, project }) => [kind, key, session, project])).toEqual([
        ["summarize", "ev_z", "s1", "app-00000001"],
        ["observe", "ev_a", "s1", "app-00000001"],
        ["observe", "ev_f", "s1", "app-00000001"],
      ]);
    }),
  );
}

function oddValues(factory: StoreFactory): void {
  it(
    "gives back every value as it was, a zero character in a prompt as a mark",
    factory(async ({ store }) => {
      const odd = prompt("odd", 1, "zero \u0000 inside, 项目, 𠮷, 'quoted'; DROP TABLE events; --", {
        agent: "agent-7",
        cwd: "/home/dev/my app",
        transcript: "/home/dev/t.jsonl",
        kind: "prompt",
      });
      const strange = event("strange", 2, {
        kind: "a-kind-of-tomorrow",
        payload: { deep: [{ n: null, e: "", big: 1e300, text: "\ud800 alone" }] },
      });
      await store.recordEvents([odd, strange]);
      expect(await store.eventsById(["ev_odd", "ev_strange"])).toEqual([
        { ...odd, promptNumber: 1 },
        { ...strange, promptNumber: 1 },
      ]);
      const [kept] = (await store.prompts()).items;
      expect(kept?.promptText).toBe(String(odd.payload.prompt).replace("\u0000", "\ufffd"));
    }),
  );

  it(
    "keeps an event whose time cannot be read, at the time it came",
    factory(async ({ store, clock }) => {
      await store.recordEvents([
        event("a", 0, { at: "yesterday" }),
        event("b", 0, { at: "2026-11-16T10:00:00+01:00" }),
      ]);
      const [a, b] = await store.eventsById(["ev_a", "ev_b"]);
      expect(a?.at).toBe(new Date(clock.time).toISOString());
      expect(b?.at).toBe(new Date(START).toISOString());
    }),
  );

  it(
    "takes nothing for nothing",
    factory(async ({ store }) => {
      expect(await store.recordEvents([])).toEqual({ added: [], known: [] });
      expect((await store.stats()).counts.sessions).toBe(0);
    }),
  );
}

function sessions(factory: StoreFactory): void {
  it(
    "is of the agent, the model and the machine that its events name first, and is found by its agent",
    factory(async ({ store }) => {
      const from = (client: string, more: object = {}) => ({ prompt: "hi", agent_client: client, ...more });
      await store.recordEvents([
        event("t", 1, { session: "s1", payload: { agent_client: "other", model: "none" } }),
        prompt("p1", 2, "hi", { session: "s1", payload: from("codex") }),
        prompt("p2", 3, "hi", {
          session: "s1",
          payload: from("codex", { model: "m1", agent_machine: "box" }),
        }),
        prompt("p3", 4, "hi", { session: "s1", payload: from("codex", { model: "m2" }) }),
        prompt("q1", 5, "hi", { session: "s2" }),
      ]);
      expect(await store.session("s1")).toMatchObject({ client: "codex", model: "m1", machine: "box" });
      expect(await store.session("s2")).toMatchObject({ client: "claude-code" });
      const found = async (client: string) =>
        (await store.sessions({ client })).items.map(({ claudeSessionId }) => claudeSessionId);
      expect(await Promise.all(["codex", "claude-code", "other"].map(found))).toEqual([["s1"], ["s2"], []]);
      const entries = await store.entries({ client: "codex" }, 10);
      expect(entries.map(({ session }) => session)).toEqual(["s1", "s1", "s1"]);
    }),
  );

  it(
    "spans its events, and keeps the ids of agent and model apart",
    factory(async ({ store }) => {
      await importSession(store, "s1", "model-session");
      await store.recordEvents([event("b", 20), event("a", 10, { project: "other-00000002" })]);
      expect(await store.session("s1")).toMatchObject({
        claudeSessionId: "s1",
        sdkSessionId: "model-session",
        project: "app-00000001",
        status: "active",
        createdAt: isoAfter(10),
        createdAtEpoch: START + 10_000,
        lastActivityAt: isoAfter(20),
        lastActivityEpoch: START + 20_000,
      });
      expect(await store.session("model-session")).toBeUndefined();
    }),
  );

  it(
    "is completed by its end and opened again by a resume, not by a late tool",
    factory(async ({ store }) => {
      await store.recordEvents([
        event("s", 0, { kind: "session-start" }),
        event("e", 10, { kind: "session-end" }),
      ]);
      expect(await store.session("s1")).toMatchObject({ status: "completed", completedAt: isoAfter(10) });
      await store.recordEvents([event("late", 11)]);
      expect(await store.session("s1")).toMatchObject({ status: "completed", lastActivityAt: isoAfter(11) });
      await store.recordEvents([event("r", 20, { kind: "session-start" })]);
      const resumed = await store.session("s1");
      expect(resumed?.status).toBe("active");
      expect(resumed).not.toHaveProperty("completedAt");
    }),
  );
}

const kinds = ["session-start", "prompt", "tool", "stop", "session-end"];

function sessionOrder(factory: StoreFactory): void {
  it(
    "is the same whatever order, batches and repetitions its events come in, one row per id",
    factory(async ({ another }) => {
      const story = fc.array(
        fc.record({ key: fc.nat({ max: 12 }), kind: fc.constantFrom(...kinds), second: fc.nat({ max: 30 }) }),
        { minLength: 1, maxLength: 25 },
      );
      await fc.assert(
        fc.asyncProperty(
          story,
          fc.infiniteStream(fc.nat({ max: 99 })),
          fc.nat({ max: 6 }),
          async (reported, dice, size) => {
            // One id is one event: what is reported later under the same id is the same event.
            const byId = new Map(
              reported.map(({ key, kind, second }) => [
                key,
                event(String(key), second, { kind, payload: { prompt: "p" } }),
              ]),
            );
            const repeated = reported.flatMap(({ key }) => byId.get(key) ?? []);
            const shuffled = repeated
              .map((one) => ({ one, at: dice.next().value }))
              .sort((a, b) => a.at - b.at);
            const [plain, mixed] = [await another(), await another()];
            await plain.recordEvents([...byId.values()]);
            for (let start = 0; start < shuffled.length; start += size + 1)
              await mixed.recordEvents(shuffled.slice(start, start + size + 1).map(({ one }) => one));
            const rows = await mixed.events({ limit: 500 });
            expect(rows.items.map(({ id }) => id).sort()).toEqual(
              [...byId.values()].map(({ id }) => id).sort(),
            );
            expect(await mixed.session("s1")).toEqual(await plain.session("s1"));
            expect((await mixed.stats()).counts).toEqual((await plain.stats()).counts);
            await Promise.all([plain.close(), mixed.close()]);
          },
        ),
        { numRuns: 25 },
      );
    }),
  );
}
