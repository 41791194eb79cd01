// The SQLite engine keeps the contract, and what only a file can promise: privacy, migrations, restoring.
import {
  copyFileSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { storeContract } from "../../../test/storeContract/index.ts";
import {
  event,
  observation,
  prompt,
  type Setting,
  START,
  type StoreFactory,
} from "../../../test/storeContract/setting.ts";
import { workFor } from "../jobQueue.ts";
import type { Store } from "../store.ts";
import { automaticBackups } from "./backup/autoBackup.ts";
import { restoreStore } from "./backup/restore.ts";
import { connect } from "./connection.ts";
import { openStore } from "./engine.ts";
import { recordEvents } from "./events/record.ts";
import { dueOfKind } from "./jobQueue.ts";
import { migrations } from "./schema/migrate.ts";

const sqlite: StoreFactory = (use) => async () => {
  const folder = mkdtempSync(path.join(tmpdir(), "throughline-store-"));
  const clock = { time: START };
  const open = (name: string): Promise<Store> =>
    openStore({ file: path.join(folder, name), clock: { now: () => clock.time } });
  let others = 0;
  let current = await open("first.db");
  const setting: Setting = {
    store: current,
    clock,
    folder,
    reopen: async () => {
      await current.close();
      current = await open("first.db");
      return current;
    },
    another: () => open(`other-${others++}.db`),
  };
  try {
    await use(setting);
  } finally {
    await current.close();
    rmSync(folder, { recursive: true, force: true });
  }
};

storeContract("SQLite", sqlite);

describe("forgetting in SQLite", () => {
  it(
    "leaves no old bytes in the file, also while an export was left half-way, and says how much of it is free",
    sqlite(async ({ store }) => {
      const text = "x".repeat(20_000);
      await store.recordEvents(
        Array.from({ length: 50 }, (_, index) => event(`${index}`, index, { payload: { text } })),
      );
      let lines = 0;
      for await (const _line of store.exportLines()) if (++lines > 5) break;
      expect(await store.forget({ session: "s1" })).toMatchObject({ erased: true });
      expect((await store.stats()).freeBytes).toBeGreaterThan(500_000);
    }),
  );
});

let folder = "";
let file = "";
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), "throughline-sqlite-"));
  file = path.join(folder, "data", "throughline.db");
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const posix = it.skipIf(process.platform === "win32");
const modeOf = (name: string): number => statSync(name).mode & 0o777;
const later = { name: "2099-01-more", sql: "CREATE TABLE more (x TEXT) STRICT" };

async function withStore<T>(
  use: (store: Store) => Promise<T>,
  options: Partial<Parameters<typeof openStore>[0]> = {},
) {
  const store = await openStore({ file, ...options });
  try {
    return await use(store);
  } finally {
    await store.close();
  }
}

describe("the files", () => {
  posix("are private from their creation, journals and copies too", async () => {
    const old = process.umask(0);
    try {
      await withStore(async (store) => {
        await store.recordEvents([event("a", 1)]);
        expect(modeOf(path.dirname(file))).toBe(0o700);
        for (const end of ["", "-wal", "-shm"]) expect(modeOf(file + end)).toBe(0o600);
        await store.backup(path.join(folder, "copy.db"));
        expect(modeOf(path.join(folder, "copy.db"))).toBe(0o600);
      });
    } finally {
      process.umask(old);
    }
  });

  it("make every commit final and overwrite what is freed", async () => {
    const db = await connect(file);
    const pragma = (name: string): unknown => Object.values(db.prepare(`PRAGMA ${name}`).get() ?? {})[0];
    expect(pragma("journal_mode")).toBe("wal");
    expect(pragma("synchronous")).toBe(2);
    expect(pragma("secure_delete")).toBe(1);
    expect(pragma("foreign_keys")).toBe(1);
    db.close();
  });

  it("hold no byte of what was forgotten, in the database, its journal or its index", async () => {
    await withStore(async (store) => {
      const word = "xylophonic";
      const text = `${word} `.repeat(2_000);
      const mine = { session: `s-${word}`, project: `p-${word}` };
      await store.recordEvents([prompt("keep", 1, "plain words stay"), prompt("p", 2, text, mine)]);
      await store.addObservations([
        observation("ob", 3, { ...mine, title: word, facts: [word], narrative: text }),
        observation("kept", 4, { title: "stays" }),
      ]);
      await store.addMessages([{ ...mine, uuid: word, role: "user", text, at: "2026-11-16T09:00:00Z" }]);
      const found = (): boolean =>
        readdirSync(path.dirname(file)).some((name) =>
          readFileSync(path.join(path.dirname(file), name)).includes(word),
        );
      expect(found()).toBe(true);
      expect(await store.forget({ session: mine.session })).toMatchObject({ erased: true });
      expect(found()).toBe(false);
      expect((await store.prompts()).items.map(({ promptText }) => promptText)).toEqual(["plain words stay"]);
    });
  });
});

