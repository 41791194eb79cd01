// A session's vault grows with its conversation, however often it is compacted, and gives back every byte.
import path from "node:path";
import { describe, expect, it } from "vitest";
import { openVault } from "../../src/vault/index.ts";
import { withFolder } from "../kill/withFolder.ts";
import { playInto } from "./vaultGrowth.ts";

describe("a vault", () => {
  it.each([
    ["by the pipeline", false],
    ["by the mod, each time from the beginning", true],
  ])("takes at most 1.3 times the conversation that is compacted %s", (_, fresh) =>
    withFolder(async (folder) => {
      for (const [bytes, least] of [
        [500_000, 3],
        [1_000_000, 7],
      ] as const) {
        const at = path.join(folder, String(bytes));
        const growth = playInto(at, bytes, 100_000, fresh);
        expect(growth.compactions).toBeGreaterThanOrEqual(least);
        expect(growth.rawBytes).toBeLessThan(1.3 * growth.conversationBytes);
        expect(growth.vaultBytes).toBeLessThan(1.3 * growth.conversationBytes);
        const vault = openVault(path.join(at, "vault"));
        for (const [handle, content] of growth.taken)
          expect(Buffer.from(vault.read(handle)).toString("utf8")).toBe(content);
        expect(vault.verify()).toMatchObject({ corrupt: [], missing: [], orphans: [] });
      }
    }),
  );
});
