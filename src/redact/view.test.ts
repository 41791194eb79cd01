// A place in a view leads back to the character of the original that it shows.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { readable } from "./readable.ts";
import { withoutTerminalSequences } from "./view.ts";

const textOf = (...units: readonly string[]): fc.Arbitrary<string> =>
  fc.array(fc.constantFrom(...units), { maxLength: 30 }).map((parts) => parts.join(""));

describe("a view", () => {
  it("without terminal sequences has every other character, at its place", () => {
    fc.assert(
      fc.property(textOf("a", "b", "\n", "\u001b[0m", "\\u001b[32m", "\u001b[", "é"), (text) => {
        const view = withoutTerminalSequences(text);
        const places = [...view.text].map((_, at) => view.place(at));
        expect(places.map((place) => text.charAt(place)).join("")).toBe(view.text);
        expect(places.every((place, at) => at === 0 || place > (places[at - 1] ?? 0))).toBe(true);
        expect(view.place(view.text.length)).toBe(text.length);
      }),
    );
  });

  it("as a person reads it leads from every letter of a sign to the sign", () => {
    const text = "a\u200bb…ﬁ\u{1d41a}c\u200b";
    const view = readable(text);
    expect(view.text).toBe("ab...fiac");
    // Long texts are read in steps, and no step parts the two halves of a sign.
    for (const before of ["", "b"]) {
      const long = `${before}${"\u{1d41a}".repeat(20_000)}`;
      expect(readable(long).text).toBe(`${before}${"a".repeat(20_000)}`);
    }
    expect([...view.text, ""].map((_, at) => view.place(at))).toEqual([0, 2, 3, 3, 3, 4, 4, 5, 7, 9]);
  });
});
