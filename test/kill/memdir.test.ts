// The memory directory while its writers are killed, and while several write at once.
import { describe, expect, it } from "vitest";
import { killMemdirWriters, saveTogether } from "./memdirKills.ts";
import { withFolder } from "./withFolder.ts";

describe("a memory directory", () => {
  it("has a file for each line and a line for each file, wherever its writers die", async () => {
    await withFolder(async (folder) => {
      const tally = await killMemdirWriters(folder, 6, 9);
      expect(tally.kills).toBe(12);
    });
  });

  it("loses neither a file nor a line when two processes save at once", async () => {
    await withFolder(async (folder) => {
      expect(await saveTogether(folder, 2, 25)).toBe(50);
    });
  });
});
