// The vault with real processes: killed at random moments, and writing side by side.
import { setImmediate } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { openVault } from "../../src/vault/index.ts";
import { runTogether } from "./killLoop.ts";
import { vaultContent } from "./vaultContent.ts";
import { killVaultWriters, vaultWriter } from "./vaultKills.ts";
import { withFolder } from "./withFolder.ts";

describe("a vault whose writers are killed", () => {
  it("still holds every byte that a put had confirmed, after each of 20 kills", async () => {
    await withFolder(async (folder) => {
      const tally = await killVaultWriters(folder, 20, 20_260_801);
      expect(tally.confirmed).toBeGreaterThanOrEqual(20);
    });
  });
});

describe("a vault with several writers at once", () => {
  it("loses nothing when they share a session and some of their content", async () => {
    await withFolder(async (folder) => {
      const puts = 40;
      const names = ["left", "right", "left"];
      await runTogether(
        vaultWriter,
        names.map((name) => [folder, "shared", name, String(puts)]),
      );
      const vault = openVault(folder);
      for (const name of ["left", "right"]) {
        for (let index = 0; index < puts; index++) {
          expect(Buffer.compare(vault.read(`${name}-${index}`), vaultContent(name, index))).toBe(0);
        }
      }
      expect(vault.verify()).toEqual({ blobs: 2 * puts, corrupt: [], missing: [], orphans: [], strays: [] });
      expect(vault.list({ session: "shared" })).toHaveLength(2 * puts);
    });
  });

  it("loses no origin of a writer while blobs of the same session are being forgotten", async () => {
    await withFolder(async (folder) => {
      const puts = 150;
      const vault = openVault(folder);
      let writing = true;
      const writer = runTogether(vaultWriter, [[folder, "shared", "writer", String(puts)]]).finally(() => {
        writing = false;
      });
      let forgotten = 0;
      try {
        while (writing) {
          vault.forget({ handle: vault.put(`passing ${forgotten++}`, { session: "shared" }).handle });
          await setImmediate();
        }
      } finally {
        await writer;
      }
      expect(openVault(folder).verify()).toMatchObject({ blobs: puts, missing: [], orphans: [] });
      expect(openVault(folder).list({ session: "shared" })).toHaveLength(puts);
    });
  });
});
