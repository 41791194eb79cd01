// A worker on a damaged home: it comes up, brings back every row that SQLite still returns, and tells the person once.
import { describe, expect, it } from "vitest";
import { kindOf, runKind, SMALL_STORE, stageOf } from "./damageRun.ts";

const stage = stageOf(SMALL_STORE);

describe("a worker on a damaged home", () => {
  it("gives way to another when it meets the damage at work, and nothing readable is lost", async () => {
    const outcome = await runKind(kindOf("20 leaf pages of events zeroed"), stage(), 60_000);
    expect(outcome).toMatchObject({ lostReadable: [], hasEvent: true, isKept: true });
    expect(outcome.damaged).toMatchObject([{ state: "done", problem: null }]);
    expect(outcome.check).toMatch(/^database +ok/m);
  });

  it("says that rows are lost, brings back what transcripts have, and tells the person once", async () => {
    const outcome = await runKind(kindOf("cut to nothing, no backup"), stage(), 60_000);
    const held = { sessions: 8, events: 642, prompts: 80, messages: 76 };
    expect(outcome.damaged).toMatchObject([
      { held, rebuilt: { sessions: 2, events: 40, prompts: 20, messages: 40 } },
    ]);
    expect(outcome.told).toEqual([
      expect.stringMatching(/was damaged.* of 842 rows are back, \d+ are missing/),
      undefined,
    ]);
  });

  it("notices that a journal with rows is gone", async () => {
    const outcome = await runKind(kindOf("journal deleted"), stage(), 60_000);
    expect(outcome).toMatchObject({ lostReadable: [], hasEvent: true });
    expect(outcome.damaged).toMatchObject([{ reason: expect.stringContaining("has lost rows") }]);
  });
});
