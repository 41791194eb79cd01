// Two hundred kills of the vault's writers, with a new seed each time.
import { expect, it } from "vitest";
import { chosenSeed } from "../seed.ts";
import { killVaultWriters } from "./vaultKills.ts";
import { withFolder } from "./withFolder.ts";

it("a vault holds every confirmed byte after each of 200 kills", async () => {
  const seed = chosenSeed();
  await withFolder(async (folder) => {
    const tally = await killVaultWriters(folder, 200, seed);
    console.log(JSON.stringify({ seed, ...tally }));
    expect(tally.confirmed).toBeGreaterThanOrEqual(200);
  });
});
