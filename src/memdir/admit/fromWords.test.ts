// A memory from one sentence: the words as they are, a type that is a guess, and no feedback without its reason.
import { describe, expect, it } from "vitest";
import { memoryFromWords, withReason } from "./fromWords.ts";
import { datedBody, rulesBroken } from "./rules.ts";

describe("a memory from one sentence", () => {
  it.each([
    ["no deploys on Friday", "project", "no deploys on Friday"],
    ["I am new to Rust, explain lifetimes", "user", "I am new to Rust, explain lifetimes"],
    ["the alerts are documented in https://wiki.example/alerts", "reference", "the alerts are documented in"],
    [
      "The vendor throttles DDL after 18:00. Nights are worse.",
      "project",
      "The vendor throttles DDL after 18:00",
    ],
    ["我习惯用中文回答", "user", "我习惯用中文回答"],
    ["支付服务每周二发布", "project", "支付服务每周二发布"],
  ])("is the sentence itself: %s", (text, type, name) => {
    const memory = memoryFromWords(text);
    expect(memory).toMatchObject({ body: text, type, isGuessed: true });
    expect(memory.name.startsWith(name)).toBe(true);
    expect(rulesBroken(memory)).toEqual([]);
  });

  it("is feedback only with why and how", () => {
    const rule = "never mock the database";
    expect(memoryFromWords(rule)).toMatchObject({ type: "project", lacksReason: true });
    expect(memoryFromWords(rule, { type: "feedback" })).toMatchObject({ type: "project", lacksReason: true });
    const whole = withReason(rule, "mocks hid a broken migration", "use the test container");
    expect(memoryFromWords(whole)).toMatchObject({ type: "feedback", lacksReason: false, name: rule });
    expect(rulesBroken(memoryFromWords(whole))).toEqual([]);
  });

  it("keeps what is said of every Friday, and makes the one that is meant a date", () => {
    const now = Date.parse("2026-11-18T12:00:00Z");
    const dated = (body: string): string =>
      datedBody({ ...memoryFromWords(body), type: "project" }, now, "UTC").body;
    for (const habit of [
      "no deploys on Friday",
      "Never deploy on Friday.",
      "We don't merge after Thursday, ever",
      "the job usually runs on Monday",
      "周五不要发布",
      "不要在周五发布",
    ])
      expect(dated(habit)).toBe(habit);
    expect(dated("the freeze begins on Friday")).toBe("the freeze begins on 2026-11-20");
    expect(dated("no news yet. The freeze begins on Friday")).toBe(
      "no news yet. The freeze begins on 2026-11-20",
    );
  });
});
