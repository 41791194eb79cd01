// Three processes with one session decide the same things at the same time: each edit is recorded once.
import path from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { ledgerFile, resolveHome, sessionPlace } from "../../src/home/index.ts";
import { activeEntries, openLedger } from "../../src/ledger/index.ts";
import { runTogether } from "../kill/killLoop.ts";
import { withFolder } from "../kill/withFolder.ts";

const client = fileURLToPath(new URL("./ledgerClient.ts", import.meta.url));
const STEPS = 25;
const START_MS = 1_500;

describe("a session in three processes at once", () => {
  it("has every edit once, and every entry in force", async () => {
    await withFolder(async (folder) => {
      const home = path.join(folder, "home");
      const args = [home, String(Date.now() + START_MS), String(STEPS)];
      const told = await runTogether(client, [args, args, args]);
      expect(told.map((lines) => lines.length)).toEqual([STEPS, STEPS, STEPS]);
      const env = { THROUGHLINE_HOME: home };
      const place = sessionPlace(
        resolveHome({ env, platform: process.platform, homeFolder: folder }),
        "project",
        "shared",
      );
      const ledger = openLedger(ledgerFile(place));
      expect(ledger.problems()).toEqual([]);
      const results = ledger
        .entries()
        .flatMap(({ edit, level }) => (edit.kind === "replace-result" ? [`${level} ${edit.toolUseId}`] : []));
      expect(results.length).toBeGreaterThanOrEqual(STEPS);
      expect(results.filter((one, at) => results.indexOf(one) !== at)).toEqual([]);
      const tags = ledger.entries().filter(({ edit }) => edit.kind === "tag-inputs");
      expect(tags.length).toBeLessThanOrEqual(1);
      expect(activeEntries(ledger.entries()).length).toBe(ledger.entries().length);
    });
  });
});
