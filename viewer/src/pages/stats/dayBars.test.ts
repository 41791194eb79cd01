// The bars cover the time that the data has: the newest thirty days, or the own time of what was imported.
import { describe, expect, it } from "vitest";
import { dayBars } from "./page.tsx";

const now = Date.parse("2026-03-31T12:00:00.000Z");
const on = (day: string, observations = 1) => ({ day, events: 0, observations });
const sum = (bars: ReturnType<typeof dayBars>): number =>
  bars.reduce((total, { observations }) => total + observations, 0);

describe("observations by day", () => {
  it("are those of the last thirty days while there is work", () => {
    const bars = dayBars([on("2026-03-31", 5), on("2026-03-02", 2)], now);
    expect(bars).toHaveLength(30);
    expect(bars.at(-1)).toMatchObject({ day: "2026-03-31", length: 1, observations: 5 });
    expect(bars[0]).toMatchObject({ day: "2026-03-02", observations: 2 });
  });

  it("reach back to the oldest day, in longer spans, and lose none", () => {
    const bars = dayBars([on("2026-03-31", 5), on("2025-12-31", 2), on("2025-11-01", 3)], now);
    expect(bars).toHaveLength(38);
    expect(bars[0]?.length).toBe(4);
    expect(sum(bars)).toBe(10);
  });

  it("have no blank beginning where the oldest day is just before the last thirty", () => {
    const bars = dayBars([on("2026-03-31", 5), on("2026-02-27", 2)], now);
    expect(bars).toHaveLength(33);
    expect(bars[0]).toMatchObject({ day: "2026-02-27", length: 1, observations: 2 });
  });

  it("end with the newest day of an import of old history", () => {
    const bars = dayBars([on("2024-05-20", 4), on("2024-05-01", 1)], now);
    expect(bars.at(-1)).toMatchObject({ day: "2024-05-20", observations: 4 });
    expect(sum(bars)).toBe(5);
  });

  it("are thirty empty days where nothing is kept", () => {
    expect(sum(dayBars([], now))).toBe(0);
    expect(dayBars([], now).at(-1)?.day).toBe("2026-03-31");
  });
});
