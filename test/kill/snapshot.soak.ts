// Four hundred kills of snapshots' writers, with a new seed each time.
import { expect, it } from "vitest";
import { chosenSeed } from "../seed.ts";
import { killSnapshotWriters } from "./snapshotKills.ts";
import { withFolder } from "./withFolder.ts";

it("a project shows nothing half-written after each of 400 kills", async () => {
  const seed = chosenSeed();
  await withFolder(async (folder) => {
    const tally = await killSnapshotWriters(folder, 400, seed);
    console.log(JSON.stringify({ seed, ...tally }));
    expect(tally.confirmed).toBeGreaterThanOrEqual(200);
  });
});
