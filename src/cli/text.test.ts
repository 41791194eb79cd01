// Counts and times in words, and widths on a terminal.
import { describe, expect, it } from "vitest";
import { wrappedPage } from "./help.ts";
import { ageOf, counted, localMinute, widthOf, wrapped } from "./output.ts";

describe("counted", () => {
  it("knows one from many", () => {
    expect([0, 1, 2, 12_345].map((count) => counted(count, "event"))).toEqual([
      "0 events",
      "1 event",
      "2 events",
      "12,345 events",
    ]);
    expect(counted(2, "summary", "summaries")).toBe("2 summaries");
  });
});

describe("localMinute", () => {
  it("tells the time on the reader's own clock", () => {
    expect(localMinute(new Date(2026, 0, 2, 3, 4, 59).toISOString())).toBe("2026-01-02 03:04");
    expect(localMinute("no time")).toBe("no time");
  });
});

describe("ageOf", () => {
  it.each([
    [-3, "in the future"],
    [0.001, "just now"],
    [0.5, "30 min ago"],
    [3.25, "3.3 h ago"],
    [72, "3 days ago"],
  ])("says of %f hours: %s", (hours, age) => {
    expect(ageOf(hours)).toBe(age);
  });
});

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

describe("a page", () => {
  it("breaks between words, keeps lists indented, and leaves tables and code alone", () => {
    const page =
      "# A title\n\n- one two three four\n| a | b c d e f g h i j |\n```\nlong line of code here\n```";
    expect(wrappedPage(page, 12)).toBe(
      "# A title\n\n- one two\n  three four\n| a | b c d e f g h i j |\n```\nlong line of code here\n```",
    );
  });
});
