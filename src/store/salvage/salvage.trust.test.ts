// Rows out of a damaged file into a new store: under their ids, once, from any page on, and never what was forgotten.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { HeldState, RedactedEvent, Store } from "../index.ts";
import { openStore, prepareStore, readHeld, type SalvagePosition, salvage, salvageStart } from "../index.ts";
import { loadDriver, releaseClosed } from "../sqlite/driver.ts";

let folder = "";
const old = (): string => path.join(folder, "old.db");
const fresh = (): string => path.join(folder, "new.db");
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), "throughline-salvage-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const event = (session: string, at: number, more: Partial<RedactedEvent> = {}): RedactedEvent => ({
  ...{ v: 1, id: `ev_${session}_${at}`, kind: at % 5 === 0 ? "prompt" : "tool", session, lane: "hooks" },
  ...{ at: new Date(Date.UTC(2026, 3, 1, 8, at)).toISOString(), writer: "test", project: "app-00000001" },
  payload: { prompt: `prompt ${at}`, text: "long ".repeat(at % 7 === 0 ? 2_000 : 50) },
  ...more,
});

async function withStore<T>(file: string, work: (store: Store) => Promise<T>): Promise<T> {
  const store = await openStore({ file, work: () => undefined });
  const result = await work(store);
  await store.close();
  await releaseClosed();
  return result;
}

const fill = (store: Store, sessions: readonly string[]): Promise<unknown> =>
  Promise.all(
    sessions.map(async (session) => {
      await store.recordEvents(Array.from({ length: 60 }, (_, at) => event(session, at)));
      const about = { session, project: "app-00000001", promptNumber: 1, at: "2026-04-01T09:00:00.000Z" };
      await store.addObservations([
        {
          ...about,
          uid: `ob_${session}`,
          type: "bugfix",
          title: `found in ${session}`,
          filesRead: ["src/a.ts"],
        },
      ]);
      await store.addMessages([{ ...about, uuid: `m_${session}`, role: "user", text: "said something" }]);
    }),
  );

async function bringOver(
  held: HeldState | undefined,
  more: Partial<Parameters<typeof salvage>[0]> = {},
): Promise<SalvagePosition> {
  return salvage({
    ...{
      database: fresh(),
      damaged: old(),
      held,
      from: salvageStart,
      now: Date.now,
      onProgress: () => undefined,
    },
    ...more,
  });
}

describe("salvage", () => {
  it("brings every row over under its id, findable, and adds nothing to the feed", async () => {
    const before = await withStore(old(), async (store) => {
      await fill(store, ["a", "b"]);
      return { counts: (await store.stats()).counts, items: (await store.observations()).items };
    });
    await prepareStore(fresh(), readHeld(old()));
    await bringOver(readHeld(old()));
    await withStore(fresh(), async (store) => {
      expect((await store.stats()).counts).toEqual(before.counts);
      expect((await store.observations()).items).toEqual(before.items);
      expect(await store.feedSince(0, 10)).toEqual([]);
      expect(await store.integrityCheck()).toEqual({ ok: true, problems: [] });
      const { added } = await store.recordEvents([event("c", 1)]);
      expect(added).toHaveLength(1);
    });
    expect(readHeld(fresh())?.identity).toBe(readHeld(old())?.identity);
  });

  it("goes on at any page after it was ended, and counts each row once", async () => {
    await withStore(old(), (store) => fill(store, ["a", "b", "c"]));
    const held = readHeld(old());
    const positions: SalvagePosition[] = [];
    await prepareStore(fresh(), held);
    const whole = await bringOver(held, { onProgress: (position) => positions.push(position) });
    expect(positions.length).toBeGreaterThan(3);
    for (const from of [positions[1], positions[positions.length - 2]])
      expect((await bringOver(held, { from: from ?? salvageStart })).salvaged).toEqual(whole.salvaged);
    expect(whole.salvaged).toEqual(held?.counts);
  });

  it("does not bring back what was forgotten, neither from the file nor from a backup", async () => {
    const backup = path.join(folder, "backup.db");
    await withStore(old(), async (store) => {
      await fill(store, ["a", "b"]);
      await store.backup(backup);
      await store.forget({ session: "a" });
    });
    await prepareStore(fresh(), readHeld(old()));
    const held = readHeld(old());
    // As if the file had lost everything: all comes from the backup.
    await bringOver(held, { damaged: path.join(folder, "nothing"), backups: [backup] });
    await withStore(fresh(), async (store) => {
      expect(await store.session("a")).toBeUndefined();
      expect((await store.events({ session: "b", limit: 100 })).items).toHaveLength(60);
    });
  });

  it("numbers the prompts of a session that went on meanwhile behind those that come back", async () => {
    await withStore(old(), (store) => fill(store, ["a"]));
    const held = readHeld(old());
    await prepareStore(fresh(), held);
    await withStore(fresh(), (store) => store.recordEvents([event("a", 100)]));
    await bringOver(held);
    await bringOver(held);
    await withStore(fresh(), async (store) => {
      const prompts = (await store.prompts({ session: "a", order: "oldest", limit: 50 })).items;
      expect(prompts.map(({ promptNumber }) => promptNumber)).toEqual(prompts.map((_, index) => index + 1));
      expect(await store.session("a")).toMatchObject({ promptCounter: 13 });
      expect(await store.integrityCheck()).toEqual({ ok: true, problems: [] });
    });
  });

  it("reads a row whose place on its page has a flipped bit, as SQLite does", async () => {
    await withStore(old(), (store) => fill(store, ["a"]));
    const held = readHeld(old());
    const bytes = readFileSync(old());
    const [pageSize, leaf, firstCell] = [4096, 13, 8];
    for (let page = pageSize; page < bytes.length; page += pageSize)
      if (bytes[page] === leaf) bytes[page + firstCell] = (bytes[page + firstCell] ?? 0) ^ 0x40;
    writeFileSync(old(), bytes);
    await prepareStore(fresh(), held);
    expect((await bringOver(held)).salvaged).toEqual(held?.counts);
  });

  it("gives a row whose time cannot be read the latest time of its session", async () => {
    await withStore(old(), (store) => fill(store, ["a"]));
    const held = readHeld(old());
    const database = (await loadDriver())(old(), { readOnly: false });
    database.exec(
      "UPDATE session_summaries SET created_at_epoch = 9e18; UPDATE messages SET created_at_epoch = 9e18",
    );
    database.close();
    await releaseClosed();
    await prepareStore(fresh(), held);
    expect((await bringOver(held)).salvaged).toEqual(held?.counts);
    await withStore(fresh(), async (store) => {
      const [message] = (await store.messages({ session: "a", limit: 1 })).items;
      expect(message?.at).toBe((await store.session("a"))?.lastActivityAt);
    });
  });
});
