// The ledger on disk while its writers are killed, and while several write at once.
import path from "node:path";
import { describe, expect, it } from "vitest";
import { openLedger } from "../../src/ledger/index.ts";
import { runTogether } from "./killLoop.ts";
import { expectWhole, killLedgerWriters, ledgerWriter } from "./ledgerKills.ts";
import { withFolder } from "./withFolder.ts";

describe("a ledger whose writers are killed", () => {
  it("still holds every entry that an append had confirmed, after each of 20 kills", async () => {
    await withFolder(async (folder) => {
      const tally = await killLedgerWriters(folder, 20, 20_260_802);
      expect(tally.confirmed).toBeGreaterThanOrEqual(20);
    });
  });
});

describe("a ledger with several writers at once", () => {
  it("takes every entry of each, in its order, and no line is broken", async () => {
    await withFolder(async (folder) => {
      const file = path.join(folder, "ledger.jsonl");
      const appended = 150;
      const writers = ["left", "right", "third"];
      await runTogether(
        ledgerWriter,
        writers.map((writer) => [file, writer, String(appended)]),
      );
      const ledger = openLedger(file);
      expectWhole(ledger, new Map(writers.map((writer) => [writer, appended])));
      expect(ledger.entries()).toHaveLength(writers.length * appended);
      expect(ledger.problems()).toEqual([]);
    });
  });
});
