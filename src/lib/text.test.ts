// Cutting a text without halving a character.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { firstCharacters, lastCharacters } from "./index.ts";

const halved = /[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/;
const text = fc.array(fc.constantFrom("a", "字", "😀", "𠮷", "\n")).map((parts) => parts.join(""));

describe("cutting a text", () => {
  it("never halves a character, and never gives more than was asked for", () => {
    fc.assert(
      fc.property(text, fc.integer({ min: -1, max: 12 }), (whole, count) => {
        const [first, last] = [firstCharacters(whole, count), lastCharacters(whole, count)];
        expect(whole.startsWith(first) && whole.endsWith(last)).toBe(true);
        for (const part of [first, last]) {
          expect(part).not.toMatch(halved);
          expect(part.length).toBeLessThanOrEqual(Math.max(0, count));
          expect(part.length).toBeGreaterThanOrEqual(Math.min(whole.length, count - 1));
        }
      }),
    );
  });

  it("gives nothing for nothing, and a text that is short enough whole", () => {
    expect([firstCharacters("text", 0), lastCharacters("text", 0)]).toEqual(["", ""]);
    expect([firstCharacters("😀", 2), lastCharacters("😀", 9)]).toEqual(["😀", "😀"]);
  });
});
