// Room on a terminal, in cells and lines.
import { describe, expect, it } from "vitest";
import { widthOf, wrapped } from "./width.ts";

describe("widthOf", () => {
  it.each([
    ["plain", 5],
    ["数据库", 6],
    ["✅", 2],
    ["⚖️", 2],
    ["👩‍💻 x", 4],
    ["é…", 2],
    ["\u001b[31mred\u001b[39m", 3],
  ])("counts the cells of %s", (text, cells) => {
    expect(widthOf(text)).toBe(cells);
  });
});

describe("wrapped", () => {
  it("breaks between words, and lets a word that is too wide stand alone", () => {
    expect(wrapped("a bc def averylongword g", 6)).toEqual(["a bc", "def", "averylongword", "g"]);
    expect(wrapped("数据 库连 接", 6)).toEqual(["数据", "库连", "接"]);
    expect(wrapped("", 5)).toEqual([""]);
  });
});
