// A lock that several processes take and release all the time.
import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { runTogether } from "./killLoop.ts";
import { withFolder } from "./withFolder.ts";

const lockWriter = fileURLToPath(new URL("./lockWriter.ts", import.meta.url));

describe("a lock", () => {
  it("has one holder at a time, who keeps it until it is released, also after one that died", async () => {
    await withFolder(async (folder) => {
      const own = [path.join(folder, "lock"), "500"];
      writeFileSync(path.join(folder, "lock"), String(spawnSync(process.execPath, ["-e", ""]).pid));
      expect(await runTogether(lockWriter, [own, own, own])).toEqual([["0 0"], ["0 0"], ["0 0"]]);
    });
  });
});
