// How charts lay out what they show.
import { describe, expect, it } from "vitest";
import { placeLabels, scaleFor, thinned } from "./charts.ts";

describe("a scale", () => {
  it("has round steps around its values, and few of them", () => {
    expect(scaleFor([70.8, 125.1], 10)).toMatchObject({ from: 60, to: 130 });
    expect(scaleFor([70.8, 125.1], 10).steps).toEqual([60, 80, 100, 120]);
    expect(scaleFor([100], 10)).toMatchObject({ from: 90, to: 110 });
  });

  it("does not pass what nothing can pass", () => {
    expect(scaleFor([92, 99.9], 2, 100).to).toBe(100);
  });
});

describe("a line of many points", () => {
  it("keeps its peaks", () => {
    const values = Array.from({ length: 1_000 }, (_, at) => (at === 777 ? 50 : 1));
    const few = thinned(values, 100);
    expect(few).toHaveLength(100);
    expect(Math.max(...few)).toBe(50);
    expect(thinned([1, 2, 3], 100)).toEqual([1, 2, 3]);
  });
});

describe("the names of dots", () => {
  it("stand to the right where there is room, and elsewhere where there is none", () => {
    const [alone, atTheEdge] = placeLabels([
      { name: "thrifty", x: 20, y: 50 },
      { name: "keep-5", x: 99, y: 50 },
    ]);
    expect(alone).toEqual({ side: "right", shift: 0 });
    expect(atTheEdge?.side).toBe("left");
  });

  it("do not lie on each other", () => {
    const dots = ["opencode", "opencode-prune", "pi"].map((name, at) => ({ name, x: 50 + at, y: 10 }));
    const places = placeLabels(dots).map(({ side, shift }) => `${side} ${shift}`);
    expect(new Set(places).size).toBe(3);
  });
});
