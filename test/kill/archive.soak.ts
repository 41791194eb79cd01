// A hundred kills of the archive's writers, with a new seed each time.
import { expect, it } from "vitest";
import { chosenSeed } from "../seed.ts";
import { killArchiveWriters } from "./archiveKills.ts";
import { withFolder } from "./withFolder.ts";

it("an archive is whole after each of 100 kills", async () => {
  const seed = chosenSeed();
  await withFolder(async (folder) => {
    const tally = await killArchiveWriters(folder, 100, seed);
    console.log(JSON.stringify({ seed, ...tally }));
    expect(tally.steps).toBeGreaterThanOrEqual(100);
  });
});
