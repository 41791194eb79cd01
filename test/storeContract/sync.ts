// The contract of synchronisation: two stores that exchange their changes hold the same in the end, and nothing comes back.
import { describe, expect, it } from "vitest";
import type { Store } from "../../src/store/store.ts";
import type { ChangeFrom } from "../../src/store/sync.ts";
import { addJobs, event, observation, prompt, type StoreFactory } from "./setting.ts";

/** All that came about in a store, read in small pages. */
async function sent(store: Store, since = 0): Promise<{ changes: ChangeFrom[]; cursor: number }> {
  const all: ChangeFrom[] = [];
  let cursor = since;
  for (let more = true; more; ) {
    const page = await store.changes({ cursor, limit: 3, except: "any" });
    all.push(...page.changes);
    ({ cursor, more } = page);
  }
  return { changes: all, cursor };
}

const send = async (from: Store, to: Store, machine = "laptop") =>
  to.receive({ ...(await sent(from)), machine });

async function fill(store: Store): Promise<void> {
  await store.recordEvents([
    prompt("p1", 1, "fix the heron"),
    event("t1", 2),
    event("e1", 9, { kind: "session-end" }),
  ]);
  await store.addObservations([observation("ob1", 3, { title: "the heron was fixed" })]);
  await store.addSummaries([
    {
      uid: "su1",
      session: "s1",
      project: "app-00000001",
      promptNumber: 1,
      at: "2026-11-16T09:00:04Z",
      learned: "herons",
    },
  ]);
}

/** What both must agree on: numbers of a database are its own. */
async function told(store: Store): Promise<unknown> {
  const bare = ({ id: _id, ...row }: { readonly id: number }) => row;
  const { items: sessions } = await store.sessions();
  return {
    sessions: sessions.map(bare),
    prompts: (await store.prompts()).items.map(bare),
    observations: (await store.observations()).items.map(bare),
    summaries: (await store.summaries()).items.map(bare),
    events: (await store.events()).items,
  };
}

export function syncContract(factory: StoreFactory): void {
  describe("synchronisation", () => {
    it(
      "gives another store the same rows, once, however often they are sent, and queues no work for them",
      factory(async ({ store, another, clock }) => {
        const other = await another();
        await fill(store);
        expect(await send(store, other)).toEqual({ added: 5, changed: 0, removed: 0 });
        expect(await send(store, other)).toEqual({ added: 0, changed: 0, removed: 0 });
        expect(await told(other)).toEqual(await told(store));
        expect(await other.queueStats(clock.time)).toMatchObject({ ready: 0, delayed: 0 });
        const found = await other.passages({ terms: ["heron"], mode: "any", limit: 5 });
        expect(found.length).toBeGreaterThan(0);
      }),
    );

    it(
      "does not send back what was received, and names the machine to others",
      factory(async ({ store, another }) => {
        const other = await another();
        await fill(store);
        await send(store, other);
        expect((await sent(other)).changes).toEqual([]);
        const of = (machine: string) => other.changes({ cursor: 0, limit: 50, except: { machine } });
        expect((await of("laptop")).changes).toEqual([]);
        const passed = (await of("desktop")).changes;
        expect(passed).toHaveLength(5);
        expect(new Set(passed.map(({ origin }) => origin?.machine))).toEqual(new Set(["laptop"]));
      }),
    );

    it(
      "replaces a text that was changed, and sends a change of a received row back",
      factory(async ({ store, another }) => {
        const other = await another();
        await fill(store);
        await send(store, other);
        const text = { uid: "ob1", type: "bugfix", title: "the egret was fixed" } as const;
        const before = (await sent(other)).cursor;
        await other.completeJobs({ ids: [], worker: "w", revisions: { observations: [text] } });
        const { changes } = await sent(other, before);
        expect(changes).toMatchObject([{ kind: "observation", row: { title: "the egret was fixed" } }]);
        expect(await store.receive({ changes, machine: "desktop" })).toMatchObject({ changed: 1 });
        expect((await store.observations()).items).toMatchObject([{ title: "the egret was fixed" }]);
        expect(await store.passages({ terms: ["egret"], mode: "any", limit: 5 })).toHaveLength(1);
      }),
    );

    it(
      "takes deleted and forgotten rows away everywhere, and lets none come back",
      factory(async ({ store, another, clock }) => {
        const other = await another();
        await fill(store);
        await addJobs(store, []);
        const old = await sent(store);
        await other.receive({ ...old, machine: "laptop" });
        const dropped = [{ uid: "ob1", reason: "not so" }];
        await store.completeJobs({ ids: [], worker: "w", revisions: { dropped } });
        await send(store, other);
        expect((await other.observations()).items).toEqual([]);
        await other.receive({ ...old, machine: "laptop" });
        await store.receive({ ...old, machine: "desktop" });
        expect((await store.observations()).items).toEqual([]);

        clock.time += 60_000;
        await store.forget({ session: "s1" });
        await send(store, other);
        for (const one of [store, other]) {
          await one.receive({ ...old, machine: "backup" });
          expect((await one.stats()).counts).toMatchObject({
            events: 0,
            prompts: 0,
            summaries: 0,
            sessions: 0,
          });
        }
        expect((await sent(other)).changes).toEqual([]);
      }),
    );

    it(
      "knows which projects are one repository",
      factory(async ({ store }) => {
        await store.keepProjectIdentities([{ project: "app-1", identity: "x" }]);
        await store.keepProjectIdentities([
          { project: "app-1", identity: "y" },
          { project: "app-2", identity: "y" },
        ]);
        expect(await store.projectIdentities(["app-2"])).toEqual([{ project: "app-2", identity: "y" }]);
        expect(await store.projectIdentities()).toHaveLength(2);
      }),
    );
  });
}
