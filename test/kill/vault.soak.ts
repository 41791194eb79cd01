// Two hundred kills of the vault's writers, with a new seed each time.
import { expect, it } from "vitest";
import { killVaultWriters, withFolder } from "./vaultKills.ts";

it("a vault holds every confirmed byte after each of 200 kills", async () => {
  const seed = Number(process.env.THROUGHLINE_SEED ?? Date.now() % 2 ** 32);
  await withFolder(async (folder) => {
    const tally = await killVaultWriters(folder, 200, seed);
    console.log(JSON.stringify({ seed, ...tally }));
    expect(tally.confirmed).toBeGreaterThanOrEqual(200);
  });
});
