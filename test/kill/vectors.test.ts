// Vectors in the database while the one who makes them is killed.
import path from "node:path";
import { expect, it } from "vitest";
import { isObject, parseJson } from "../../src/lib/index.ts";
import { openStore } from "../../src/store/index.ts";
import { killLoop } from "./killLoop.ts";
import { vectorState } from "./vectorState.ts";
import { withFolder } from "./withFolder.ts";

it("keeps every vector that was confirmed, and none without its place, after each of 12 kills", async () => {
  await withFolder(async (folder) => {
    const file = path.join(folder, "throughline.db");
    let confirmed = 0;
    await killLoop({
      entry: path.join(import.meta.dirname, "vectorsWriter.ts"),
      args: (round) => [file, String(round)],
      kills: 12,
      seed: 20_261_116,
      onRound: async ({ confirmed: [lines = []] }) => {
        const last = parseJson(lines.at(-1) ?? "");
        if (isObject(last)) confirmed = Math.max(confirmed, Number(last.vectors));
        const store = await openStore({ file });
        const { vectors, waiting } = await vectorState(store);
        const { counts } = await store.stats();
        const { problems } = await store.integrityCheck();
        await store.close();
        expect(vectors).toBeGreaterThanOrEqual(confirmed);
        // Every message is one passage: it has its vector or it waits, and never both.
        expect(vectors + waiting).toBe(counts.messages);
        expect(problems).toEqual([]);
      },
    });
    expect(confirmed).toBeGreaterThan(12);
  });
});
