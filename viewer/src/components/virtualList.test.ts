// The virtual list renders the rows in view and few more, and stays in place when rows arrive above.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { anchorAt, rowIndexAt, rowOffsets, scrollTopFor, visibleRows } from "./virtualList.tsx";

const heights = fc.array(fc.integer({ min: 20, max: 60 }), { minLength: 1, maxLength: 400 });

describe("rows of a long list", () => {
  it("cover every pixel that is seen", () => {
    fc.assert(
      fc.property(heights, fc.double({ min: 0, max: 1, noNaN: true }), (given, share) => {
        const starts = rowOffsets(given);
        const total = starts.at(-1) ?? 0;
        const top = share * total;
        const { first, end } = visibleRows(starts, { top, height: 700 }, 0);
        expect(starts[first]).toBeLessThanOrEqual(top);
        expect(starts[end]).toBeGreaterThanOrEqual(Math.min(total, top + 700));
      }),
    );
  });

  it("are few, however many there are", () => {
    const starts = rowOffsets(new Array(100_000).fill(30));
    for (const top of [0, 1_499_990, 2_999_000]) {
      const { first, end } = visibleRows(starts, { top, height: 1_200 });
      expect(end - first).toBeLessThan(80);
    }
  });

  it("are found at both ends and in an empty list", () => {
    const starts = rowOffsets([10, 10, 10]);
    expect([-5, 0, 9.9, 10, 29, 1_000].map((top) => rowIndexAt(starts, top))).toEqual([0, 0, 0, 1, 2, 2]);
    expect(visibleRows(rowOffsets([]), { top: 0, height: 100 })).toEqual({ first: 0, end: 0 });
  });
});

describe("what the reader looks at", () => {
  it("stays where it is when rows come in above", () => {
    const keys = ["a", "b", "c"];
    const anchor = anchorAt(rowOffsets([30, 30, 30]), keys, 40);
    expect(anchor).toEqual({ key: "b", past: 10 });
    const after = ["x", "y", "a", "b", "c"];
    expect(anchor && scrollTopFor(rowOffsets([30, 30, 30, 30, 30]), after, anchor)).toBe(100);
  });

  it("cannot stay when it is gone", () => {
    expect(scrollTopFor(rowOffsets([30]), ["a"], { key: "b", past: 3 })).toBeUndefined();
  });
});
