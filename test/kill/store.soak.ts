// Two hundred kills of the store's writers, with a new seed each time.
import { expect, it } from "vitest";
import { chosenSeed } from "../seed.ts";
import { killStoreWriters } from "./storeKills.ts";
import { withFolder } from "./withFolder.ts";

it("a store holds every confirmed batch after each of 200 kills", async () => {
  const seed = chosenSeed();
  await withFolder(async (folder) => {
    const tally = await killStoreWriters(folder, 200, seed);
    console.log(JSON.stringify({ seed, ...tally }));
    expect(tally.confirmed).toBeGreaterThanOrEqual(200);
  });
});