describe("the full-text indexes", () => {
  it("follow their tables through every change", async () => {
    await withStore((store) =>
      store.addObservations([observation("a", 1, { title: "caching layer", facts: ["uses LRU"] })]),
    );
    const db = await connect(file);
    const hits = (word: string): number =>
      db.prepare("SELECT rowid FROM observations_fts WHERE observations_fts MATCH ?").all(word).length;
    expect([hits("caching"), hits("lru")]).toEqual([1, 1]);
    db.exec("UPDATE observations SET title = 'queue layer'");
    expect([hits("caching"), hits("queue")]).toEqual([0, 1]);
    db.exec("DELETE FROM feed; DELETE FROM observations");
    expect(hits("queue")).toBe(0);
    db.close();
  });
});

describe("the queue", () => {
  it("finds what is due by its index, however much waits", async () => {
    await withStore(() => Promise.resolve());
    const db = await connect(file);
    const plan = db.prepare(`EXPLAIN QUERY PLAN ${dueOfKind}`).all("observe", 0, 1);
    db.close();
    expect(plan.map(({ detail }) => detail)).toEqual([
      "SEARCH queue USING COVERING INDEX queue_by_time (kind=? AND state=? AND not_before<?)",
    ]);
  });
});

describe("migrations", () => {
  it("are applied once, by name, after a copy of what was there", async () => {
    await withStore((store) => store.recordEvents([event("a", 1)]));
    await withStore((store) => store.recordEvents([event("b", 2)]));
    expect(automaticBackups(file)).toEqual([]);
    const newer = { migrations: [...migrations, later] };
    for (const id of ["c", "d"]) await withStore((store) => store.recordEvents([event(id, 3)]), newer);
    const copies = automaticBackups(file);
    expect(copies).toEqual([expect.objectContaining({ reason: "migration" })]);
    file = copies[0]?.file ?? "";
    await withStore(async (store) => expect((await store.stats()).counts.events).toBe(2), {
      mustExist: true,
    });
  });

  it("leave nothing behind when one of them fails", async () => {
    await withStore((store) => store.recordEvents([event("a", 1)]));
    const broken = {
      name: "2099-02-broken",
      sql: "CREATE TABLE half (x TEXT) STRICT; CREATE TABLE half (y TEXT)",
    };
    await expect(openStore({ file, migrations: [...migrations, broken] })).rejects.toThrow("half");
    const db = await connect(file);
    expect(db.prepare("SELECT name FROM sqlite_schema WHERE name = 'half'").all()).toEqual([]);
    db.close();
    await withStore(async (store) => expect((await store.stats()).counts.events).toBe(1));
  });

  it("of a newer version are refused, and the file stays as it is", async () => {
    await withStore((store) => store.recordEvents([event("a", 1)]), { migrations: [...migrations, later] });
    const before = readFileSync(file);
    await expect(openStore({ file })).rejects.toMatchObject({
      code: "database-newer",
      message: expect.stringContaining("2099-01-more"),
    });
    expect(readFileSync(file).equals(before)).toBe(true);
  });

  it("run once when several open a new database together", async () => {
    const stores = await Promise.all(Array.from({ length: 4 }, () => openStore({ file })));
    await Promise.all(stores.map((store, index) => store.recordEvents([event(`${index}`, index)])));
    expect((await stores[0]?.stats())?.counts.events).toBe(4);
    for (const store of stores) await store.close();
  });
});

describe("a file that is not ours", () => {
  it("is refused, whether it is no database or another program's", async () => {
    await expect(openStore({ file, mustExist: true })).rejects.toMatchObject({ code: "not-found" });
    expect(existsSync(file)).toBe(false);
    file = path.join(folder, "other.db");
    writeFileSync(file, "This is a text, and quite a long one. ".repeat(50));
    await expect(openStore({ file })).rejects.toMatchObject({ code: "database-damaged" });
    expect(readFileSync(file, "utf8")).toContain("This is a text");
    rmSync(file);
    const foreign = await connect(file);
    foreign.exec("CREATE TABLE notes (x TEXT)");
    foreign.close();
    await expect(openStore({ file })).rejects.toMatchObject({ code: "database-unusable" });
  });
});

