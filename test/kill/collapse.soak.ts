// Two hundred kills of processes that collapse spans, with a new seed each time.
import { expect, it } from "vitest";
import { chosenSeed } from "../seed.ts";
import { killCollapses } from "./collapseKills.ts";
import { withFolder } from "./withFolder.ts";

it("a session goes on with the same bytes after each of 200 kills in or around a collapse", async () => {
  const seed = chosenSeed();
  await withFolder(async (folder) => {
    const tally = await killCollapses(folder, 200, seed);
    console.log(JSON.stringify({ seed, ...tally }));
    expect(tally.commits).toBeGreaterThanOrEqual(200);
  });
});
