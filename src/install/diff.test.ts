// Differences as people read them.
import { describe, expect, it } from "vitest";
import { lineDiff } from "./diff.ts";

describe("lineDiff", () => {
  it("says nothing of equal texts", () => {
    expect(lineDiff("a\nb\n", "a\nb\n")).toEqual([]);
    expect(lineDiff("", "")).toEqual([]);
  });

  it("shows changed lines between some of their neighbours", () => {
    const before = "1\n2\n3\n4\n5\n6\n7\n8\n9\n";
    expect(lineDiff(before, before.replace("5", "five"))).toEqual([
      "  …",
      "  2",
      "  3",
      "  4",
      "- 5",
      "+ five",
      "  6",
      "  7",
      "  8",
      "  …",
    ]);
  });

  it("shows a new file and one that goes", () => {
    expect(lineDiff("", "{\r\n}\r\n")).toEqual(["+ {", "+ }"]);
    expect(lineDiff("{\n}\n", "")).toEqual(["- {", "- }"]);
  });

  it("does not look for long in texts that are very large", () => {
    const large = Array.from({ length: 3_000 }, (_, line) => `line ${line}`);
    expect(lineDiff(large.join("\n"), large.map((line) => `${line}!`).join("\n"))).toHaveLength(6_000);
  });
});
