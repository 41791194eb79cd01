// What one observation may and may not do to the learned rates.
import { describe, expect, it } from "vitest";
import { learn, startRates } from "./counter.ts";
import { classIndex, contentClasses, emptyShape } from "./shape.ts";

const ones = contentClasses.map(() => 1);
const shapeWith = (tokens: Partial<Record<(typeof contentClasses)[number], number>>): number[] => {
  const shape = emptyShape();
  for (const name of contentClasses) shape[classIndex[name]] = tokens[name] ?? 0;
  return shape;
};

describe("learn", () => {
  it("moves the rate of what was seen towards the truth, and no other", () => {
    const { factors } = learn(startRates(ones, 1), shapeWith({ output: 5_000 }), 5_200);
    expect(factors[classIndex.output]).toBeGreaterThan(1);
    expect(factors[classIndex.output]).toBeLessThan(1.04);
    expect(factors[classIndex.prose]).toBe(1);
  });

  it("hardly moves for a count that cannot be true, such as that of a history cut behind our back", () => {
    const { factors } = learn(startRates(ones, 1), shapeWith({ output: 1_500 }), -25_000);
    expect(factors[classIndex.output]).toBeGreaterThan(0.93);
  });

  it("moves more where it knows less", () => {
    const shape = shapeWith({ cjk: 2_000, output: 2_000 });
    const { factors } = learn(startRates(ones, 1), shape, 4_400);
    expect(factors[classIndex.cjk]).toBeGreaterThan(factors[classIndex.output] ?? 0);
  });

  it("never learns a rate for what is counted by rule", () => {
    const { factors } = learn(startRates(ones, 1), shapeWith({ rule: 1_600, output: 500 }), 9_000);
    expect(factors[classIndex.rule]).toBe(1);
  });
});
