// A compaction that is killed, at the other half of its points: the old window or the new one, byte for byte.
import { describe, expect, it } from "vitest";
import { killCompactions } from "./compactionKills.ts";
import { withFolder } from "./withFolder.ts";

describe("a compaction that is killed", () => {
  it("leaves the old window or the new one, at the calls of the file system between those of the other half", async () => {
    await withFolder(async (folder) => {
      const tally = await killCompactions(folder, "model", 18, 9);
      expect(tally.points).toBeGreaterThanOrEqual(5);
      expect(tally.old).toBeGreaterThan(0);
    });
  });
});
