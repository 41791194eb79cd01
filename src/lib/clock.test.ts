// Times as texts, without a look at the time zone.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { chosenSeed } from "../../test/seed.ts";
import { isoTime } from "./clock.ts";

describe("isoTime", () => {
  it("writes what a Date writes", () => {
    const last = Date.parse("9999-12-31T23:59:59.999Z");
    fc.assert(
      fc.property(fc.integer({ min: 0, max: last }), (ms) => {
        expect(isoTime(ms)).toBe(new Date(ms).toISOString());
      }),
      { seed: chosenSeed() },
    );
    expect(isoTime(last)).toBe("9999-12-31T23:59:59.999Z");
  });
});
