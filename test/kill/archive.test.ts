// The archive while its writers are killed.
import { describe, expect, it } from "vitest";
import { killArchiveWriters } from "./archiveKills.ts";
import { withFolder } from "./withFolder.ts";

describe("an archive whose writer is killed", () => {
  it("is never read half written, and the next run makes it whole, wherever it dies", async () => {
    await withFolder(async (folder) => {
      const tally = await killArchiveWriters(folder, 4, 7);
      expect(tally.kills).toBe(16);
    });
  });
});
