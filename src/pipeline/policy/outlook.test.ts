// Warm or cold: told by the clock, the last request, and the lifetime that responses show.
import { describe, expect, it } from "vitest";
import { HOUR, MINUTE } from "../../lib/index.ts";
import { freshState } from "../session.ts";
import { cacheOutlook, learnedTtl } from "./outlook.ts";

const NOW = 1_000 * HOUR;
const usage = { input: 1, cacheRead: 0, cacheWrite5m: 0, cacheWrite1h: 0, output: 1 };

describe("the outlook", () => {
  it("is warm up to the lifetime of the cache and cold behind it", () => {
    for (const [ttl, lifetime] of [
      ["5m", 5 * MINUTE],
      ["1h", HOUR],
    ] as const) {
      const at = (idle: number) =>
        cacheOutlook({ ...freshState, ttl, lastRequestAt: NOW - idle }, NOW, undefined);
      expect(at(lifetime)).toEqual({ predicted: "warm", ttl, idle: lifetime });
      expect(at(lifetime + 1).predicted).toBe("cold");
    }
  });

  it("is unknown before anything was sent", () => {
    expect(cacheOutlook(freshState, NOW, undefined)).toEqual({
      predicted: "unknown",
      ttl: "5m",
      idle: undefined,
    });
  });

  it("goes by the last response where this session never made a request", () => {
    expect(cacheOutlook(freshState, NOW, NOW - 6 * MINUTE).predicted).toBe("cold");
    expect(cacheOutlook({ ...freshState, lastRequestAt: NOW - MINUTE }, NOW, NOW - HOUR).predicted).toBe(
      "warm",
    );
  });

  it("survives a clock that was set back", () => {
    expect(cacheOutlook({ ...freshState, lastRequestAt: NOW + HOUR }, NOW, undefined).idle).toBe(0);
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
