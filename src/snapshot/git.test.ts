// What git prints, read: branches with and without an upstream, renames, and names of any kind.
import { describe, expect, it } from "vitest";
import { readStatus } from "./git.ts";

describe("readStatus", () => {
  it.each([
    ["## main", "main"],
    ["## main...origin/main [ahead 1]", "main"],
    ["## topic/x.y...origin/topic/x.y", "topic/x.y"],
    ["## No commits yet on 主线", "主线"],
    ["## HEAD (no branch)", undefined],
  ])("finds the branch in %s", (head, branch) => {
    expect(readStatus(`${head}\0`)).toEqual({ branch, changed: [] });
  });

  it("lists changes, a rename once", () => {
    expect(readStatus("## a\0 M one two.ts\0R  new.ts\0old.ts\0?? 新.md\0").changed).toEqual([
      { path: "one two.ts", status: "M" },
      { path: "new.ts", status: "R" },
      { path: "新.md", status: "??" },
    ]);
  });
});
