// What counts as a slip of the hand.
import { describe, expect, it } from "vitest";
import { nearest } from "./text.ts";

describe("nearest", () => {
  const words = ["list", "get", "set", "unset", "path", "schema"];

  it.each([
    ["lst", "list"],
    ["lits", "list"],
    ["LIST", "list"],
    ["shcema", "schema"],
    ["unsett", "unset"],
  ])("takes %s for %s", (typed, meant) => {
    expect(nearest(typed, words)).toBe(meant);
  });

  it("guesses nothing for a word that is simply another one", () => {
    expect(nearest("transcript", words)).toBeUndefined();
    expect(nearest("-5", ["-h"])).toBeUndefined();
    expect(nearest("", words)).toBeUndefined();
  });
});
