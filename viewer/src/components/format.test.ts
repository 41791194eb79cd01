// Times and sizes as people read them.
import { describe, expect, it } from "vitest";
import {
  ago,
  bytes,
  clockTime,
  compactCount,
  dateTime,
  dayBounds,
  dayOf,
  dayTitle,
  dollars,
  percent,
  shortTime,
} from "./format.ts";

const now = Date.parse("2026-11-16T01:30:00.000Z");
const utc = { language: "en", now, offset: 0 } as const;
const shanghai = { language: "zh", now, offset: 480 } as const;

describe("days", () => {
  it("begin where the reader lives", () => {
    expect(dayOf("2026-11-15T17:00:00.000Z", 0)).toBe("2026-11-15");
    expect(dayOf("2026-11-15T17:00:00.000Z", 480)).toBe("2026-11-16");
    expect(dayBounds("2026-11-16", 480)).toEqual({
      from: "2026-11-15T16:00:00.000Z",
      to: "2026-11-16T16:00:00.000Z",
    });
  });

  it("are named as one speaks of them", () => {
    expect(dayTitle("2026-11-16", utc)).toBe("Today, Monday 16 November");
    expect(dayTitle("2026-11-15", utc)).toBe("Yesterday, Sunday 15 November");
    expect(dayTitle("2026-11-02", utc)).toBe("Monday 2 November");
    expect(dayTitle("2025-11-02", utc)).toMatch(/^Sunday,? 2 November 2025$/);
    expect(dayTitle("2026-11-16", shanghai)).toBe("今天，11月16日星期一");
  });
});

describe("times", () => {
  it("are those of the reader", () => {
    expect(clockTime("2026-11-16T01:05:00.000Z", utc)).toBe("01:05");
    expect(clockTime("2026-11-16T01:05:00.000Z", shanghai)).toBe("09:05");
    expect(dateTime("2026-11-15T17:05:00.000Z", shanghai)).toBe("11月16日, 01:05");
  });

  it("of another day are its date, where there is room for one of them", () => {
    expect(shortTime("2026-11-16T01:05:00.000Z", utc)).toBe("01:05");
    expect(shortTime("2026-02-09T10:54:00.000Z", utc)).toBe("9 Feb");
    expect(shortTime("2026-11-15T17:05:00.000Z", shanghai)).toBe("01:05");
    expect(shortTime("2025-02-09T10:54:00.000Z", shanghai)).toBe("2025年2月9日");
  });

  it("are told as how long ago", () => {
    expect(ago("2026-11-16T01:27:00.000Z", utc)).toBe("3 minutes ago");
    expect(ago("2026-11-14T01:27:00.000Z", utc)).toBe("2 days ago");
    expect(ago("2026-11-16T01:29:15.000Z", utc)).toBe("now");
  });
});

describe("amounts", () => {
  it("are whole while they are small", () => {
    expect([0, 999, 9_999, 12_345, 18_420_000].map((value) => compactCount(value, utc))).toEqual([
      "0",
      "999",
      "9,999",
      "12.3K",
      "18.4M",
    ]);
    expect(compactCount(18_420_000, shanghai)).toBe("1840万");
  });

  it("have the unit that fits", () => {
    expect([0, 999, 1_500, 48_200_000, 123_000_000_000].map(bytes)).toEqual([
      "0 B",
      "999 B",
      "1.5 KB",
      "48.2 MB",
      "123 GB",
    ]);
    expect([0.004, 41.7, 1_234.5].map(dollars)).toEqual(["<$0.01", "$41.70", "$1,235"]);
    expect([0.914, 0.999, 0.031].map(percent)).toEqual(["91 %", "99.9 %", "3.1 %"]);
  });
});
