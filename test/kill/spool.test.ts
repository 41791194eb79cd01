// The spool with real processes: killed at random moments, and writing side by side.
import { readdirSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { drainSpool } from "../../src/spool/index.ts";
import { runTogether } from "./killLoop.ts";
import { killSpoolWriters, spoolWriter } from "./spoolKills.ts";
import { withFolder } from "./withFolder.ts";

describe("a spool whose writers are killed", () => {
  it("gives out every event that was confirmed and no part of any, after 20 kills", async () => {
    await withFolder(async (folder) => {
      const tally = await killSpoolWriters(folder, 20, 20_260_803);
      expect(tally.confirmed).toBeGreaterThanOrEqual(20);
    });
  });
});

describe("a spool with several writers at once", () => {
  it("holds 1,000 events of 8 processes, each in a file of its own", async () => {
    await withFolder(async (folder) => {
      const writers = Array.from({ length: 8 }, (_, writer) => [folder, `w${writer}`, "125"]);
      const ids = (await runTogether(spoolWriter, writers)).flat();
      expect(new Set(ids).size).toBe(1_000);
      expect(readdirSync(folder)).toHaveLength(1_000);
      const drained: string[] = [];
      await drainSpool(folder, {
        batch: 50,
        handle: async (events) => drained.push(...events.map(({ id }) => id)),
      });
      expect(drained.sort()).toEqual(ids.sort());
    });
  });
});
