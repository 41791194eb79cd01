// The archive's writers die at each operation on the disk in turn, far more than a hundred times.
import { expect, it } from "vitest";
import { killArchiveWriters } from "./archiveKills.ts";
import { withFolder } from "./withFolder.ts";

it("an archive is whole wherever its writer dies", async () => {
  await withFolder(async (folder) => {
    const tally = await killArchiveWriters(folder, 80, 1);
    console.log(JSON.stringify(tally));
    expect(tally.torn).toBeGreaterThan(0);
  });
});
