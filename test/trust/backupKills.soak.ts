// Every operation on the disk of a backup and of a restore is a death of its own.
import { expect, it } from "vitest";
import { withFolder } from "../kill/withFolder.ts";
import { killBackups, killRestores } from "./backupKills.ts";

it("a killed backup leaves a whole set or none", () =>
  withFolder(async (folder) => {
    const tally = await killBackups(folder, Number.POSITIVE_INFINITY);
    console.log(tally);
    expect(tally.points).toBeGreaterThan(50);
  }));

it("a killed restore leaves the old state or the new one, and can be repeated", () =>
  withFolder(async (folder) => {
    const tally = await killRestores(folder, Number.POSITIVE_INFINITY);
    console.log(tally);
    expect(tally.after).toBeGreaterThan(0);
  }));
