// A million cases of the ledger's properties; the seed is printed, and THROUGHLINE_SEED repeats it.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, describe, it } from "vitest";
import { applyProperties } from "../../test/properties/apply.ts";
import { logProperties } from "../../test/properties/log.ts";
import { recallProperty } from "../../test/properties/recall.ts";
import { chosenSeed } from "../../test/seed.ts";

const IN_MEMORY = 140_000;
/** Each of these writes and syncs a file. */
const ON_DISK = 10_000;

const folder = mkdtempSync(path.join(tmpdir(), "throughline-soak-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const trials = [
  ...[...applyProperties, recallProperty].map((property) => ({ ...property, numRuns: IN_MEMORY })),
  ...logProperties(path.join(folder, "ledger.jsonl")).map((property) => ({ ...property, numRuns: ON_DISK })),
];

describe("the ledger", () => {
  const seed = chosenSeed();
  for (const { says, holds, numRuns } of trials) {
    it(`${says} (${numRuns} cases)`, () => {
      console.log(JSON.stringify({ seed, cases: numRuns, property: says }));
      holds({ numRuns, seed });
    });
  }
});
