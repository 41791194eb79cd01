// The archive while its writers are killed.
import { describe, expect, it } from "vitest";
import { killArchiveWriters } from "./archiveKills.ts";
import { withFolder } from "./withFolder.ts";

describe("an archive whose writer is killed", () => {
  it("is never read half written, and the next run makes it whole, after each of 8 kills", async () => {
    await withFolder(async (folder) => {
      const tally = await killArchiveWriters(folder, 8, 20_261_116);
      expect(tally.steps).toBeGreaterThanOrEqual(8);
    });
  });
});
