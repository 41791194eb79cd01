// A compaction that is killed at every single call of the file system, in the words of every source.
import { expect, it } from "vitest";
import { killCompactions } from "./compactionKills.ts";
import { sources } from "./compactionStep.ts";
import { withFolder } from "./withFolder.ts";

it.each(sources)(
  "with words from the %s leaves the old window or the new one at every point",
  async (source) => {
    await withFolder(async (folder) => {
      const tally = await killCompactions(folder, source, 1);
      console.log(JSON.stringify({ source, ...tally }));
      expect(tally.old).toBeGreaterThan(0);
      expect(tally.fresh).toBeGreaterThan(0);
    });
  },
);
