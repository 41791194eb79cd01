// Stores of the PostgreSQL engine for the contract, on a server that is given.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { openPostgresStore } from "../../src/store/postgres/engine.ts";
import type { Store } from "../../src/store/store.ts";
import { type Setting, START, type StoreFactory } from "../storeContract/setting.ts";

let stores = 0;
let teams = 0;

/** Every test has a schema of its own; another store is another team in it. */
export const storesOn =
  (url: () => string): StoreFactory =>
  (use) =>
  async () => {
    const folder = mkdtempSync(path.join(tmpdir(), "throughline-store-"));
    const clock = { time: START };
    const schema = `store_${stores++}`;
    const open = (team: string): Promise<Store> =>
      openPostgresStore({
        url: url(),
        schema,
        team,
        person: "ada",
        clock: { now: () => clock.time },
      });
    let current = await open("herons");
    const setting: Setting = {
      store: current,
      clock,
      folder,
      reopen: async () => {
        await current.close();
        current = await open("herons");
        return current;
      },
      another: () => open(`team-${teams++}`),
    };
    try {
      await use(setting);
    } finally {
      await current.close();
      rmSync(folder, { recursive: true, force: true });
    }
  };