describe("a full disk", () => {
  it("stops a batch as a whole, says so, and lets it through once there is room", async () => {
    await withStore((store) => store.recordEvents([event("before", 0)]));
    const db = await connect(file);
    const text = "x".repeat(100_000);
    const batch = Array.from({ length: 20 }, (_, index) => event(`${index}`, index, { payload: { text } }));
    const record = () => recordEvents(db, batch, { now: START, work: workFor });
    const pages = Number(db.prepare("PRAGMA page_count").get()?.page_count);
    db.exec(`PRAGMA max_page_count = ${pages + 50}`);
    expect(record).toThrow(expect.objectContaining({ code: "disk-full" }));
    expect(db.prepare("SELECT id FROM events").all()).toEqual([{ id: "ev_before" }]);
    db.exec("PRAGMA max_page_count = 1000000");
    expect(record().added).toHaveLength(20);
    db.close();
  });
});

describe("a damaged database", () => {
  it("is reported by the check, or refused, never passed over", async () => {
    await withStore(async (store) => {
      await store.recordEvents(Array.from({ length: 300 }, (_, index) => event(`${index}`, index)));
      await store.vacuum();
    });
    const bytes = readFileSync(file);
    bytes.fill(0x5a, Math.floor(bytes.length / 2), Math.floor(bytes.length / 2) + 8_192);
    writeFileSync(file, bytes);
    const verdict = await withStore((store) => store.integrityCheck()).then(
      ({ ok }) => ok,
      (error: unknown) => error,
    );
    expect(verdict).not.toBe(true);
  });
});

describe("restoreStore", () => {
  const backup = (): string => path.join(folder, "backup.db");
  const restore = () => restoreStore({ file, from: backup(), now: START });

  it("puts a backup in place and keeps what was there", async () => {
    await withStore(async (store) => {
      await store.recordEvents([event("a", 1)]);
      await store.backup(backup());
      await store.recordEvents([event("b", 2)]);
    });
    const { events, previous } = await restore();
    expect(events).toBe(1);
    await withStore(async (store) => expect((await store.stats()).counts.events).toBe(1));
    file = previous ?? "";
    await withStore(async (store) => expect((await store.stats()).counts.events).toBe(2), {
      mustExist: true,
    });
    expect(readdirSync(path.dirname(file)).filter((name) => name.includes("restoring"))).toEqual([]);
  });

  it("works where there is no database, and where there is only a damaged one", async () => {
    await withStore(async (store) => {
      await store.recordEvents([event("a", 1)]);
      await store.backup(backup());
    });
    writeFileSync(file, "not a database at all, not in the least. ".repeat(100));
    expect((await restore()).previous).toMatch(/\.replaced-/);
    rmSync(file);
    expect(await restore()).toEqual({ events: 1 });
    await withStore(async (store) => expect((await store.stats()).counts.events).toBe(1));
  });

  it("refuses while a process has the database open", async () => {
    await withStore(async (store) => {
      await store.recordEvents([event("a", 1)]);
      await store.backup(backup());
      await expect(restore()).rejects.toMatchObject({ code: "database-busy" });
      expect((await store.recordEvents([event("b", 2)])).added).toEqual(["ev_b"]);
    });
    await withStore(async (store) => expect((await store.stats()).counts.events).toBe(2));
  });

  it("refuses a backup that is missing, newer, foreign or damaged", async () => {
    await withStore((store) => store.recordEvents([event("a", 1)]));
    await expect(restore()).rejects.toMatchObject({ code: "not-found" });
    writeFileSync(backup(), "text ".repeat(1_000));
    await expect(restore()).rejects.toMatchObject({ code: "database-damaged" });
    const own = file;
    file = path.join(folder, "newer.db");
    await withStore((store) => store.backup(path.join(folder, "n.db")), {
      migrations: [...migrations, later],
    });
    file = own;
    copyFileSync(path.join(folder, "n.db"), backup());
    await expect(restore()).rejects.toMatchObject({ code: "database-newer" });
    await withStore(async (store) => expect((await store.stats()).counts.events).toBe(1));
  });
});
