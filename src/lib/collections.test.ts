// What is known of grown arrays agrees with what a walk through them would find.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { commonStart, grow } from "./collections.ts";

const walked = (a: readonly number[], b: readonly number[]): number => {
  let same = 0;
  while (same < Math.min(a.length, b.length) && a[same] === b[same]) same++;
  return same;
};

describe("grown arrays", () => {
  it("share what a walk would find, however they came to be", () => {
    const numbers = fc.array(fc.integer({ min: 0, max: 2 }), { maxLength: 6 });
    fc.assert(
      fc.property(numbers, fc.array(fc.tuple(fc.nat(8), numbers), { maxLength: 5 }), (start, steps) => {
        const all: (readonly number[])[] = [start];
        for (const [shared, added] of steps) {
          const base = all.at(-1) ?? [];
          all.push(grow(base, Math.min(shared, base.length), added));
        }
        for (const a of all) for (const b of all) expect(commonStart(a, b)).toBe(walked(a, b));
      }),
    );
  });

  it("do not look at what was taken over", () => {
    const base = [1, 2, 3];
    const looked: number[] = [];
    const isSame = (x: number, y: number): boolean => {
      looked.push(x);
      return x === y;
    };
    expect(commonStart(base, grow(base, 3, [4]), isSame)).toBe(3);
    expect(looked).toEqual([]);
  });
});
