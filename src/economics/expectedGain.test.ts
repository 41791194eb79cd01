// What a cut on arrival is expected to save, by hand.
import { describe, expect, it } from "vitest";
import { lookupModel } from "../tokens/index.ts";
import { type Cut, expectedGain } from "./expectedGain.ts";

describe("the expected gain of a cut", () => {
  const model = lookupModel("claude-opus-4-6");
  const cut: Cut = { whole: 10_000, shown: 400, prompt: 60_000, looks: 0.5, stays: 6 };
  const gain = (change: Partial<Cut> = {}, ttl: "5m" | "1h" = "5m"): number =>
    expectedGain({ ...cut, ...change }, model, ttl);

  it("is what is neither written nor read, when it is never looked at", () => {
    expect(gain({ looks: 0 })).toBeCloseTo((9_600 * (6.25 + 6 * 0.5)) / 1e6, 12);
  });

  it("loses the preview and one request more, when it is looked at for certain", () => {
    const look = 60_000 * 0.5 + 90 * (25 + 9.25);
    expect(gain({ looks: 1 })).toBeCloseTo(-(400 * 9.25 + look) / 1e6, 12);
  });

  it("grows with the text and its time in the window, and falls with the prompt and the looks", () => {
    expect(gain({ whole: 20_000 })).toBeGreaterThan(gain());
    expect(gain({ stays: 12 })).toBeGreaterThan(gain());
    expect(gain({ prompt: 160_000 })).toBeLessThan(gain());
    expect(gain({ looks: 0.7 })).toBeLessThan(gain());
    expect(gain({ whole: 2_000 })).toBeLessThan(0);
    expect(gain({}, "1h")).toBeGreaterThan(gain());
  });
});
