// The cache outlook from the clock, the last request and the reported lifetime; and whether an edit pays.
import { describe, expect, it } from "vitest";
import { HOUR, MINUTE } from "../lib/index.ts";
import { lookupModel } from "../tokens/index.ts";
import {
  type CacheOutlook,
  cacheOutlook,
  type EconomicsSettings,
  judge,
  learnedTtl,
  type Proposal,
} from "./cacheEconomics.ts";

const never = { ttl: "5m" } as const;
const NOW = 1_000 * HOUR;
const usage = { input: 1, cacheRead: 0, cacheWrite5m: 0, cacheWrite1h: 0, output: 1 };

describe("the outlook", () => {
  it("is warm up to the lifetime of the cache and cold behind it", () => {
    for (const [ttl, lifetime] of [
      ["5m", 5 * MINUTE],
      ["1h", HOUR],
    ] as const) {
      const at = (idle: number) => cacheOutlook({ ttl, lastRequestAt: NOW - idle }, NOW, undefined);
      expect(at(lifetime)).toEqual({ predicted: "warm", ttl, idle: lifetime });
      expect(at(lifetime + 1).predicted).toBe("cold");
    }
  });

  it("is unknown before anything was sent", () => {
    expect(cacheOutlook(never, NOW, undefined)).toEqual({
      predicted: "unknown",
      ttl: "5m",
      idle: undefined,
    });
  });

  it("goes by the last response where this session never made a request", () => {
    expect(cacheOutlook(never, NOW, NOW - 6 * MINUTE).predicted).toBe("cold");
    expect(cacheOutlook({ ...never, lastRequestAt: NOW - MINUTE }, NOW, NOW - HOUR).predicted).toBe("warm");
  });

  it("survives a clock that was set back", () => {
    expect(cacheOutlook({ ...never, lastRequestAt: NOW + HOUR }, NOW, undefined).idle).toBe(0);
  });
});

describe("the lifetime", () => {
  it("is learned from what the response wrote", () => {
    expect(learnedTtl({ ...usage, cacheWrite1h: 10 }, "5m")).toBe("1h");
    expect(learnedTtl({ ...usage, cacheWrite5m: 10 }, "1h")).toBe("5m");
    expect(learnedTtl({ ...usage, cacheWrite5m: 10, cacheWrite1h: 9 }, "1h")).toBe("5m");
    expect(learnedTtl({ ...usage, cacheWrite5m: 9, cacheWrite1h: 10 }, "5m")).toBe("1h");
  });

  it("stays what it was when nothing was written", () => {
    expect(learnedTtl({ ...usage, cacheRead: 10 }, "1h")).toBe("1h");
    expect(learnedTtl({ ...usage, cacheRead: 10 }, "5m")).toBe("5m");
  });
});

const outlook = (predicted: CacheOutlook["predicted"], ttl: CacheOutlook["ttl"] = "5m"): CacheOutlook => ({
  predicted,
  ttl,
  idle: 1_000,
});
const settings: EconomicsSettings = {
  warmEdits: true,
  dropThinking: true,
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
