// Times in words, seen from Wednesday, 18 November 2026, 15:30 on the clock of this machine.
import { describe, expect, it } from "vitest";
import { readTimeSpan, spanInQuestion } from "./span.ts";

const now = new Date(2026, 10, 18, 15, 30).getTime();
const day = (month: number, date: number, year = 2026): number => new Date(year, month - 1, date).getTime();
const DAY = 86_400_000;

describe("a text that is a time", () => {
  it.each<[string, number, number]>([
    ["yesterday", day(11, 17), day(11, 18)],
    ["昨天", day(11, 17), day(11, 18)],
    ["the day before yesterday", day(11, 16), day(11, 17)],
    ["前天", day(11, 16), day(11, 17)],
    ["大前天", day(11, 15), day(11, 16)],
    ["today", day(11, 18), day(11, 19)],
    ["last Friday", day(11, 13), day(11, 14)],
    ["last Wednesday", day(11, 11), day(11, 12)],
    ["Monday", day(11, 16), day(11, 17)],
    ["since Tuesday", day(11, 17), day(11, 18)],
    ["Thursday", day(11, 12), day(11, 13)],
    ["上周五", day(11, 13), day(11, 14)],
    ["上上周一", day(11, 2), day(11, 3)],
    ["周一", day(11, 16), day(11, 17)],
    ["星期天", day(11, 15), day(11, 16)],
    ["本周二", day(11, 17), day(11, 18)],
    ["last week", day(11, 9), day(11, 16)],
    ["上周", day(11, 9), day(11, 16)],
    ["this week", day(11, 16), day(11, 23)],
    ["last month", day(10, 1), day(11, 1)],
    ["上个月", day(10, 1), day(11, 1)],
    ["去年", day(1, 1, 2025), day(1, 1)],
    ["3 days ago", day(11, 15), day(11, 16)],
    ["三天前", day(11, 15), day(11, 16)],
    ["两周前", day(11, 4), day(11, 5)],
    ["a week ago", day(11, 11), day(11, 12)],
    ["2d", day(11, 16), now],
    ["1w", day(11, 11), now],
    ["3h", now - 3 * 3_600_000, now],
    ["90m", now - 90 * 60_000, now],
    ["the last 3 days", day(11, 15), now],
    ["最近三天", day(11, 15), now],
    ["过去两周", day(11, 4), now],
    ["2026-11-16", day(11, 16), day(11, 17)],
    ["2026-11", day(11, 1), day(12, 1)],
    ["Nov 16", day(11, 16), day(11, 17)],
    ["16 November 2025", day(11, 16, 2025), day(11, 17, 2025)],
    ["December", day(12, 1, 2025), day(1, 1)],
    ["11月16日", day(11, 16), day(11, 17)],
    ["2026年10月", day(10, 1), day(11, 1)],
  ])("%s", (text, from, to) => {
    expect(readTimeSpan(text, now)).toEqual({ from, to });
  });

  it("is a moment where it has a time of day", () => {
    const at = Date.parse("2026-11-16T09:30:00Z");
    expect(readTimeSpan("2026-11-16T09:30:00Z", now)).toEqual({ from: at, to: at });
  });

  it.each(["", "#12", "the login that failed", "yesterday's bug", "monitor", "2 dogs", "march on", "12"])(
    "is not: %s",
    (text) => {
      expect(readTimeSpan(text, now)).toBeUndefined();
    },
  );
});

describe("a time in a question", () => {
  it.each<[string, number, number, string]>([
    ["what did we do yesterday?", day(11, 17), day(11, 18), "what did we do  ?"],
    ["which bugs were fixed since Monday", day(11, 16), now, "which bugs were fixed"],
    ["上周五修复了什么", day(11, 13), day(11, 14), "修复了什么"],
    ["从周一以来改了哪些文件", day(11, 16), now, "改了哪些文件"],
    ["what was decided before last week", 0, day(11, 9), "what was decided"],
    ["errors on Thursday", day(11, 12), day(11, 13), "errors"],
  ])("%s", (text, from, to, rest) => {
    expect(spanInQuestion(text, now)).toEqual({ span: { from, to }, rest });
  });

  it.each(["why does the Monday job fail", "the sun icon", "what was decided on 2026-11-16", "retry queue"])(
    "is none in: %s",
    (text) => {
      expect(spanInQuestion(text, now)).toBeUndefined();
    },
  );

  it("is right across a change of the clocks", () => {
    const span = readTimeSpan("last month", now);
    expect((span?.to ?? 0) - (span?.from ?? 0)).toBeGreaterThanOrEqual(30 * DAY);
  });
});
