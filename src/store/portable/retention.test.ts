// What retention decides, with no database in sight.
import { describe, expect, it } from "vitest";
import { DAY } from "../../lib/index.ts";
import { planRetention } from "./retention.ts";

const now = 100.5 * DAY;
const sizes = [98, 99, 97, 100].map((day) => ({ day, raw: 100, rest: 10 }));
const total = 440;

describe("planRetention", () => {
  it("keeps everything without a rule", () => {
    expect(planRetention({}, sizes, total, now)).toEqual({});
    expect(planRetention({ days: 0, rawDays: 0, maxBytes: 0 }, sizes, total, now)).toEqual({});
    expect(planRetention({ maxBytes: 440 }, sizes, total, now)).toEqual({});
  });

  it("takes ages to the millisecond, and raw rows at least as early as the rest", () => {
    expect(planRetention({ rawDays: 2 }, sizes, total, now)).toEqual({ rawBefore: 98.5 * DAY });
    expect(planRetention({ days: 2 }, sizes, total, now)).toEqual({
      rawBefore: 98.5 * DAY,
      allBefore: 98.5 * DAY,
    });
    expect(planRetention({ days: 1, rawDays: 3 }, sizes, total, now)).toMatchObject({
      rawBefore: 99.5 * DAY,
    });
  });

  it("lets raw days go oldest first until the rest fits", () => {
    expect(planRetention({ maxBytes: 439 }, sizes, total, now)).toEqual({ rawBefore: 98 * DAY });
    expect(planRetention({ maxBytes: 340 }, sizes, total, now)).toEqual({ rawBefore: 98 * DAY });
    expect(planRetention({ maxBytes: 339 }, sizes, total, now)).toEqual({ rawBefore: 99 * DAY });
  });

  it("lets the rest go only when no raw rows are left, and never the current day", () => {
    expect(planRetention({ maxBytes: 135 }, sizes, total, now)).toEqual({
      rawBefore: 100 * DAY,
      allBefore: 98 * DAY,
    });
    expect(planRetention({ maxBytes: 1 }, sizes, total, now)).toEqual({
      rawBefore: 100 * DAY,
      allBefore: 100 * DAY,
    });
  });

  it("counts what age lets go of, and what indexes take", () => {
    expect(planRetention({ rawDays: 1.5, maxBytes: 240 }, sizes, total, now)).toEqual({
      rawBefore: 99 * DAY,
    });
    expect(planRetention({ maxBytes: 680 }, sizes, 2 * total, now)).toEqual({ rawBefore: 98 * DAY });
  });

  it("has nothing to plan for an empty database", () => {
    expect(planRetention({ maxBytes: 1 }, [], 4_096, now)).toEqual({});
  });
});
