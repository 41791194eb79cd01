// Handles in all the forms in which people and models write them.
import { describe, expect, it } from "vitest";
import { handleMatcher, handleOf, parseHandle } from "./handle.ts";

const hash = "0123456789abcdef".repeat(4);

describe("a handle", () => {
  it("is tl: and the first 12 digits of the hash", () => {
    expect(handleOf(hash)).toBe("tl:0123456789ab");
  });

  it.each([
    ["tl:0123456789ab", "0123456789ab"],
    ["0123456789AB", "0123456789ab"],
    ["tl:012345", "012345"],
    [`tl:${hash}`, hash],
  ])("is read from %s", (text, digits) => {
    expect(parseHandle(text)).toBe(digits);
  });

  it.each(["tl:01234", "01234", `${hash}0`, "tl:", "", "toolu_01abcdef", "tl:0123xy", " tl:0123456789ab"])(
    "is not read from %j",
    (text) => {
      expect(parseHandle(text)).toBeUndefined();
    },
  );
});

describe("a set of handles", () => {
  it("means every hash that begins with one of them", () => {
    const isMeant = handleMatcher(["tl:012345", `f${hash.slice(1)}`]);
    expect(isMeant(hash)).toBe(true);
    expect(isMeant(`f${hash.slice(1)}`)).toBe(true);
    expect(isMeant(`e${hash.slice(1)}`)).toBe(false);
  });

  it("is refused when one of them cannot be read, because guessing could delete what is live", () => {
    expect(() => handleMatcher(["tl:012345", "toolu_1"])).toThrow(expect.objectContaining({ code: "usage" }));
  });
});
