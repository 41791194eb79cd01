// What two machines did to one text: changes of both are kept, and no line is lost.
import { describe, expect, it } from "vitest";
import { mergeTexts } from "./merge.ts";

const text = (...lines: readonly string[]) => lines.join("\n");

describe("three texts of one file", () => {
  it("give one that has the changes of both, where they are in different places", () => {
    const base = text("a", "b", "c", "d", "e");
    expect(mergeTexts(base, text("A", "b", "c", "d", "e"), text("a", "b", "c", "d", "E"))).toEqual({
      text: text("A", "b", "c", "d", "E"),
      isConflict: false,
    });
    expect(mergeTexts(base, text("a", "c", "d", "e"), text("a", "b", "c", "x", "d", "e"))).toEqual({
      text: text("a", "c", "x", "d", "e"),
      isConflict: false,
    });
    expect(mergeTexts(base, base, text("z"))).toEqual({ text: "z", isConflict: false });
    expect(mergeTexts(base, text("same"), text("same"))).toEqual({ text: "same", isConflict: false });
  });

  it("are a conflict where both changed one place: the lines of both are there", () => {
    const { text: merged, isConflict } = mergeTexts(text("a", "b"), text("a", "mine"), text("a", "theirs"));
    expect({ lines: merged.split("\n"), isConflict }).toEqual({
      lines: ["a", "theirs", "mine"],
      isConflict: true,
    });
    expect(mergeTexts("", text("one"), text("two"))).toEqual({ text: text("two", "one"), isConflict: true });
  });

  it("lose no line that either side added, whatever was done", () => {
    let state = 7;
    const chance = (below: number) => {
      state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fffffff;
      return Math.floor((state / 0x80000000) * below);
    };
    for (let round = 0; round < 500; round++) {
      const base = Array.from({ length: chance(12) }, () => `line ${chance(8)}`);
      const edit = (who: string) =>
        base
          .filter(() => chance(5) > 0)
          .flatMap((line, at) => (chance(4) === 0 ? [line, `${who} ${round} ${at}`] : [line]));
      const [mine, theirs] = [edit("mine"), edit("theirs")];
      const merged = mergeTexts(text(...base), text(...mine), text(...theirs))
        .text.split("\n")
        .filter(Boolean);
      const added = [...mine, ...theirs].filter((line) => !line.startsWith("line"));
      expect(merged).toEqual(expect.arrayContaining(added));
      expect(merged.filter((line) => !line.startsWith("line"))).toHaveLength(added.length);
    }
  });
});
