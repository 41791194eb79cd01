// The small calendar beside the timeline.
import { describe, expect, it } from "vitest";
import { calendarMonths } from "./calendar.tsx";

const reader = { language: "en", now: Date.parse("2026-11-16T12:00:00.000Z"), offset: 0 } as const;

describe("the calendar", () => {
  it("has each day once, under its weekday, up to today", () => {
    const [november, october] = calendarMonths(
      [
        { day: "2026-11-16", count: 9 },
        { day: "2026-10-01", count: 1 },
      ],
      reader,
    );
    expect(november?.month).toBe("November 2026");
    // The first of November 2026 is a Sunday.
    expect(november?.weeks[0]?.map((cell) => cell?.day)).toEqual([...Array(6).fill(undefined), "2026-11-01"]);
    expect(november?.weeks.flat().filter((cell) => cell !== undefined)).toHaveLength(16);
    expect(october?.weeks.flat().filter((cell) => cell !== undefined)).toHaveLength(31);
  });

  it("is darker where more happened, and pale but there where little did", () => {
    const days = [
      { day: "2026-11-16", count: 400 },
      { day: "2026-11-15", count: 1 },
    ];
    const cells = calendarMonths(days, reader).flatMap(({ weeks }) => weeks.flat());
    const levels = ["2026-11-16", "2026-11-15", "2026-11-14"].map(
      (day) => cells.find((cell) => cell?.day === day)?.level,
    );
    expect(levels).toEqual([4, 1, 0]);
  });

  it("goes back no further than there is anything", () => {
    expect(calendarMonths([{ day: "2026-11-02", count: 1 }], reader)).toHaveLength(1);
    expect(calendarMonths([{ day: "2020-01-01", count: 1 }], reader)).toHaveLength(5);
    expect(calendarMonths([], reader)).toHaveLength(1);
  });
});
