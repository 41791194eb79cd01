// Two hundred kills of processes that write notes, with a new seed each time.
import { expect, it } from "vitest";
import { chosenSeed } from "../seed.ts";
import { killNotesWriters } from "./notesKills.ts";
import { withFolder } from "./withFolder.ts";

it("notes are the last ones that were committed after each of 200 kills", async () => {
  const seed = chosenSeed();
  await withFolder(async (folder) => {
    const tally = await killNotesWriters(folder, 200, seed);
    console.log(JSON.stringify({ seed, ...tally }));
    expect(tally.steps).toBeGreaterThanOrEqual(200);
  });
});
