// The store under kill -9: what every round must find, for the short run and the long one.
import path from "node:path";
import { fileURLToPath } from "node:url";
import { expect } from "vitest";
import { openStore, type Store } from "../../src/store/index.ts";
import { killLoop } from "./killLoop.ts";
import { BATCH, storeBatch } from "./storeEvents.ts";

export const storeWriter = fileURLToPath(new URL("./storeWriter.ts", import.meta.url));

interface StoreTally {
  readonly kills: number;
  readonly confirmed: number;
  readonly stored: number;
}

/** Two writers a round on one database, both killed; then every confirmed batch is there, and no batch by half. */
export async function killStoreWriters(folder: string, kills: number, seed: number): Promise<StoreTally> {
  const writers = 2;
  const file = path.join(folder, "data", "throughline.db");
  let confirmed = 0;
  let stored = 0;
  await killLoop({
    entry: storeWriter,
    args: (round, writer) => [file, `r${round}w${writer}`],
    kills: kills / writers,
    writers,
    seed,
    onRound: async ({ round, confirmed: lines }) => {
      const store = await openStore({ file });
      for (const [writer, batches] of lines.entries()) {
        confirmed += batches.length * BATCH;
        stored += await checkWriter(store, `r${round}w${writer}`, batches.length);
      }
      const { counts } = await store.stats();
      expect(counts.events).toBe(stored);
      // A prompt opens each batch, and the work of the others is queued with them.
      expect(counts).toMatchObject({ prompts: stored / BATCH, jobs: stored - stored / BATCH });
      expect(await store.session("shared")).toMatchObject({ promptCounter: counts.prompts });
      expect(await store.integrityCheck()).toEqual({ ok: true, problems: [] });
      await store.close();
    },
  });
  return { kills, confirmed, stored };
}

/** How many events of the writer are stored; at most one batch more than it could confirm. */
async function checkWriter(store: Store, writer: string, confirmed: number): Promise<number> {
  let batch = 0;
  for (; ; batch++) {
    const events = storeBatch(writer, batch);
    const found = await store.eventsById(events.map(({ id }) => id));
    if (found.length === 0) break;
    expect(found).toMatchObject(events);
  }
  expect(batch).toBeGreaterThanOrEqual(confirmed);
  expect(batch).toBeLessThanOrEqual(confirmed + 1);
  return batch * BATCH;
}
