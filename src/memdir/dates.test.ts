// Holds dates to a calendar: what people say on a day, and the date it means.
import { describe, expect, it } from "vitest";
import { absoluteDates } from "./dates.ts";

/** A Monday. */
const monday = Date.parse("2026-03-02T12:00:00Z");
const convert = (text: string, now = monday): string => absoluteDates(text, now, "UTC").text;

describe("a relative date", () => {
  it.each([
    ["frozen from tomorrow", "frozen from 2026-03-03"],
    ["Yesterday it broke", "2026-03-01 it broke"],
    ["the day after tomorrow", "2026-03-04"],
    ["today and the day before yesterday", "2026-03-02 and 2026-02-28"],
    ["release by Thursday", "release by 2026-03-05"],
    ["due Monday", "due 2026-03-09"],
    ["this Friday", "2026-03-06"],
    ["next Friday", "2026-03-13"],
    ["last Friday", "2026-02-27"],
    ["last Monday", "2026-02-23"],
    ["in 3 days", "on 2026-03-05"],
    ["in two weeks", "on 2026-03-16"],
    ["in a month", "on 2026-04-02"],
    ["two months ago", "2026-01-02"],
    ["5 days from now", "2026-03-07"],
    ["next week", "the week of 2026-03-09"],
    ["next month", "2026-04"],
    ["last year", "2025"],
    ["next quarter", "2026-Q2"],
    ["by end of week", "by 2026-03-06"],
    ["by the end of the month", "by 2026-03-31"],
    ["by end of quarter", "by 2026-03-31"],
    ["by end of next month", "by 2026-04-30"],
    ["EOD", "2026-03-02"],
    ["明天发布,后天冻结,大后天上线", "2026-03-03发布,2026-03-04冻结,2026-03-05上线"],
    ["昨天和前天", "2026-03-01和2026-02-28"],
    ["下周五之前", "2026-03-13之前"],
    ["本周五", "2026-03-06"],
    ["上星期三", "2026-02-25"],
    ["周四截止", "2026-03-05截止"],
    ["三天后", "2026-03-05"],
    ["2个月前", "2026-01-02"],
    ["下个月", "2026-04"],
    ["月底", "2026-03-31"],
    ["明年", "2027 年"],
    ["年底和今年底", "2026-12-31和2026-12-31"],
  ])("%s is %s", (said, meant) => {
    expect(convert(said)).toBe(meant);
  });

  it.each([
    "every Thursday at ten",
    "on Thursdays",
    "2026-03-05 is a Thursday",
    "the flag `--since yesterday` and\n```\ntomorrow\n```",
    "每周五例会",
    "这个周末、明年底、下个月底",
    "the weekend, the month, a year",
  ])("is not seen in %s", (text) => {
    expect(convert(text)).toBe(text);
  });

  it("is counted in the zone of the person who said it, and to the last day of short months", () => {
    const late = Date.parse("2026-03-02T23:30:00Z");
    expect(absoluteDates("today", late, "Asia/Shanghai").text).toBe("2026-03-03");
    expect(convert("in a month", Date.parse("2026-01-31T12:00:00Z"))).toBe("on 2026-02-28");
  });

  it("is reported with what it became", () => {
    expect(absoluteDates("by Friday", monday, "UTC").changes).toEqual([{ from: "Friday", to: "2026-03-06" }]);
  });
});
