// The store with real processes: killed at random moments, and writing side by side.
import path from "node:path";
import { describe, expect, it } from "vitest";
import { openStore } from "../../src/store/index.ts";
import { runTogether } from "./killLoop.ts";
import { BATCH } from "./storeEvents.ts";
import { killStoreWriters, storeWriter } from "./storeKills.ts";
import { withFolder } from "./withFolder.ts";

describe("a store whose writers are killed", () => {
  it("still holds every batch it confirmed, and none by half, after each of 20 kills", async () => {
    await withFolder(async (folder) => {
      const tally = await killStoreWriters(folder, 20, 20_261_116);
      expect(tally.confirmed).toBeGreaterThanOrEqual(20 * BATCH);
    });
  });
});

describe("a store with several writers at once", () => {
  it("takes what all of them tell, and what two of them tell once", async () => {
    await withFolder(async (folder) => {
      const file = path.join(folder, "throughline.db");
      await runTogether(
        storeWriter,
        ["left", "right", "left"].map((writer) => [file, writer, "30"]),
      );
      const store = await openStore({ file });
      expect((await store.stats()).counts).toMatchObject({ events: 2 * 30 * BATCH, prompts: 60 });
      await store.close();
    });
  });
});
