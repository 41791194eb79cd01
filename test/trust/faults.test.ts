// A short run with faults of every kind: what a transcript has is kept, once, and no agent hears of anything.
import { expect, it } from "vitest";
import { bundle } from "../worker/bundle.ts";
import { mayMount } from "../worker/smallDisk.ts";
import { runWithFaults } from "./faults.ts";

it.skipIf(!mayMount)(
  "200 events of 4 agents under 20 faults: none lost, none doubled",
  async ({ signal }) => {
    const story = await bundle("test/trust/faultRun.ts");
    const report = await runWithFaults(
      story,
      { seed: 20_261_117, agents: 4, events: 200, faults: 20, longestMs: 500, stillMs: 500 },
      { size: "24m", signal },
    );
    const { lost, doubled, strange, noise, ok } = report;
    expect({ lost, doubled, strange, noise, ok }).toEqual({
      ...{ lost: [], doubled: [], strange: [], noise: [] },
      ok: true,
    });
    expect(report.reported).toBe(200);
    expect(report.faults).toBeGreaterThanOrEqual(20);
  },
);
