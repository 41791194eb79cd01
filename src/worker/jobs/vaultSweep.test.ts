// The worker's sweep of the vault: within the limits of the settings, by a real process, and never what a ledger mentions.
import { appendFileSync, mkdirSync, readFileSync, utimesSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { until } from "../../../test/until.ts";
import { builtWorker } from "../../../test/worker/bundle.ts";
import { keptHere } from "../../../test/worker/kept.ts";
import { ledgerFile, sessionPlace, vaultFolder } from "../../home/index.ts";
import { DAY, systemClock } from "../../lib/index.ts";
import { openVault } from "../../vault/index.ts";
import { makeVaultSweep, sweepVault } from "./vaultSweep.ts";

const kept = keptHere();
const unlimited = { retentionDays: 0, maxBytes: 0 };
const vault = () => openVault(vaultFolder(kept.home));
const handles = () =>
  vault()
    .list()
    .map(({ handle }) => handle)
    .sort();

/** Stores a text as if it had been stored so many days ago. */
function putDaysAgo(text: string, days: number): string {
  const { handle, sha256 } = vault().put(text, { session: "s" });
  const at = new Date(systemClock.now() - days * DAY);
  utimesSync(path.join(vaultFolder(kept.home), "blobs", sha256.slice(0, 2), sha256), at, at);
  return handle;
}

function addToLedger(line: string) {
  const file = ledgerFile(sessionPlace(kept.home, "project", "s"));
  mkdirSync(path.dirname(file), { recursive: true });
  appendFileSync(file, `${line}\n`);
}

const sweeper = (limits: typeof unlimited): ReturnType<typeof makeVaultSweep> =>
  makeVaultSweep({
    ...{ home: kept.home, log: kept.log, settings: () => limits },
    script: path.join(path.dirname(builtWorker), "backup.js"),
    times: { firstMs: 1, everyMs: 10_000 },
  });

describe("a sweep of the vault", () => {
  it("deletes what is older than the days of the settings, with its origins", async () => {
    putDaysAgo("old", 10);
    const young = putDaysAgo("young", 2);
    const done = await sweepVault({ home: kept.home, limits: { ...unlimited, retentionDays: 5 } });
    expect(done).toMatchObject({ deleted: 1 });
    expect(handles()).toEqual([young]);
    expect(vault().verify()).toMatchObject({ missing: [], orphans: [] });
  });

  it("brings the vault under its size, the oldest first", async () => {
    putDaysAgo("older", 3);
    const newer = putDaysAgo("old", 2);
    const { remainingBytes } = await sweepVault({ home: kept.home, limits: { ...unlimited, maxBytes: 10 } });
    expect(remainingBytes).toBeLessThanOrEqual(10);
    expect(handles()).toEqual([newer]);
  });

  it("keeps what a ledger mentions, also in a line that cannot be read", async () => {
    const live = [putDaysAgo("in an entry", 10), putDaysAgo("in a torn line", 10)];
    addToLedger(JSON.stringify({ handles: [live[0]] }));
    addToLedger(`{"v":9,"handles":["${live[1]}"`);
    await sweepVault({ home: kept.home, limits: { retentionDays: 1, maxBytes: 1 } });
    expect(handles()).toEqual(live.sort());
  });

  it("is made by the worker's process beside it, and logged", async () => {
    putDaysAgo("old", 10);
    const job = sweeper({ ...unlimited, retentionDays: 5 });
    job.start();
    const logged = () => readFileSync(path.join(kept.home.state, "worker.log"), "utf8");
    await until(() => logged().includes("vault.swept") || undefined, "a sweep");
    await job.stop();
    expect(handles()).toEqual([]);
  });

  it("is not made without a limit", async () => {
    const old = putDaysAgo("old", 10_000);
    const job = sweeper(unlimited);
    job.start();
    await new Promise((resolve) => setTimeout(resolve, 100));
    expect(job.busy()).toBe(false);
    await job.stop();
    expect(handles()).toEqual([old]);
  });
});
