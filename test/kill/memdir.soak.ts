// The memory directory's writers die at each operation on the disk in turn; and two save a thousand memories at once.
import { expect, it } from "vitest";
import { killMemdirWriters, saveTogether } from "./memdirKills.ts";
import { withFolder } from "./withFolder.ts";

it("index and files agree wherever a writer dies", async () => {
  await withFolder(async (folder) => {
    const tally = await killMemdirWriters(folder, 120, 3);
    console.log(JSON.stringify(tally));
    expect(tally.torn).toBeGreaterThan(0);
  });
});

it("two processes save five hundred memories each", async () => {
  await withFolder(async (folder) => {
    expect(await saveTogether(folder, 2, 500)).toBe(1_000);
  });
});
