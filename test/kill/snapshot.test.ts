// Snapshots with real processes that are killed between any two of their writes.
import { describe, expect, it } from "vitest";
import { killSnapshotWriters } from "./snapshotKills.ts";
import { withFolder } from "./withFolder.ts";

describe("a project whose snapshots' writers are killed", () => {
  it("shows nothing half-written, and is clean after the next start, after each of 24 kills", async () => {
    await withFolder(async (folder) => {
      const tally = await killSnapshotWriters(folder, 24, 20_261_115);

      expect(tally.confirmed).toBeGreaterThanOrEqual(10);
    });
  });
});
