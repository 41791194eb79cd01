// Whether an edit pays: the break-even by hand for every price of a cache read, and the two thresholds.
import { describe, expect, it } from "vitest";
import { lookupModel } from "../../tokens/index.ts";
import { type EconomicsSettings, thriftySettings } from "../settings.ts";
import { judge, type Proposal } from "./economics.ts";
import type { CacheOutlook } from "./outlook.ts";

const outlook = (predicted: CacheOutlook["predicted"], ttl: CacheOutlook["ttl"] = "5m"): CacheOutlook => ({
  predicted,
  ttl,
  idle: 1_000,
});
const settings: EconomicsSettings = {
  ...thriftySettings.economics,
  warmEdits: true,
  horizon: 40,
  leastAtTurn: 8_000,
  leastInTurn: 20_000,
};
const proposal = (rewritten: number, freed: number, more: Partial<Proposal> = {}): Proposal => ({
  rewritten,
  freed,
  prompt: 150_000,
  startsTurn: true,
  ...more,
});

describe("break-even, N = S·(w−r)/(R·r)", () => {
  it("is 11.5, 24 and 49 times S/R at reads of 0.1, 0.05 and 0.025", () => {
    for (const [model, factor] of [
      ["claude-opus-4-6", 11.5],
      ["claude-opus-5-5", 24],
      ["claude-fable-5-1", 49],
    ] as const) {
      for (const [rewritten, freed] of [
        [30_000, 10_000],
        [10_000, 50_000],
      ] as const) {
        const { breakEven } = judge(
          proposal(rewritten, freed),
          lookupModel(model),
          outlook("warm"),
          settings,
        );
        expect(breakEven).toBeCloseTo((factor * rewritten) / freed, 9);
      }
    }
  });

  it("is later where the cache is written for an hour: w is 2 and not 1.25", () => {
    const model = lookupModel("claude-opus-4-6");
    expect(judge(proposal(10_000, 10_000), model, outlook("warm", "1h"), settings).breakEven).toBeCloseTo(
      19,
      9,
    );
  });

  it("goes by the price of the step that the prompt is in", () => {
    // Haiku 5.5 costs five times as much above 100,000 tokens, reads and writes alike: the ratio stays.
    const model = lookupModel("claude-haiku-5-5");
    const [small, large] = [50_000, 150_000].map(
      (prompt) => judge(proposal(10_000, 10_000, { prompt }), model, outlook("warm"), settings).breakEven,
    );
    expect(small).toBeCloseTo(11.5, 9);
    expect(large).toBeCloseTo(11.5, 9);
  });
});

describe("the verdict", () => {
  const model = lookupModel("claude-opus-4-6");

  it("is yes up to the expected requests and no beyond them", () => {
    expect(judge(proposal(34_700, 10_000), model, outlook("warm"), settings)).toMatchObject({
      pays: true,
      why: "pays after 40 requests",
    });
    expect(judge(proposal(34_900, 10_000), model, outlook("warm"), settings)).toMatchObject({
      pays: false,
      why: "would pay after 41 requests, later than the 40 expected",
    });
  });

  it("wants more in the middle of a turn than at its start", () => {
    const freed = 10_000;
    expect(judge(proposal(1, freed), model, outlook("warm"), settings).pays).toBe(true);
    expect(judge(proposal(1, freed, { startsTurn: false }), model, outlook("warm"), settings)).toMatchObject({
      pays: false,
      why: "frees 10000 tokens, fewer than 20000",
    });
    expect(judge(proposal(1, 7_999), model, outlook("warm"), settings).pays).toBe(false);
  });

  it("is yes at no price when the cache is cold", () => {
    expect(judge(proposal(1_000_000, 1), model, outlook("cold"), settings)).toEqual({
      pays: true,
      why: "the cache is cold anyway",
      breakEven: 0,
    });
  });

  it("is no for an edit that frees nothing, cold or not", () => {
    expect(judge(proposal(10, 0), model, outlook("cold"), settings).pays).toBe(false);
  });

  it("is no for warm edits where they are not wanted", () => {
    const never = { ...settings, warmEdits: false };
    expect(judge(proposal(1, 100_000), model, outlook("warm"), never)).toMatchObject({
      pays: false,
      why: "the cache is warm",
    });
  });

  it("takes a cache of which nothing is known for warm", () => {
    expect(judge(proposal(1_000_000, 10_000), model, outlook("unknown"), settings).pays).toBe(false);
  });
});
