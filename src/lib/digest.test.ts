// The light digest is the same as the system's.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { chosenSeed } from "../../test/seed.ts";
import { lightSha256, sha256 } from "./ids.ts";

describe("lightSha256", () => {
  it("gives the digits that node:crypto gives, at every length around a block", () => {
    for (let length = 0; length < 200; length++) {
      const text = "aé𠮷z".repeat(60).slice(0, length);
      expect(lightSha256(text)).toBe(sha256(text));
    }
  });

  it("gives them for any text", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary", maxLength: 500 }), (text) => {
        expect(lightSha256(text)).toBe(sha256(text));
      }),
      { numRuns: 500, seed: chosenSeed() },
    );
  });
});
