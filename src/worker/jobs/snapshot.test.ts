// The worker's snapshots: one for each compaction, by whatever and however often it is noticed, also by the next worker.
import { existsSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { compactedSession, notice } from "../../../test/worker/compactions.ts";
import { second } from "../../../test/worker/kept.ts";
import { leftSnapshots, vaultFolder } from "../../home/index.ts";
import { lifecycleEventOf } from "../../intake/lifecycle.ts";
import { openVault } from "../../vault/index.ts";
import type { SnapshotParts } from "./snapshot.ts";

const session = compactedSession();
const { kept, promptRow, answerRow, boundaryRow, event, files, texts } = session;
let now = 0;

beforeEach(() => {
  now = second(20);
});

const snapshots = (more: Partial<SnapshotParts> = {}) => session.snapshots(() => now, more);
const compacting = (at: number) => event(at, "PreCompact", { trigger: "manual" });
const restart = (at: number) => event(at, "SessionStart", { source: "compact" });
const compacted = (at: number) => event(at, "PostCompact", { trigger: "manual", compact_summary: "x" });

describe("a compaction", () => {
  it("has one snapshot, noticed by every hook, twice, and by the next worker", async () => {
    const worker = snapshots();
    const told = await worker.save(compacting(10));
    expect(told.context).toBeUndefined();
    expect(told.log?.[0]).toMatch(/^SNAPSHOT_FILE=/);
    await notice(worker, compacting(10));
    const started = await worker.start(restart(11), session.project);
    expect(started?.context).toContain("the first words");
    expect(started?.message).toMatch(/^Throughline kept 1 KB · recall tl:[0-9a-f]{12}$/);
    await notice(worker, restart(11), compacted(12));
    kept.transcript("s", [boundaryRow(11)]);
    await notice(snapshots(), compacting(10), restart(11), compacted(12));
    expect(files()).toHaveLength(1);
  });

  it("is told once where hooks are installed twice", async () => {
    const worker = snapshots();
    expect((await worker.save(compacting(10))).log).toHaveLength(3);
    expect(await worker.save(compacting(11))).toEqual({});
    expect((await worker.start(restart(12), session.project))?.context).toContain("the first words");
    expect(await worker.start(restart(12), session.project)).toBeUndefined();
    expect(files()).toHaveLength(1);
  });

  it("has one when only its ends are noticed", async () => {
    const worker = snapshots();
    const started = await worker.start(restart(11), session.project);
    expect(started?.context).toContain("the first words");
    expect(started?.lines.filter((line) => /^SNAPSHOT_/.test(line))).toEqual([
      expect.stringMatching(/^SNAPSHOT_FILE=/),
      expect.stringMatching(/^SNAPSHOT_TIMESTAMP=/),
      "SNAPSHOT_ACTION=LOAD",
      expect.stringMatching(/^SNAPSHOT_FILE=/),
    ]);
    kept.transcript("s", [boundaryRow(11)]);
    await notice(worker, compacted(12));
    await notice(snapshots(), compacted(12));
    expect(files()).toHaveLength(1);
  });

  it("has one of its own each time", async () => {
    const worker = snapshots();
    await notice(worker, restart(11));
    kept.transcript("s", [
      boundaryRow(11),
      promptRow(200, "more words"),
      answerRow(201, "more"),
      boundaryRow(300),
    ]);
    now = second(310);
    await notice(worker, restart(301));
    expect(files()).toHaveLength(2);
    expect(texts().map((text) => text.includes("more words"))).toEqual([false, true]);
  });

  it("is saved as it was, when a worker hears of it later", async () => {
    kept.transcript("s", [boundaryRow(11), promptRow(200, "said afterwards")]);
    now = second(400);
    await notice(snapshots(), compacting(10));
    expect(texts()).toHaveLength(1);
    expect(texts()[0]).toContain("the first answer");
    expect(texts()[0]).not.toContain("said afterwards");
  });

  it("is not saved when it would never be loaded", async () => {
    now = second(10) + 2 * 3_600_000;
    await notice(snapshots(), compacting(10));
    expect(files()).toEqual([]);
  });

  it("is not saved in an excluded folder, in one that is gone, or when snapshots are off", async () => {
    await notice(snapshots({ isExcluded: () => true }), compacting(10));
    const off = { enabled: false, hours: 2, messages: 20, reference: "CLAUDE.md", language: "en" } as const;
    expect(await snapshots({ settingsFor: () => off }).save(compacting(10))).toEqual({});
    const elsewhere = event(10, "PreCompact", { project_dir: path.join(session.project, "gone") });
    expect(await snapshots().save(elsewhere)).toEqual({});
    expect([readdirSync(session.project), existsSync(path.join(session.project, "gone"))]).toEqual([
      [],
      false,
    ]);
  });

  it("is noticed although the agent named no transcript", () => {
    const nameless = event(10, "PreCompact", { transcript_path: "" });
    expect(lifecycleEventOf(nameless)).toBeUndefined();
    expect(lifecycleEventOf(nameless, session.transcript)).toMatchObject({
      kind: "compacting",
      transcriptPath: session.transcript,
    });
    expect(lifecycleEventOf(event(10, "PreCompact", { agent_id: "a" }))).toBeUndefined();
  });
});

describe("what a hook has cleaned up", () => {
  it("goes into the vault, under its session", async () => {
    await notice(snapshots(), compacting(10));
    const [name = ""] = files();
    const text = texts()[0] ?? "";
    mkdirSync(leftSnapshots(kept.home), { recursive: true });
    writeFileSync(path.join(leftSnapshots(kept.home), `123-4-${name}`), text);
    snapshots().storeLeftSnapshots();
    expect(readdirSync(leftSnapshots(kept.home))).toEqual([]);
    const vault = openVault(vaultFolder(kept.home));
    const found = vault
      .list({ session: "s" })
      .filter(({ origins }) => origins.some(({ note }) => note === name));
    expect(found.map(({ handle }) => Buffer.from(vault.read(handle)).toString("utf8"))).toEqual([text]);
  });
});
