// Properties of apply, at the number of cases that a quick run can afford; `apply.soak.ts` has the many.

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { anyHistoryWithLedger } from "../../test/arbitrary/history.ts";
import { applyProperties } from "../../test/properties/apply.ts";
import { recallProperty } from "../../test/properties/recall.ts";
import { chosenSeed } from "../../test/seed.ts";
import { Applier, apply } from "./index.ts";

const CASES_EACH = 1_800;

describe("apply", () => {
  for (const { says, holds } of applyProperties)
    it(says, () => holds({ numRuns: CASES_EACH, seed: chosenSeed() }));
});

describe("recall", () => {
  it(recallProperty.says, () => recallProperty.holds({ numRuns: CASES_EACH, seed: chosenSeed() }));
});

describe("the applier", () => {
  it("gives what apply gives at every step of a growing history", () => {
    fc.assert(
      fc.property(
        anyHistoryWithLedger,
        fc.array(fc.nat(), { maxLength: 5 }),
        ({ history, entries }, cuts) => {
          const applier = new Applier();
          for (const cut of [...cuts.map((n) => n % (history.length + 1)), history.length]) {
            const sofar = history.slice(0, cut);
            expect(JSON.stringify(applier.apply(sofar, entries))).toBe(JSON.stringify(apply(sofar, entries)));
          }
        },
      ),
      { numRuns: 1_000 },
    );
  });
});
