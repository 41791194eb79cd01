// A session that costs more than it would without edits makes no new ones, until it has come down again.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { chosenSeed } from "../../test/seed.ts";
import { afterRequest, guardReason, nothingSpent, type SpentSoFar } from "./costGuard.ts";

const spentAfter = (
  count: number,
  measured: number,
  counterfactual: number,
  from = nothingSpent,
): SpentSoFar =>
  Array.from({ length: count }).reduce<SpentSoFar>(
    (spent) => afterRequest(spent, { measured, counterfactual }),
    from,
  );

describe("the guard", () => {
  it("stops edits when a session has run above its counterfactual for 20 requests, and says so", () => {
    expect(guardReason(spentAfter(19, 0.2, 0.1))).toBeUndefined();
    expect(guardReason(spentAfter(20, 0.2, 0.1))).toBe(
      "no new edits: for 20 requests this session has cost more than without them ($4.00 against $2.00)",
    );
  });

  it("never stops a session that costs as much or less", () => {
    expect(guardReason(spentAfter(500, 0.1, 0.1))).toBeUndefined();
    expect(guardReason(spentAfter(500, 0.1, 0.3))).toBeUndefined();
  });

  it("counts the session, not the request: dear requests after savings stop nothing", () => {
    expect(guardReason(spentAfter(30, 0.2, 0.1, spentAfter(100, 0.1, 0.2)))).toBeUndefined();
  });

  it("lets a session edit again that its earlier edits have brought down", () => {
    const stopped = spentAfter(20, 0.2, 0.1);
    expect(guardReason(spentAfter(19, 0.1, 0.2, stopped))).toBeDefined();
    expect(guardReason(spentAfter(20, 0.1, 0.2, stopped))).toBeUndefined();
  });

  it("begins to count anew after every request that was not above", () => {
    const amounts = fc.array(fc.tuple(fc.double({ min: 0, max: 1 }), fc.double({ min: 0, max: 1 })), {
      maxLength: 120,
    });
    fc.assert(
      fc.property(amounts, (requests) => {
        let spent = nothingSpent;
        let run = 0;
        let [with_, without] = [0, 0];
        for (const [measured, counterfactual] of requests) {
          spent = afterRequest(spent, { measured, counterfactual });
          with_ += measured || 0;
          without += counterfactual || 0;
          run = with_ > without + 1e-9 ? run + 1 : 0;
        }
        fc.pre(Number.isFinite(with_) && Number.isFinite(without));
        expect(guardReason(spent) !== undefined).toBe(run >= 20);
      }),
      { seed: chosenSeed() },
    );
  });

  it("takes amounts that are no amounts for nothing", () => {
    const odd = [Number.NaN, Number.POSITIVE_INFINITY, -5];
    for (const measured of odd)
      expect(afterRequest(nothingSpent, { measured, counterfactual: Number.NaN })).toEqual(nothingSpent);
  });
});
