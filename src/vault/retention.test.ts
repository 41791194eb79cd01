// Which blobs a sweep chooses, decided on values alone.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { HOUR } from "../lib/index.ts";
import { planSweep, SETTLING } from "./upkeep.ts";

const now = 1_000 * HOUR;
const blob = (sha256: string, hoursAgo: number, storedBytes = 10) => ({
  sha256,
  bytes: storedBytes,
  isList: false,
  storedBytes,
  writtenAt: now - hoursAgo * HOUR,
});
const blobs = [blob("b", 2), blob("a", 3), blob("c", 1), blob("new", 0)];
const nothingLive = { now, isLive: () => false };
const chosen = (plan: ReturnType<typeof planSweep>) =>
  plan.map(({ blob: { sha256 }, reason }) => [sha256, reason]);

describe("a sweep", () => {
  it("keeps everything when no limit is given", () => {
    expect(planSweep(blobs, nothingLive)).toEqual([]);
  });

  it("takes the least recently written first, and stops as soon as the rest fits", () => {
    expect(chosen(planSweep(blobs, { ...nothingLive, maxBytes: 25 }))).toEqual([
      ["a", "over-quota"],
      ["b", "over-quota"],
    ]);
  });

  it("takes what is older than the limit, whatever its size", () => {
    expect(chosen(planSweep(blobs, { ...nothingLive, olderThan: 2 * HOUR }))).toEqual([["a", "older-than"]]);
  });

  it("spares what was just written, even with no room at all", () => {
    const swept = chosen(planSweep(blobs, { ...nothingLive, maxBytes: 0, olderThan: 0 }));
    expect(swept.map(([sha256]) => sha256)).toEqual(["a", "b", "c"]);
  });

  it("never chooses what is live, under any rules", () => {
    const rules = fc.record({ maxBytes: fc.option(fc.nat(60)), olderThan: fc.option(fc.nat(4 * HOUR)) });
    const ages = fc.array(
      fc.record({ hoursAgo: fc.double({ min: -1, max: 5, noNaN: true }), live: fc.boolean() }),
    );
    const neverLive = fc.property(ages, rules, (items, { maxBytes, olderThan }) => {
      const held = items.map(({ hoursAgo, live }, index) =>
        blob(`${live ? "live" : "dead"}${index}`, hoursAgo),
      );
      const isLive = (sha256: string): boolean => sha256.startsWith("live");
      const plan = planSweep(held, {
        now,
        isLive,
        maxBytes: maxBytes ?? undefined,
        olderThan: olderThan ?? undefined,
      });
      for (const { blob: doomed } of plan) {
        expect(isLive(doomed.sha256)).toBe(false);
        expect(now - doomed.writtenAt).toBeGreaterThanOrEqual(SETTLING);
      }
    });
    fc.assert(neverLive, { numRuns: 1_000 });
  });
});
