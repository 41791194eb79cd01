// Splitting a text at any marks neither loses nor adds text.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type MarkRange, splitAtMarks } from "./highlight.ts";

describe("a marked text", () => {
  it("is cut where the marks begin and end", () => {
    expect(splitAtMarks("berth keys", [[0, 5]])).toEqual([
      { text: "berth", isMarked: true },
      { text: " keys", isMarked: false },
    ]);
  });

  it("is the text, whatever the marks are", () => {
    const marks = fc.array(fc.tuple(fc.integer({ min: -5, max: 40 }), fc.integer({ min: -5, max: 40 })));
    fc.assert(
      fc.property(fc.string({ maxLength: 30 }), marks, (text, given) => {
        const pieces = splitAtMarks(text, given);
        expect(pieces.map((piece) => piece.text).join("")).toBe(text);
        expect(pieces.every((piece) => piece.text !== "")).toBe(true);
      }),
    );
  });

  it("has marks that overlap or touch as one", () => {
    const marks: MarkRange[] = [
      [2, 6],
      [0, 3],
      [6, 8],
    ];
    expect(splitAtMarks("0123456789", marks).filter(({ isMarked }) => isMarked)).toEqual([
      { text: "01234567", isMarked: true },
    ]);
  });

  it("without marks is one piece, and an empty one none", () => {
    expect(splitAtMarks("x")).toEqual([{ text: "x", isMarked: false }]);
    expect(splitAtMarks("")).toEqual([]);
  });
});
