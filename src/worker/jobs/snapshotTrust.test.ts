// Snapshots that follow each other closely: each compaction has its own, and the newest file holds the newest content.
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { until } from "../../../test/until.ts";
import { compactedSession, notice } from "../../../test/worker/compactions.ts";
import { second } from "../../../test/worker/kept.ts";
import { spoolFolder } from "../../home/index.ts";
import { startIntake } from "../../intake/intake.ts";
import { makeLifecycle } from "../../intake/lifecycle.ts";
import { openMarks } from "../../intake/transcripts/transcriptMarks.ts";
import type { JsonObject } from "../../lib/index.ts";
import { writeEvent } from "../../spool/index.ts";

const session = compactedSession();
const { kept, promptRow, answerRow, boundaryRow, event, texts } = session;

const worker = () => session.snapshots(() => second(60));

/** The hooks of a compaction whose row was made at that time, in their order. */
const compacting = (at: number) => event(at - 2, "PreCompact", { trigger: "manual" });
const restarted = (at: number) => event(at + 0.03, "SessionStart", { source: "compact" });
const compacted = (at: number) => event(at + 0.1, "PostCompact", { trigger: "manual", compact_summary: "x" });

/** Which of the snapshots, oldest first, hold the words. */
const holds = (words: string): boolean[] => texts().map((text) => text.includes(words));

describe("two compactions within two minutes", () => {
  const more = (): JsonObject[] => [promptRow(20, "the second words"), answerRow(21, "the second answer")];

  it("have two snapshots when the hooks of the second find its row written", async () => {
    const snapshots = worker();
    await notice(snapshots, compacting(10));
    kept.transcript("s", [boundaryRow(10)]);
    await notice(snapshots, restarted(10), compacted(10));
    kept.transcript("s", more());
    await notice(snapshots, compacting(30));
    kept.transcript("s", [boundaryRow(30)]);
    await notice(snapshots, restarted(30), compacted(30));
    expect(holds("the second words")).toEqual([false, true]);
  });

  it("have two when only the hooks after them ran, and their rows are written later", async () => {
    const snapshots = worker();
    await notice(snapshots, restarted(10), compacted(10));
    kept.transcript("s", [boundaryRow(10), ...more()]);
    await notice(snapshots, restarted(30), compacted(30));
    kept.transcript("s", [boundaryRow(30)]);
    await notice(worker(), restarted(30), compacted(30));
    expect(holds("the second words")).toEqual([false, true]);
  });

  it("have two in one turn, with no word in between", async () => {
    const snapshots = worker();
    kept.transcript("s", [boundaryRow(10)]);
    await notice(snapshots, restarted(10));
    kept.transcript("s", [answerRow(20, "the work goes on")]);
    await notice(snapshots, restarted(30), compacted(30));
    expect(holds("the work goes on")).toEqual([false, true]);
  });

  it("have two when a worker hears of both at once, later, in any order", async () => {
    kept.transcript("s", [boundaryRow(10), ...more(), boundaryRow(30), promptRow(40, "the third words")]);
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
    await snapshots.save(compacting(10));
    kept.transcript("s", [boundaryRow(10)]);
    await snapshots.start(restarted(10), session.project);
    kept.transcript("s", more());
    await snapshots.save(compacting(30));
    kept.transcript("s", [boundaryRow(30)]);
    const report = await snapshots.start(restarted(30), session.project);
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
    writeFileSync(path.join(session.project, ".claude"), "in the way");
    await expect(notice(snapshots, compacting(10))).rejects.toThrow();
    expect(logged().at(-1)).toMatchObject({ msg: "snapshot.failed", problem: expect.any(String) });
    rmSync(path.join(session.project, ".claude"));
    await notice(snapshots, compacting(10));
    expect(texts()).toHaveLength(1);
  });

  it("comes before a transcript is read for the first time", async () => {
    const order: string[] = [];
    const { home, store, log } = kept;
    const onLifecycleEvent = async (): Promise<void> => {
      await new Promise((resolve) => setTimeout(resolve, 200));
      order.push("snapshot");
    };
    writeEvent(spoolFolder(home), compacting(10));
    const intake = startIntake({
      ...{ home, store, log, agentFolders: [], sessionFolders: [], clock: { now: () => second(60) } },
      marks: openMarks(home, second(60)),
      redact: (payload) => payload,
      isExcluded: () => false,
      onAdded: (events) => order.push(...events.map(({ lane }) => lane)),
      lifecycle: makeLifecycle([onLifecycleEvent], log),
    });
    await until(() => (order.length > 2 ? true : undefined), "the transcript to be read");
    await intake.stop();
    expect(order.slice(0, 3)).toEqual(["hooks", "snapshot", "transcript"]);
  });
});
