// A compaction that is killed: the old window or the new one, byte for byte.
import { describe, expect, it } from "vitest";
import { killCompactions } from "./compactionKills.ts";
import { withFolder } from "./withFolder.ts";

describe("a compaction that is killed", () => {
  it.each([0, 9, 18, 27])(
    "leaves the old window or the new one, at every 36th call of the file system from the %ith",
    async (first) => {
      await withFolder(async (folder) => {
        const tally = await killCompactions(folder, "model", 36, first);
        expect(tally.points).toBeGreaterThanOrEqual(5);
        expect(tally.old).toBeGreaterThan(0);
      });
    },
  );
});
