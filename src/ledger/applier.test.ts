// The incremental applier gives what apply gives, however the history grows.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { anyHistoryWithLedger } from "../../test/arbitrary/history.ts";
import { Applier, apply } from "./index.ts";

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
