// Two hundred kills of the ledger's writers, with a new seed each time.
import { expect, it } from "vitest";
import { chosenSeed } from "../seed.ts";
import { killLedgerWriters } from "./ledgerKills.ts";
import { withFolder } from "./withFolder.ts";

it("a ledger holds every confirmed entry after each of 200 kills", async () => {
  const seed = chosenSeed();
  await withFolder(async (folder) => {
    const tally = await killLedgerWriters(folder, 200, seed);
    console.log(JSON.stringify({ seed, ...tally }));
    expect(tally.confirmed).toBeGreaterThanOrEqual(200);
  });
});
