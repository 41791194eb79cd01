// Snapshots that follow each other closely: each compaction has its own, and the newest file holds the newest content.
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { until } from "../../../test/until.ts";
import { captured, keptHere, second } from "../../../test/worker/kept.ts";
import { spoolFolder, vaultFolder } from "../../home/index.ts";
import { startIntake } from "../../intake/intake.ts";
import { lifecycleEventOf, makeLifecycle } from "../../intake/lifecycle.ts";
import { openMarks } from "../../intake/transcripts/transcriptMarks.ts";
import type { JsonObject } from "../../lib/index.ts";
import { writeEvent } from "../../spool/index.ts";
import { makeSnapshots, type Snapshots } from "./snapshot.ts";

const kept = keptHere();
let project = "";
let transcript = "";
let rows = 0;

beforeEach(() => {
  project = path.join(kept.folder, "project");
  mkdirSync(project);
  rows = 0;
  transcript = kept.transcript("s", [said(1, "the first words"), answered(2, "the first answer")]);
});

const worker = (now = second(60)): Snapshots =>
  makeSnapshots({
    home: kept.home,
    vaultFolder: vaultFolder(kept.home),
    settingsFor: () => ({ enabled: true, hours: 2, messages: 20, reference: "CLAUDE.md", language: "en" }),
    readers: [],
    redact: (text) => text,
    isExcluded: () => false,
    clock: { now: () => now },
    log: kept.log,
  });

const row = (at: number, more: JsonObject): JsonObject => ({
  uuid: `row-${rows}`,
  parentUuid: rows++ === 0 ? null : `row-${rows - 2}`,
  sessionId: "s",
  cwd: project,
  timestamp: new Date(second(at)).toISOString(),
  isSidechain: false,
  ...more,
});
const said = (at: number, text: string): JsonObject =>
  row(at, { type: "user", message: { role: "user", content: text } });
const answered = (at: number, text: string): JsonObject =>
  row(at, {
    type: "assistant",
    message: { id: `msg-${at}`, role: "assistant", content: [{ type: "text", text }] },
  });
const boundary = (at: number): JsonObject =>
  row(at, { type: "system", subtype: "compact_boundary", compactMetadata: { trigger: "manual" } });

const event = (at: number, name: string, more: JsonObject = {}) =>
  captured(
    { hook_event_name: name, session_id: "s", transcript_path: transcript, cwd: project, ...more },
    second(at),
  );

/** The hooks of a compaction whose row was made at that time, in their order. */
const compacting = (at: number) => event(at - 2, "PreCompact", { trigger: "manual" });
const restarted = (at: number) => event(at + 0.03, "SessionStart", { source: "compact" });
const compacted = (at: number) => event(at + 0.1, "PostCompact", { trigger: "manual", compact_summary: "x" });

async function notice(snapshots: Snapshots, ...events: ReturnType<typeof event>[]): Promise<void> {
  for (const one of events) {
    const occasion = lifecycleEventOf(one);
    if (occasion) await snapshots.take(occasion);
  }
}

/** What the snapshots hold of the conversation, oldest file first. */
function texts(): string[] {
  const folder = path.join(project, ".claude");
  return readdirSync(folder)
    .sort()
    .map((name) => readFileSync(path.join(folder, name), "utf8"));
}
const holds = (words: string): boolean[] => texts().map((text) => text.includes(words));

describe("two compactions within two minutes", () => {
  const more = (): JsonObject[] => [said(20, "the second words"), answered(21, "the second answer")];

  it("have two snapshots when the hooks of the second find its row written", async () => {
    const snapshots = worker();
    await notice(snapshots, compacting(10));
    kept.transcript("s", [boundary(10)]);
    await notice(snapshots, restarted(10), compacted(10));
    kept.transcript("s", more());
    await notice(snapshots, compacting(30));
    kept.transcript("s", [boundary(30)]);
    await notice(snapshots, restarted(30), compacted(30));
    expect(holds("the second words")).toEqual([false, true]);
  });

  it("have two when only the hooks after them ran, and their rows are written later", async () => {
    const snapshots = worker();
    await notice(snapshots, restarted(10), compacted(10));
    kept.transcript("s", [boundary(10), ...more()]);
    await notice(snapshots, restarted(30), compacted(30));
    kept.transcript("s", [boundary(30)]);
    await notice(worker(), restarted(30), compacted(30));
    expect(holds("the second words")).toEqual([false, true]);
  });

  it("have two in one turn, with no word in between", async () => {
    const snapshots = worker();
    kept.transcript("s", [boundary(10)]);
    await notice(snapshots, restarted(10));
    kept.transcript("s", [answered(20, "the work goes on")]);
    await notice(snapshots, restarted(30), compacted(30));
    expect(holds("the work goes on")).toEqual([false, true]);
  });

  it("have two when a worker hears of both at once, later, in any order", async () => {
    kept.transcript("s", [boundary(10), ...more(), boundary(30), said(40, "the third words")]);
    const events = [
      compacting(10),
      restarted(10),
      compacted(10),
      compacting(30),
      restarted(30),
      compacted(30),
    ];
    await notice(worker(), ...events.toReversed(), ...events);
    expect(holds("the second words")).toEqual([false, true]);
    expect(holds("the third words")).toEqual([false, false]);
  });

  it("load the second one's content", async () => {
    const snapshots = worker();
    await snapshots.preserve(compacting(10));
    kept.transcript("s", [boundary(10)]);
    await snapshots.start(restarted(10), project);
    kept.transcript("s", more());
    await snapshots.preserve(compacting(30));
    kept.transcript("s", [boundary(30)]);
    const report = await snapshots.start(restarted(30), project);
    expect(report?.context).toContain("the second answer");
  });
});

const logged = (): { readonly msg: string; readonly bytes?: number; readonly problem?: string }[] =>
  readFileSync(path.join(kept.home.state, "worker.log"), "utf8")
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line));

describe("a snapshot", () => {
  it("is logged when it is begun, and when it is taken", async () => {
    await notice(worker(), compacting(10));
    expect(logged().map(({ msg }) => msg)).toEqual(["snapshot.begun", "snapshot.taken"]);
    expect(logged()[0]?.bytes).toBeGreaterThan(0);
  });

  it("is logged when it cannot be taken, and tried again", async () => {
    const snapshots = worker();
    writeFileSync(path.join(project, ".claude"), "in the way");
    await expect(notice(snapshots, compacting(10))).rejects.toThrow();
    expect(logged().at(-1)).toMatchObject({ msg: "snapshot.failed", problem: expect.any(String) });
    rmSync(path.join(project, ".claude"));
    await notice(snapshots, compacting(10));
    expect(texts()).toHaveLength(1);
  });

  it("comes before a transcript is read for the first time", async () => {
    const order: string[] = [];
    const { home, store, log } = kept;
    const take = async (): Promise<void> => {
      await new Promise((resolve) => setTimeout(resolve, 200));
      order.push("snapshot");
    };
    writeEvent(spoolFolder(home), compacting(10));
    const intake = startIntake({
      ...{ home, store, log, agentFolders: [], clock: { now: () => second(60) } },
      marks: openMarks(home, second(60)),
      redact: (payload) => payload,
      isExcluded: () => false,
      onAdded: (events) => order.push(...events.map(({ lane }) => lane)),
      lifecycle: makeLifecycle([take], log),
    });
    await until(() => (order.length > 2 ? true : undefined), "the transcript to be read");
    await intake.stop();
    expect(order.slice(0, 3)).toEqual(["hooks", "snapshot", "transcript"]);
  });
});
