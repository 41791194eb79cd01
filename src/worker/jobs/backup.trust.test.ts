// The worker's daily backup: made by a real process, killed with it, and made again.
import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { until } from "../../../test/until.ts";
import { builtWorker } from "../../../test/worker/bundle.ts";
import { keptHere } from "../../../test/worker/kept.ts";
import { databaseFile } from "../../home/index.ts";
import { systemClock } from "../../lib/index.ts";
import { automaticBackups, newestBackup } from "../../store/index.ts";
import { makeBackups } from "./backup.ts";

const kept = keptHere();

const backups = (dailyBackups = 3): ReturnType<typeof makeBackups> =>
  makeBackups({
    ...{ home: kept.home, clock: systemClock, log: kept.log },
    script: path.join(path.dirname(builtWorker), "backup.js"),
    settings: () => ({ dailyBackups, maxBackupBytes: 0 }),
    times: { firstMs: 1, everyMs: 10 },
  });
const logged = (): string => readFileSync(path.join(kept.home.state, "worker.log"), "utf8");

describe("the worker's backups", () => {
  it("are made beside a store that is open, and said in the log", async () => {
    const keeper = backups();
    keeper.start();
    await until(() => logged().includes("backup.made") || undefined, "a backup");
    await keeper.stop();
    expect(automaticBackups(databaseFile(kept.home))).toMatchObject([{ reason: "daily" }]);
    expect(keeper.busy()).toBe(false);
  });

  it("are none where settings say so", async () => {
    const keeper = backups(0);
    keeper.start();
    await new Promise((resolve) => setTimeout(resolve, 100));
    expect(keeper.busy()).toBe(false);
    await keeper.stop();
    expect(automaticBackups(databaseFile(kept.home))).toEqual([]);
  });

  it("leave no half backup when the process is killed, and the next one is whole", async () => {
    for (let round = 0; round < 5; round++) {
      const keeper = backups();
      keeper.start();
      await until(() => keeper.busy() || undefined, "a backup process");
      await new Promise((resolve) => setTimeout(resolve, round * 25));
      await keeper.stop();
      const newest = newestBackup(databaseFile(kept.home));
      expect(newest === undefined || readFileSync(newest.file).length > 0).toBe(true);
      if (newest !== undefined) return;
    }
    const keeper = backups();
    keeper.start();
    const made = await until(() => newestBackup(databaseFile(kept.home)), "a backup");
    await keeper.stop();
    expect(existsSync(made.file)).toBe(true);
  });
});
