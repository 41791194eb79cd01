// Words that are written wrongly, and what was meant.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { beginningOf, editDistance, meantBy } from "./misspelled.ts";

describe("the distance of two words", () => {
  it.each([
    ["pursue", "persue", 1],
    ["default", "defaul", 1],
    ["recieve", "receive", 1],
    ["kitten", "sitting", 3],
    ["same", "same", 0],
  ])("from %s to %s", (one, other, distance) => {
    expect(editDistance(one, other, 5)).toBe(distance);
    expect(editDistance(other, one, 5)).toBe(distance);
  });

  it("is at most one more than what matters, and never less than the difference of their lengths", () => {
    const word = fc.string({ unit: fc.constantFrom("a", "b", "c"), maxLength: 8 });
    fc.assert(
      fc.property(word, word, fc.integer({ min: 0, max: 3 }), (one, other, most) => {
        const distance = editDistance(one, other, most);
        expect(distance).toBeLessThanOrEqual(most + 1);
        expect(distance === 0).toBe(one === other);
        expect(distance).toBeGreaterThanOrEqual(Math.min(most + 1, Math.abs(one.length - other.length)));
      }),
    );
  });
});

describe("what was meant", () => {
  const known = new Map([
    ["inherit", 3],
    ["inherent", 2],
    ["default", 5],
    ["defect", 7],
    ["configur", 2],
  ]);

  it("is the nearest, and of the nearest the most common", () => {
    expect(meantBy("inheret", known)).toBe("inherit");
    expect(meantBy("defaul", known)).toBe("default");
    expect(meantBy("confgiuer", known)).toBe("configur");
  });

  it("is nothing where two letters of a short word are wrong, or where it is no word to guess at", () => {
    expect(meantBy("deflt", known)).toBeUndefined();
    expect([
      beginningOf("jso"),
      beginningOf("v2beta"),
      beginningOf("数据库连接"),
      beginningOf("persu"),
    ]).toEqual([undefined, undefined, undefined, "pe"]);
  });
});
