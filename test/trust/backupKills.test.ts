// A few deaths in the middle of a backup and of a restore; all of them are in the soak.
import { expect, it } from "vitest";
import { withFolder } from "../kill/withFolder.ts";
import { killBackups, killRestores } from "./backupKills.ts";

it("a killed backup leaves a whole set or none", () =>
  withFolder(async (folder) => {
    expect((await killBackups(folder, 6)).points).toBeGreaterThanOrEqual(6);
  }));

it("a killed restore leaves the old state or the new one, and can be repeated", () =>
  withFolder(async (folder) => {
    const { before, after } = await killRestores(folder, 8);
    expect(before).toBeGreaterThan(0);
    expect(after).toBeGreaterThan(0);
  }));
