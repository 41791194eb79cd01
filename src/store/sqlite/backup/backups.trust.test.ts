// Automatic backups of the database: made when due, checked, private, bounded, gone with what was forgotten.

import {
  copyFileSync,
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
import { event, START } from "../../../../test/storeContract/setting.ts";
import { DAY } from "../../../lib/index.ts";
import type { Store } from "../../store.ts";
import { openStore } from "../engine.ts";
import {
  type AutomaticBackup,
  automaticBackups,
  automaticFolder,
  defaultLimits,
  makeDailyBackup,
  newestBackup,
  surplusBackups,
} from "./autoBackup.ts";

let folder = "";
let file = "";
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), "throughline-backups-"));
  file = path.join(folder, "throughline.db");
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

async function withStore<T>(use: (store: Store) => Promise<T>, at = file): Promise<T> {
  const store = await openStore({ file: at });
  try {
    return await use(store);
  } finally {
    await store.close();
  }
}

const daily = (now: number): ReturnType<typeof makeDailyBackup> =>
  makeDailyBackup({ file, now, limits: defaultLimits });
const outcome = async (now: number): Promise<string> => (await daily(now)).outcome;
const record = (id: string): Promise<unknown> => withStore((store) => store.recordEvents([event(id, 1)]));
const eventsIn = (at: string): Promise<number> =>
  withStore(async (store) => (await store.stats()).counts.events, at);

describe("the daily backup", () => {
  it("is made once a day and only of a database that changed", async () => {
    expect(await outcome(START)).toBe("absent");
    await record("a");
    expect(await outcome(START)).toBe("made");
    expect(await outcome(START + DAY - 1)).toBe("recent");
    expect(await outcome(START + DAY)).toBe("unchanged");
    await record("b");
    expect(await outcome(START + DAY)).toBe("made");
    const newest = newestBackup(file);
    expect(newest?.at).toBe(START + DAY);
    const copy = path.join(folder, "copy.db");
    copyFileSync(newest?.file ?? "", copy);
    expect(await eventsIn(copy)).toBe(2);
  });

  it("is made of rows that are only in the journal, while a writer holds the database open", async () => {
    await withStore(async (store) => {
      await store.recordEvents([event("a", 1)]);
      expect(await outcome(START)).toBe("made");
    });
    const copy = path.join(folder, "copy.db");
    copyFileSync(newestBackup(file)?.file ?? "", copy);
    expect(await eventsIn(copy)).toBe(1);
  });

  it.skipIf(process.platform === "win32")("is private, and the only file that is left", async () => {
    const umask = process.umask(0);
    try {
      await record("a");
      await daily(START);
    } finally {
      process.umask(umask);
    }
    const [backup, ...others] = readdirSync(automaticFolder(file));
    expect(others).toEqual([]);
    expect(statSync(path.join(automaticFolder(file), backup ?? "")).mode & 0o777).toBe(0o600);
    expect(statSync(automaticFolder(file)).mode & 0o777).toBe(0o700);
  });

  it("goes on after the clock was set back, and deletes old ones, not the one just made", async () => {
    for (let day = 0; day < 5; day++) {
      await record(`${day}`);
      expect(await outcome(START + day * DAY)).toBe("made");
    }
    expect(automaticBackups(file).map(({ at }) => (at - START) / DAY)).toEqual([4, 3, 2]);
    await record("earlier");
    expect(await outcome(START - 400 * DAY)).toBe("made");
    expect(automaticBackups(file).map(({ at }) => (at - START) / DAY)).toEqual([4, 3, -400]);
    await record("earlier still");
    expect(await outcome(START - 400 * DAY + 1)).toBe("recent");
  });

  it("is not kept of a damaged database, and the good ones stay", async () => {
    await withStore(async (store) => {
      await store.recordEvents(Array.from({ length: 400 }, (_, index) => event(`${index}`, index)));
      await store.vacuum();
    });
    await daily(START);
    const before = newestBackup(file);
    const bytes = readFileSync(file);
    for (let page = 20; page < bytes.length / 4096; page += 7)
      bytes.fill(0x5a, page * 4096 + 8, page * 4096 + 600);
    writeFileSync(file, bytes);
    await expect(daily(START + DAY)).rejects.toMatchObject({ code: "database-damaged" });
    expect(newestBackup(file)).toEqual(before);
    expect(readdirSync(automaticFolder(file))).toHaveLength(1);
  });

  it("goes with what is forgotten", async () => {
    await record("a");
    await daily(START);
    writeFileSync(path.join(automaticFolder(file), "x.db.unchecked"), "unfinished");
    writeFileSync(`${file}.before-2026-11-x-2026-11-16T09-00-00-000Z`, "of version 0.1.0");
    expect(automaticBackups(file)).toHaveLength(2);
    await withStore((store) => store.forget({ session: "s1" }));
    expect(automaticBackups(file)).toEqual([]);
    expect(readdirSync(automaticFolder(file))).toEqual([]);
  });
});

describe("the number and size of automatic backups", () => {
  const backup = (day: number, reason: AutomaticBackup["reason"], bytes = 10): AutomaticBackup => ({
    ...{ file: `${day}-${reason}`, at: day, reason, bytes },
  });
  const surplus = (backups: AutomaticBackup[], maxBytes: number, databaseBytes = 10): string[] =>
    surplusBackups(backups, { daily: 3, maxBytes, databaseBytes }).map((one) => one.file);

  it("are bounded for each reason", () => {
    const days = [5, 4, 3, 2, 1];
    const all = days.flatMap((day) => [backup(day, "daily"), backup(day, "migration")]);
    expect(surplus(all, 0)).toEqual(["1-migration", "1-daily", "2-migration", "2-daily", "3-migration"]);
  });

  it("are bounded in bytes, but for the newest", () => {
    const big = [backup(3, "daily", 900), backup(2, "daily", 50), backup(1, "daily", 60)];
    expect(surplus(big, 1_000)).toEqual(["1-daily"]);
    expect(surplus(big, 100)).toEqual(["1-daily", "2-daily"]);
    const huge = [backup(2, "daily", 3e9), backup(1, "daily", 3e9)];
    expect(surplus(huge, 0, 3e9)).toEqual([]);
    expect(surplus(huge, 0, 2e9)).toEqual(["1-daily"]);
  });
});
