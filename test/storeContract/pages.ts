// The contract of lists: filters, order, and cursors that survive new rows.
import { describe, expect, it } from "vitest";
import { event, everyPage, isoAfter, prompt, type StoreFactory } from "./setting.ts";

export function pagesContract(factory: StoreFactory): void {
  describe("a list", () => {
    paging(factory);
    filtering(factory);
    outlines(factory);
  });
}

const ids = (items: readonly { readonly id: string }[]): string[] => items.map(({ id }) => id);

function paging(factory: StoreFactory): void {
  it(
    "comes in pages, newest first or oldest first, also where times are the same",
    factory(async ({ store }) => {
      await store.recordEvents(
        Array.from({ length: 11 }, (_, index) => event(`${index}`, Math.floor(index / 4))),
      );
      const oldest = await everyPage(3, (page) => store.events({ ...page, order: "oldest" }));
      expect(ids(oldest)).toEqual(Array.from({ length: 11 }, (_, index) => `ev_${index}`));
      expect(ids(await everyPage(4, (page) => store.events(page)))).toEqual(ids(oldest).reverse());
      expect((await store.events({ limit: 11 })).next).toBeUndefined();
    }),
  );

  it(
    "does not shift when rows are added between two pages",
    factory(async ({ store }) => {
      await store.recordEvents(Array.from({ length: 6 }, (_, index) => event(`${index}`, index)));
      const first = await store.events({ limit: 3 });
      await store.recordEvents([event("new", 100)]);
      const second = await store.events({
        limit: 3,
        ...(first.next === undefined ? {} : { cursor: first.next }),
      });
      expect([...ids(first.items), ...ids(second.items)]).toEqual([5, 4, 3, 2, 1, 0].map((id) => `ev_${id}`));
    }),
  );

  it(
    "refuses a cursor or a size that it did not issue",
    factory(async ({ store }) => {
      await expect(store.events({ cursor: "1 OR 1" })).rejects.toMatchObject({ code: "usage" });
      for (const limit of [0, 501, 1.5, -1, Number.NaN])
        await expect(store.prompts({ limit })).rejects.toMatchObject({ code: "usage" });
    }),
  );
}

function filtering(factory: StoreFactory): void {
  it(
    "can be narrowed by session, project, kind and time, all at once",
    factory(async ({ store }) => {
      await store.recordEvents([
        event("a", 1),
        event("b", 2, { session: "s2" }),
        event("c", 3, { session: "s2", project: "other-00000002" }),
        event("d", 4, { session: "s2", kind: "stop" }),
      ]);
      const found = async (request: Parameters<typeof store.events>[0]): Promise<string[]> =>
        ids((await store.events({ ...request, order: "oldest" })).items);
      expect(await found({ session: "s2" })).toEqual(["ev_b", "ev_c", "ev_d"]);
      expect(await found({ project: "other-00000002" })).toEqual(["ev_c"]);
      expect(await found({ kind: "stop" })).toEqual(["ev_d"]);
      expect(await found({ from: isoAfter(2), to: isoAfter(4) })).toEqual(["ev_b", "ev_c"]);
      expect(await found({ session: "s2", project: "app-00000001", from: isoAfter(3) })).toEqual(["ev_d"]);
      await expect(store.events({ from: "soon" })).rejects.toMatchObject({ code: "usage" });
    }),
  );

  it(
    "of folders has the newest of each project, whatever else happened",
    factory(async ({ store }) => {
      expect(await store.workFolders()).toEqual([]);
      await store.recordEvents([
        event("a", 1, { cwd: "/work/old" }),
        event("b", 2, { cwd: "/work/new" }),
        event("c", 3),
        event("d", 4, { session: "s2", project: "other-00000002", cwd: "/other" }),
        event("e", 5, { session: "s3", project: "nowhere-00000003" }),
      ]);
      expect(await store.workFolders()).toEqual([
        { project: "app-00000001", folder: "/work/new" },
        { project: "other-00000002", folder: "/other" },
      ]);
    }),
  );

  it(
    "of sessions shows the last active first, and can be narrowed by status",
    factory(async ({ store }) => {
      await store.recordEvents([
        prompt("a", 1, "x"),
        prompt("b", 2, "x", { session: "s2" }),
        event("c", 3, { kind: "session-end" }),
      ]);
      const names = async (status?: "active" | "completed"): Promise<string[]> =>
        (await store.sessions(status === undefined ? {} : { status })).items.map(
          (row) => row.claudeSessionId,
        );
      expect(await names()).toEqual(["s1", "s2"]);
      expect(await names("active")).toEqual(["s2"]);
      expect(await names("completed")).toEqual(["s1"]);
    }),
  );
}

function outlines(factory: StoreFactory): void {
  it(
    "of outlines says the same of events but for what they hold, and how much that is",
    factory(async ({ store }) => {
      const large = event("b", 2, { agent: "sub", cwd: "/app", payload: { text: "é".repeat(50_000) } });
      await store.recordEvents([event("a", 1), large, event("c", 3, { session: "s2" })]);
      const first = await store.eventOutlines({ session: "s1", order: "oldest", limit: 1 });
      expect(ids(first.items)).toEqual(["ev_a"]);
      const cursor = first.next ?? "";
      const { items } = await store.eventOutlines({ session: "s1", order: "oldest", cursor });
      const { id, kind, at, session, project, agent, cwd, lane } = large;
      expect(items).toEqual([
        { id, kind, at, session, project, agent, cwd, lane, promptNumber: 0, bytes: expect.any(Number) },
      ]);
      expect(items[0]?.bytes).toBeGreaterThan(100_000);
      expect(ids((await store.eventOutlines({ kind: "prompt" })).items)).toEqual([]);
    }),
  );
}
