// Compactions and ends of sessions: told to everybody, one after the other, also when only the transcript knows of them.
import { describe, expect, it } from "vitest";
import { keptHere, promptRow, second } from "../../test/worker/kept.ts";
import type { JsonObject } from "../lib/index.ts";
import { type LifecycleEvent, makeLifecycle } from "./lifecycle.ts";
import { makeReconciler, type Reconciler } from "./transcripts/reconcile.ts";
import { openMarks } from "./transcripts/transcriptMarks.ts";

const kept = keptHere();

const lifecycleEvent = (id: string): LifecycleEvent => ({
  kind: "compacting",
  id,
  session: "s",
  transcriptPath: "/s.jsonl",
  cwd: undefined,
  trigger: "auto",
  at: 0,
});

describe("a lifecycle event", () => {
  it("reaches every listener in order, and the failure of one does not stop the next", async () => {
    const told: string[] = [];
    const slow = async ({ id }: LifecycleEvent): Promise<void> => {
      await new Promise((resolve) => setTimeout(resolve, 5));
      told.push(`slow ${id}`);
    };
    const failing = async (): Promise<never> => Promise.reject(new Error("no"));
    const quick = async ({ id }: LifecycleEvent): Promise<void> => void told.push(`quick ${id}`);
    const lifecycle = makeLifecycle([slow, failing, quick], kept.log);
    void lifecycle.announce(lifecycleEvent("a"));
    void lifecycle.announce(lifecycleEvent("b"));
    await lifecycle.idle();
    expect(told).toEqual(["slow a", "quick a", "slow b", "quick b"]);
  });
});

describe("a compaction that no hook has reported", () => {
  const boundary = (at: number, more: JsonObject = {}): JsonObject => ({
    type: "system",
    subtype: "compact_boundary",
    uuid: `b${at}`,
    sessionId: "s1",
    cwd: "/home/dev",
    timestamp: new Date(second(at)).toISOString(),
    compactMetadata: { trigger: "auto" },
    ...more,
  });

  function reconciler(announced: LifecycleEvent[]): Reconciler {
    const { store, ingest, home, log } = kept;
    const clock = { now: () => second(1_000) };
    const parts = {
      store,
      keepMessages: async () => undefined,
      ingest,
      marks: openMarks(home, clock.now()),
      pauses: () => [{ from: second(50), to: second(60) }],
      isExcluded: () => false,
      clock,
      log,
      lifecycle: { announce: async (one: LifecycleEvent) => void announced.push(one) },
    };
    return makeReconciler(parts);
  }

  it("is found in the transcript, once, and not in a pause or a subagent", async () => {
    const announced: LifecycleEvent[] = [];
    const rows = [promptRow("s1", 1, "go"), boundary(5), boundary(55), boundary(6, { isSidechain: true })];
    const file = kept.transcript("s1", rows);
    await reconciler(announced).run(file, "s1");
    await reconciler(announced).run(file, "s1");
    expect(announced).toEqual([
      {
        kind: "compacted",
        id: "row_b5",
        session: "s1",
        transcriptPath: file,
        cwd: "/home/dev",
        trigger: "auto",
        at: second(5),
      },
    ]);
  });
});
