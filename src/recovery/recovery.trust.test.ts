// A salvage comes to an end with its counts, whatever its sources are like: what cannot be read is noted and passed over.
import { closeSync, cpSync, mkdtempSync, openSync, rmSync, statSync, symlinkSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { event } from "../../test/storeContract/setting.ts";
import { databaseFile, type Home, resolveHome } from "../home/index.ts";
import { openLog } from "../log/log.ts";
import { openStore } from "../store/index.ts";
import { loadDriver, releaseClosed } from "../store/sqlite/driver.ts";
import { openOrRecover } from "./openStore.ts";
import { makeRecovery, type Recovery } from "./recovery.ts";
import { damageSummaries, listDamage } from "./report.ts";

const script = path.resolve(import.meta.dirname, "../../dist/salvage.js");
const PAGE = 4096;

let folder = "";
let home: Home;
let recovery: Recovery | undefined;
/** Why the store that rows go into was found to be damaged. */
const damage: string[] = [];

const range = (from: number, to: number): number[] =>
  Array.from({ length: to - from }, (_, index) => from + index);

async function store(numbers: readonly number[]): Promise<void> {
  const open = await openStore({ file: databaseFile(home) });
  await open.recordEvents(
    numbers.map((at) => event(`e${at}`, at, { payload: { text: "text ".repeat(200) } })),
  );
  await open.close();
  await releaseClosed();
}

const backupFile = (day: number): string =>
  path.join(home.data, "backups", "auto", `throughline-2026-01-0${day}T00-00-00-000Z-daily.db`);

const backUp = (day: number): void => cpSync(databaseFile(home), backupFile(day), { recursive: true });

function overwrite(file: string, from: number, to: number): void {
  const fd = openSync(file, "r+");
  writeSync(fd, Buffer.alloc((to - from) * PAGE, 0xa5), 0, undefined, from * PAGE);
  closeSync(fd);
}

const pagesIn = (file: string): number => statSync(file).size / PAGE;

const log = () =>
  openLog({
    ...{ file: path.join(folder, "log"), level: "info", maxBytes: 100_000, keep: 1 },
    redact: (record) => record,
  });

/** Sets the database aside, as the worker does when it starts. */
async function setAside(): Promise<string> {
  const open = await openOrRecover({ home, log: log(), now: Date.now, options: {} });
  await open.close();
  await releaseClosed();
  return listDamage(home)[0]?.folder ?? "";
}

async function recover(): Promise<ReturnType<typeof damageSummaries>[number] | undefined> {
  const make = makeRecovery({
    ...{ home, script, log: log(), clock: { now: Date.now }, isAsClosed: true, retryMs: 10 },
    onDamage: (reason) => damage.push(reason),
  });
  recovery = make({ rebuild: async () => [] });
  recovery.start();
  for (let waited = 0; waited < 60_000; waited += 20) {
    if (damageSummaries(home)[0]?.state === "done" || damage.length > 0) break;
    await sleep(20);
  }
  await recovery.stop();
  return damageSummaries(home)[0];
}

beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), "throughline-recovery-"));
  home = resolveHome({ env: { THROUGHLINE_HOME: folder }, platform: process.platform, homeFolder: folder });
});
afterEach(async () => {
  await recovery?.stop();
  damage.length = 0;
  rmSync(folder, { recursive: true, force: true });
});

describe("a salvage", () => {
  it("reads a damaged backup as far as it can be read, then the next older one", async () => {
    await store(range(0, 40));
    backUp(1);
    await store(range(40, 80));
    backUp(2);
    overwrite(backupFile(2), 10, 12);
    overwrite(backupFile(2), pagesIn(backupFile(2)) - 8, pagesIn(backupFile(2)) - 4);
    overwrite(databaseFile(home), 0, pagesIn(databaseFile(home)));
    await setAside();
    const summary = await recover();
    expect(summary).toMatchObject({ state: "done", held: { events: 80 }, salvaged: { events: 0 } });
    // All of the older backup, and more than that.
    expect(summary?.rebuilt.events).toBeGreaterThan(40);
    expect(summary?.notes).toEqual([expect.stringMatching(/^backup throughline-2026-01-02.*: /)]);
  });

  it("passes over a backup that is no database, and a table that no backup has", async () => {
    await store(range(0, 40));
    backUp(1);
    backUp(2);
    overwrite(backupFile(2), 0, pagesIn(backupFile(2)));
    const older = (await loadDriver())(backupFile(1), { readOnly: false });
    older.exec("DROP TABLE accounts");
    older.close();
    overwrite(databaseFile(home), 0, pagesIn(databaseFile(home)));
    await setAside();
    const summary = await recover();
    expect(summary).toMatchObject({ state: "done", rebuilt: { events: 40 }, missing: { events: 0 } });
    expect(summary?.notes).toHaveLength(1);
  });

  it("gives a file up that cannot be opened after some attempts, and reads it when a later worker can", async () => {
    await store(range(0, 20));
    backUp(1);
    await store(range(20, 40));
    const kept = path.join(folder, "kept.db");
    cpSync(databaseFile(home), kept);
    overwrite(databaseFile(home), 0, 1);
    const damaged = path.join(await setAside(), "throughline.db");
    rmSync(damaged);
    symlinkSync(damaged, damaged);
    expect(await recover()).toMatchObject({
      ...{ state: "done", problem: null, rebuilt: { events: 20 }, missing: { events: 20 } },
      notes: [expect.stringContaining("ELOOP")],
    });
    rmSync(damaged);
    cpSync(kept, damaged);
    expect(await recover()).toMatchObject({ salvaged: { events: 40 }, missing: { events: 0 }, notes: [] });
  });

  it("passes over a row that the store does not take", async () => {
    await store(range(0, 40));
    const old = (await loadDriver())(databaseFile(home), { readOnly: false });
    old.exec("UPDATE sdk_sessions SET prompt_counter = 9223372036854775807, created_at_epoch = 1");
    old.close();
    overwrite(databaseFile(home), 0, 1);
    await setAside();
    await store([100]);
    expect(await recover()).toMatchObject({
      state: "done",
      salvaged: { events: 40 },
      missing: { events: 0 },
    });
  });

  it("has a store that is damaged meanwhile set aside too", async () => {
    await store(range(0, 40));
    overwrite(databaseFile(home), 0, 1);
    await setAside();
    overwrite(databaseFile(home), 1, pagesIn(databaseFile(home)));
    expect(await recover()).toMatchObject({ state: "salvaging", salvaged: { events: 0 } });
    expect(damage).toEqual([expect.stringContaining("is damaged")]);
  });
});
