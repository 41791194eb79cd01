// The long run with faults: 5,000 events of 16 agents, 500 random faults, a new seed each time (THROUGHLINE_SEED repeats one).
import { expect, it } from "vitest";
import { chosenSeed } from "../seed.ts";
import { bundle } from "../worker/bundle.ts";
import { mayMount } from "../worker/smallDisk.ts";
import { faults } from "./faultKinds.ts";
import { runWithFaults } from "./faults.ts";

it.skipIf(!mayMount)(
  "5,000 events of 16 agents under 500 faults: none lost, none doubled",
  async ({ signal }) => {
    const seed = chosenSeed();
    console.log(`THROUGHLINE_SEED=${seed}`);
    const story = await bundle("test/trust/faultRun.ts");
    const report = await runWithFaults(
      story,
      { seed, agents: 16, events: 5_000, faults: 500, longestMs: 1_600, stillMs: 3_000 },
      { size: "192m", signal },
    );
    const { lost, doubled, strange, noise, ok } = report;
    expect({ lost, doubled, strange, noise, ok }).toEqual({
      ...{ lost: [], doubled: [], strange: [], noise: [] },
      ok: true,
    });
    expect(report.reported).toBe(5_000);
    expect(report.faults).toBeGreaterThanOrEqual(500);
    expect(Object.keys(report.kinds).toSorted()).toEqual(Object.keys(faults).toSorted());
  },
);
