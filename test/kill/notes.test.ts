// Session notes on disk while the processes that write them are killed.
import { describe, expect, it } from "vitest";
import { killNotesWriters } from "./notesKills.ts";
import { withFolder } from "./withFolder.ts";

describe("notes whose writers are killed", () => {
  it("are the last ones that were committed, byte for byte, after each of 15 kills", async () => {
    await withFolder(async (folder) => {
      const tally = await killNotesWriters(folder, 15, 20_261_116);
      expect(tally.steps).toBeGreaterThanOrEqual(15);
    });
  });
});
