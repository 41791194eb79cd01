// A worker that is killed while it salvages a damaged database: the next one goes on and ends with the same rows.
import { describe, expect, it } from "vitest";
import { killWhileSalvaging, kindOf, runKind, SMALL_STORE, stageOf } from "./damageRun.ts";

const stage = stageOf(SMALL_STORE);

describe("a worker killed while it salvages", () => {
  it("goes on with the salvage where the worker and its salvage process were killed", async () => {
    const { lostReadable, kills, damaged } = await killWhileSalvaging(kindOf("magic overwritten"), stage());
    expect(kills).toBeGreaterThan(0);
    expect(lostReadable).toEqual([]);
    expect(damaged).toMatchObject([{ state: "done", held: damaged[0]?.salvaged }]);
  });

  it("ends with the counts of an undisturbed salvage after kills, with a damaged backup too", async () => {
    const kind = kindOf("10,000 bits flipped, newest backup damaged");
    const [undisturbed, killed] = await Promise.all([
      runKind(kind, stage(), 60_000),
      killWhileSalvaging(kind, stage()),
    ]);
    expect(killed.kills).toBeGreaterThan(0);
    // So many on so small a store leave rows without a time, which are not taken.
    expect(killed.lostReadable).toEqual(undisturbed.lostReadable);
    const [whole] = undisturbed.damaged;
    const { held, salvaged, notes } = whole ?? {};
    expect(notes).toEqual([expect.stringMatching(/^backup throughline-2026-11-01/)]);
    // Observations follow from events by jobs that may still run.
    const { observations: _, ...missing } = whole?.missing ?? {};
    expect(killed.damaged).toMatchObject([{ state: "done", problem: null, held, salvaged, notes, missing }]);
  });
});
