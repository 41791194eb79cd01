// A snapshot block is gone from CLAUDE.md when it has expired, whether or not a session starts.

import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { until } from "../../../test/until.ts";
import { captured, keptHere, promptRow, second } from "../../../test/worker/kept.ts";
import { vaultFolder } from "../../home/index.ts";
import { lifecycleEventOf } from "../../intake/lifecycle.ts";
import { HOUR } from "../../lib/index.ts";
import { type BlockExpiry, makeBlockExpiry } from "./blockExpiry.ts";
import { makeSnapshots } from "./snapshot.ts";

const kept = keptHere();
const rules = "# Rules\n";
let project = "";
let now = 0;

beforeEach(() => {
  project = path.join(kept.folder, "project");
  mkdirSync(project);
  writeFileSync(path.join(project, "CLAUDE.md"), rules);
  now = second(20);
});

const page = (): string => readFileSync(path.join(project, "CLAUDE.md"), "utf8");
const settings = { enabled: true, hours: 2, messages: 20, reference: "CLAUDE.md", language: "en" } as const;

const expiry = (more: Partial<Parameters<typeof makeBlockExpiry>[0]> = {}): BlockExpiry =>
  makeBlockExpiry({
    ...{ home: kept.home, settingsFor: () => settings, isExcluded: () => false, log: kept.log, lookMs: 5 },
    clock: { now: () => now },
    ...more,
  });

/** A session in the project is compacted, and the worker that takes the snapshot has this. */
async function compacted(watch: BlockExpiry): Promise<void> {
  const transcript = kept.transcript("s", [promptRow("s", 1, "hello")]);
  const payload = {
    hook_event_name: "PreCompact",
    session_id: "s",
    transcript_path: transcript,
    cwd: project,
  };
  const lifecycleEvent = lifecycleEventOf(captured({ ...payload, trigger: "manual" }, second(10)));
  if (lifecycleEvent === undefined) throw new Error("that is a compaction");
  const parts = { home: kept.home, vaultFolder: vaultFolder(kept.home), settingsFor: () => settings };
  await makeSnapshots({
    ...{ ...parts, readers: [], redact: (text) => text, isExcluded: () => false, log: kept.log },
    clock: { now: () => now },
    onSaved: watch.watch,
  }).onLifecycleEvent(lifecycleEvent);
  expect(page()).toContain("TEMP_COMPACT_SNAPSHOT_START");
}

describe("a block", () => {
  it("says until when it holds", async () => {
    await compacted(expiry());
    const [time = "", end = ""] = ["⏰ Snapshot time", "⌛ Void after"].map(
      (label) => new RegExp(`\\*\\*${label}\\*\\*: (.*)`, "u").exec(page())?.[1],
    );
    expect(Date.parse(end) - Date.parse(time)).toBe(2 * HOUR);
  });

  it("is removed by the worker when it expires, and not before; the file stays for the next session", async () => {
    const watch = expiry();
    watch.start();
    await compacted(watch);
    expect(watch.isWaiting()).toBe(true);
    const [file = ""] = /\.claude\/compact-snapshot-\d{14}\.md/.exec(page()) ?? [];
    now = second(10) + 2 * HOUR - 1;
    await new Promise((resolve) => setTimeout(resolve, 30));
    expect(page()).not.toBe(rules);
    now += 1;
    await until(() => (page() === rules ? true : undefined), "the block to be removed");
    expect(existsSync(path.join(project, file))).toBe(true);
    expect(watch.isWaiting()).toBe(false);
    await watch.stop();
  });

  it("that expired while no worker ran is removed when one starts", async () => {
    await compacted(expiry());
    now += 5 * HOUR;
    const watch = expiry();
    watch.start();
    await watch.stop();
    expect(page()).toBe(rules);
  });

  it("stays where snapshots are off, and in an excluded folder", async () => {
    await compacted(expiry());
    now += 5 * HOUR;
    for (const more of [
      { settingsFor: () => ({ ...settings, enabled: false }) },
      { isExcluded: () => true },
    ]) {
      const watch = expiry(more);
      watch.start();
      await watch.stop();
    }
    expect(page()).not.toBe(rules);
  });

  it("does not keep a worker for days", async () => {
    const watch = expiry({ settingsFor: () => ({ ...settings, hours: 100 }) });
    await compacted(watch);
    expect(watch.isWaiting()).toBe(false);
  });
});
