// What is said of errors, and how columns line up.
import { describe, expect, it } from "vitest";
import { ThroughlineError } from "../lib/index.ts";
import { columns, describeError } from "./output.ts";

describe("describeError", () => {
  it("passes on what an expected error says, in one line", () => {
    expect(describeError(new ThroughlineError("not-found", "no\n  such thing", "look"))).toEqual({
      code: "not-found",
      message: "no such thing",
      fix: "look",
    });
  });

  it("says how to see the stack of an unexpected one", () => {
    expect(describeError(new TypeError("x is not a function"))).toEqual({
      code: "internal",
      message: "unexpected error: x is not a function",
      fix: expect.stringContaining("THROUGHLINE_DEBUG=1"),
    });
    expect(describeError("thrown").message).toBe("unexpected error: thrown");
  });
});

describe("columns", () => {
  it("align, whatever is coloured", () => {
    const red = (text: string): string => `\u001b[31m${text}\u001b[39m`;
    expect(
      columns(
        [
          [red("a"), "1"],
          ["long", "2"],
        ],
        " ",
      ),
    ).toBe(` ${red("a")}     1\n long  2`);
    expect(columns([])).toBe("");
  });

  it("align what takes two cells a character", () => {
    const rows = [
      ["数据库", "1"],
      ["✅ ab", "2"],
    ];
    expect(columns(rows)).toBe("数据库  1\n✅ ab   2");
  });
});
