// Counts and times in words.
import { describe, expect, it } from "vitest";
import { ageOf, counted, localMinute } from "./wording.ts";

describe("counted", () => {
  it("knows one from many", () => {
    expect([0, 1, 2, 12_345].map((count) => counted(count, "event"))).toEqual([
      "0 events",
      "1 event",
      "2 events",
      "12,345 events",
    ]);
    expect(counted(2, "summary", "summaries")).toBe("2 summaries");
  });
});

describe("localMinute", () => {
  it("tells the time on the reader's own clock", () => {
    expect(localMinute(new Date(2026, 0, 2, 3, 4, 59).toISOString())).toBe("2026-01-02 03:04");
    expect(localMinute("no time")).toBe("no time");
  });
});

describe("ageOf", () => {
  it.each([
    [-3, "of the future"],
    [0.001, "just now"],
    [0.5, "30 min ago"],
    [3.25, "3.3 h ago"],
    [72, "3 days ago"],
  ])("says of %f hours: %s", (hours, age) => {
    expect(ageOf(hours)).toBe(age);
  });
});
