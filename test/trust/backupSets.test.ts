// A backup set covers everything as of one moment; a set that was changed, or names what it must not, is refused.
import {
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { checkEverything, undoRestore } from "../../src/backup/index.ts";
import { databaseFile, upkeepLock, vaultFolder } from "../../src/home/index.ts";
import { withLock } from "../../src/lib/index.ts";
import { makeDailyBackup, openStore } from "../../src/store/index.ts";
import { releaseClosed } from "../../src/store/sqlite/driver.ts";
import { openVault } from "../../src/vault/index.ts";
import { addTo, backUp, homeIn, looksOf, memoryIn, NOW, restore, SET } from "./backupHome.ts";

let root = "";
beforeEach(async () => {
  root = mkdtempSync(path.join(tmpdir(), "throughline-sets-"));
  await addTo(root, "one");
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

const inSet = (...names: string[]): string => path.join(root, SET, ...names);
const blobsOf = (folder: string): string[] =>
  readdirSync(path.join(folder, "blobs"), { recursive: true, encoding: "utf8" })
    .map((name) => path.join(folder, "blobs", name))
    .filter((name) => statSync(name).isFile());

interface Listed {
  files: { path: string; bytes: number; sha256: string }[];
  memories: { name: string; work: string; folder: string }[];
}
function changeManifest(change: (manifest: Listed) => void): void {
  const manifest = JSON.parse(readFileSync(inSet("manifest.json"), "utf8")) as Listed;
  change(manifest);
  writeFileSync(inSet("manifest.json"), JSON.stringify(manifest));
}

describe("a backup set", () => {
  it("brings everything back as it was, and what was there can be put back", async () => {
    const saved = await looksOf(root);
    await backUp(root);
    await addTo(root, "two");
    const present = await looksOf(root);
    const { events, replaced, left } = await restore(root);
    expect({ events, left, count: replaced.length }).toEqual({ events: 1, left: [], count: 2 });
    expect(await looksOf(root)).toEqual(saved);
    const home = homeIn(root);
    expect(readFileSync(path.join(home.data, "install-receipt.json"), "utf8")).toContain("two");
    expect(readFileSync(path.join(home.config, "config.json"), "utf8")).toContain("two");
    await undoRestore(home, NOW + 1);
    expect(await looksOf(root)).toEqual(present);
    await undoRestore(home, NOW + 2);
    expect(await looksOf(root)).toEqual(saved);
  });

  it("brings settings back only when asked to", async () => {
    await backUp(root);
    await addTo(root, "two");
    await restore(root, { withConfig: true });
    expect(readFileSync(path.join(homeIn(root).config, "config.json"), "utf8")).toContain("one");
  });

  it("is restored into a home that has nothing", async () => {
    const saved = await looksOf(root);
    await backUp(root);
    rmSync(homeIn(root).data, { recursive: true });
    rmSync(memoryIn(root), { recursive: true });
    expect((await restore(root)).replaced).toEqual([]);
    expect(await looksOf(root)).toEqual(saved);
  });

  it.skipIf(process.platform === "win32")("is restored through links, which stay", async () => {
    const saved = await looksOf(root);
    await backUp(root);
    const { data } = homeIn(root);
    mkdirSync(path.join(root, "disk"));
    renameSync(data, path.join(root, "disk", "data"));
    symlinkSync(path.join(root, "disk", "data"), data);
    await addTo(root, "two");
    await restore(root);
    expect(lstatSync(data).isSymbolicLink()).toBe(true);
    expect(await looksOf(root)).toEqual(saved);
    expect(readdirSync(path.join(root, "disk"))).toHaveLength(2);
  });

  it.skipIf(process.platform === "win32")("is private", async () => {
    const umask = process.umask(0);
    try {
      await backUp(root);
    } finally {
      process.umask(umask);
    }
    const names = readdirSync(inSet(), { recursive: true, encoding: "utf8" });
    const modes = names.map((name) => {
      const stat = statSync(inSet(name));
      return stat.mode & 0o777 & (stat.isDirectory() ? 0o077 : 0o177);
    });
    expect(new Set(modes)).toEqual(new Set([0]));
  });

  it("has every blob that a ledger or an origin in it names, while others write", async () => {
    let writing = true;
    const writer = (async () => {
      for (let at = 0; writing; at++) await addTo(root, `w${at}`);
    })();
    await backUp(root);
    writing = false;
    await writer;
    const vault = openVault(inSet("data", "vault"));
    expect(vault.verify()).toMatchObject({ corrupt: [], missing: [] });
    const ledger = readFileSync(inSet("data", "projects", "app-00000001", "s1", "ledger.jsonl"), "utf8");
    for (const line of ledger.trim().split("\n"))
      for (const handle of (JSON.parse(line) as { handles: string[] }).handles) vault.read(handle);
  });

  it("waits for what deletes, and is waited for", async () => {
    let isDone = false;
    const making = withLock(upkeepLock(homeIn(root)), async () => {
      const waiting = backUp(root).then(() => {
        isDone = true;
      });
      await new Promise((resolve) => setTimeout(resolve, 100));
      expect([isDone, existsSync(inSet())]).toEqual([false, false]);
      return { waiting };
    });
    await (await making).waiting;
    expect(isDone).toBe(true);
  });
});

describe("a restore refuses, and changes nothing, when", () => {
  let present: unknown;
  beforeEach(async () => {
    await backUp(root);
    await addTo(root, "two");
    present = await looksOf(root);
  });
  afterEach(async () => {
    expect(await looksOf(root)).toEqual(present);
    const beside = readdirSync(path.join(root, "home"));
    expect(beside.filter((name) => /restor|replaced/.test(name))).toEqual([]);
  });
  const refuses = async (code = "backup-damaged"): Promise<void> => {
    await expect(restore(root)).rejects.toMatchObject({ code });
  };

  it("a file was changed", async () => {
    const [blob = ""] = blobsOf(inSet("data", "vault"));
    writeFileSync(blob, "other bytes");
    await refuses();
  });

  it("a blob is missing", async () => {
    rmSync(blobsOf(inSet("data", "vault"))[0] ?? "");
    await refuses();
  });

  it("there is no list, or only half of one", async () => {
    writeFileSync(inSet("manifest.json"), readFileSync(inSet("manifest.json"), "utf8").slice(0, -40));
    await refuses();
    rmSync(inSet("manifest.json"));
    await refuses();
  });

  it("the database is damaged although the list agrees", async () => {
    const file = inSet("data", "throughline.db");
    const bytes = readFileSync(file);
    bytes.fill(0x5a, 4096 * 3, 4096 * 6);
    writeFileSync(file, bytes);
    const { sha256 } = await import("../../src/lib/index.ts");
    changeManifest(({ files }) => {
      for (const listed of files) if (listed.path === "data/throughline.db") listed.sha256 = sha256(bytes);
    });
    await refuses("database-damaged");
  });

  it.each([
    "../../x",
    "data/../../x",
    "data/vault/../../../x",
    "/etc/passwd",
    "data//vault/x",
    "data/vault/./x",
    "data\\..\\x",
    "C:/x",
    "data/vault/a:b",
    "data/backups/auto/x.db",
    "data/throughline.db-wal",
    "data/install-receipt.json",
    "data/vault",
    "state/runtime.json",
    "memory-x/it.md",
    "data/vault/x\0y",
  ])("the list names %j", async (name) => {
    const [first] = (JSON.parse(readFileSync(inSet("manifest.json"), "utf8")) as Listed).files;
    if (first === undefined) throw new Error("an empty list");
    changeManifest(({ files }) => files.push({ ...first, path: name }));
    await refuses();
  });

  it("a file is listed twice, by case or by form", async () => {
    changeManifest(({ files }) => {
      const one = files.find(({ path: name }) => name.startsWith("data/projects"));
      if (one) files.push({ ...one, path: one.path.toUpperCase().replace("DATA/PROJECTS", "data/projects") });
    });
    await refuses();
  });

  it.skipIf(process.platform === "win32")("a file or a folder of it is a link", async () => {
    const [blob = ""] = blobsOf(inSet("data", "vault"));
    const secret = path.join(root, "secret");
    renameSync(blob, secret);
    symlinkSync(secret, blob);
    await refuses();
    rmSync(blob);
    renameSync(secret, blob);
    renameSync(inSet("data", "projects"), path.join(root, "elsewhere"));
    symlinkSync(path.join(root, "elsewhere"), inSet("data", "projects"));
    await refuses();
  });

  it("the database is open", async () => {
    const store = await openStore({ file: databaseFile(homeIn(root)) });
    try {
      await refuses("database-busy");
    } finally {
      await store.close();
      await releaseClosed();
    }
  });
});

describe("memories in a set", () => {
  it("go where this machine keeps them, wherever the list says they were", async () => {
    await backUp(root);
    const elsewhere = path.join(root, "not-a-memory-folder");
    mkdirSync(elsewhere);
    changeManifest(({ memories }) => {
      for (const memory of memories) memory.folder = elsewhere;
    });
    await restore(root);
    expect(readdirSync(elsewhere)).toEqual([]);
    changeManifest(({ memories }) => {
      for (const memory of memories) memory.work = "../../etc";
    });
    expect((await restore(root)).left).toEqual(["../../etc"]);
  });
});

describe("a check of everything", () => {
  const check = async (): Promise<Record<string, number>> => {
    const place = { folder: memoryIn(root), books: path.join(root, "books"), isClaudes: true };
    const { parts } = await checkEverything({ home: homeIn(root), memoriesOf: () => [place] });
    return Object.fromEntries(parts.map(({ part, problems }) => [part, problems.length]));
  };
  const nothing = { database: 0, vault: 0, ledgers: 0, notes: 0, memories: 0, backups: 0 };

  it("finds nothing wrong with what is whole", async () => {
    const home = homeIn(root);
    await makeDailyBackup({ file: databaseFile(home), now: NOW, limits: { daily: 3, maxBytes: 0 } });
    await backUp(root, path.join(home.data, "backups", "throughline-backup-x"));
    expect(await check()).toEqual(nothing);
  });

  it("finds damage in each part, and one hides no other", async () => {
    const home = homeIn(root);
    const session = path.join(home.data, "projects", "app-00000001", "s1");
    const backup = path.join(home.data, "backups", "throughline-backup-x");
    await backUp(root, backup);
    await makeDailyBackup({ file: databaseFile(home), now: NOW, limits: { daily: 3, maxBytes: 0 } });
    writeFileSync(path.join(backup, "data", "throughline.db"), "no database");
    expect(await check()).toEqual({ ...nothing, backups: 1 });
    writeFileSync(path.join(session, "session-memory", "summary.md"), Buffer.from([0xff, 0xfe, 0, 1]));
    writeFileSync(path.join(memoryIn(root), "MEMORY.md"), Buffer.from([0xc3, 0x28]));
    expect(await check()).toMatchObject({ notes: 1, memories: 1, backups: 1, database: 0 });
    writeFileSync(path.join(session, "ledger.jsonl"), '{"v":1,"id":"e_1","at":"x"\n');
    expect(await check()).toMatchObject({ ledgers: 1, vault: 0 });
    for (const blob of blobsOf(vaultFolder(home))) writeFileSync(blob, "damaged");
    writeFileSync(databaseFile(home), "no database ".repeat(1_000));
    const found = await check();
    expect(found).toMatchObject({ database: 1, ledgers: 1, notes: 1, memories: 1, backups: 1 });
    expect(found.vault).toBeGreaterThan(0);
  });

  it("finds a ledger that names bytes which the vault has not got", async () => {
    for (const blob of blobsOf(vaultFolder(homeIn(root)))) rmSync(blob);
    expect(await check()).toMatchObject({ ledgers: 1 });
  });
});
