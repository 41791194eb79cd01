// The vault under kill -9: what every round must find, for the short run and the long one.
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { expect } from "vitest";
import { openVault } from "../../src/vault/index.ts";
import { killLoop } from "./killLoop.ts";
import { vaultContent } from "./vaultContent.ts";

export const vaultWriter = fileURLToPath(new URL("./vaultWriter.ts", import.meta.url));

interface KillTally {
  readonly kills: number;
  readonly confirmed: number;
  readonly orphans: number;
  readonly strays: number;
  readonly tornLines: number;
}

/** Two writers of one session a round, both killed; then everything ever confirmed must be there, byte for byte. */
export async function killVaultWriters(folder: string, kills: number, seed: number): Promise<KillTally> {
  const writers = 2;
  const confirmed = new Map<string, Uint8Array>();
  await killLoop({
    entry: vaultWriter,
    args: (round, writer) => [folder, "killed", `r${round}w${writer}`],
    kills: kills / writers,
    writers,
    seed,
    onRound: ({ round, confirmed: lines }) => {
      // A vault opened anew: nothing may depend on what an earlier one remembers.
      const vault = openVault(folder);
      lines.forEach((handles, writer) => {
        handles.forEach((handle, index) => {
          const content = vaultContent(`r${round}w${writer}`, index);
          confirmed.set(handle, content);
          expect(Buffer.compare(vault.read(handle), content)).toBe(0);
          expect(vault.resolve(`r${round}w${writer}-${index}`).handle).toBe(handle);
        });
      });
      expect(vault.verify()).toMatchObject({ corrupt: [], missing: [] });
    },
  });
  const vault = openVault(folder);
  for (const [handle, content] of confirmed) expect(Buffer.compare(vault.read(handle), content)).toBe(0);
  const { orphans, strays } = vault.verify();
  return {
    kills,
    confirmed: confirmed.size,
    orphans: orphans.length,
    strays: strays.length,
    tornLines: countTornLines(path.join(folder, "origins")),
  };
}

function countTornLines(folder: string): number {
  const lines = readdirSync(folder).flatMap((name) =>
    readFileSync(path.join(folder, name), "utf8").split("\n"),
  );
  return lines.filter((line) => line !== "" && !line.endsWith("}")).length;
}
