// Holds dates to a calendar: what people say on a day, and the date it means.
import { describe, expect, it } from "vitest";
import { absoluteDates } from "./absolute.ts";

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
    ["明年底、去年底、下个月底、上月底", "2027-12-31、2025-12-31、2026-04-30、2026-02-28"],
    ["broken since Friday", "broken since 2026-02-27"],
    ["The freeze starts Thursday.", "The freeze starts 2026-03-05."],
    ["due Fri, reviewed by Wed.", "due 2026-03-06, reviewed by 2026-03-04"],
    ["within two weeks", "by 2026-03-16"],
    ["in the next week", "in the week of 2026-03-09"],
    ["十五天后和二十天内", "2026-03-17和2026-03-22 之前"],
    ["一百天后", "2026-06-10"],
    ["大前天", "2026-02-27"],
    ["今晚发布,明早检查,昨夜失败", "2026-03-02晚发布,2026-03-03早检查,2026-03-01夜失败"],
    ["下周上线", "2026-03-09 那一周上线"],
    ["截止到周五", "截止到2026-03-06"],
    ["前年和后年", "2024 年和2028 年"],
    ["三年前", "2023-03-02"],
  ])("%s is %s", (said, meant) => {
    expect(convert(said)).toBe(meant);
  });

  it.each([
    "every Thursday at ten",
    "on Thursdays",
    "2026-03-05 is a Thursday",
    "the flag `--since yesterday` and\n```\ntomorrow\n```",
    "每周五例会",
    "这个周末",
    "3月5日前完成,5日前提交,2026年3月前",
    "2025年前的数据",
    "周一到周五、周一至周三、周二和周四",
    "逢周五备份",
    "6月底关账,每月底对账",
    "open Monday to Friday, on Monday and Thursday, on Tue/Thu",
    "the last week of March, the next week of testing",
    "in 3 days of work",
    "on Fridays, on sunny days",
    "第三天后",
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
