// Names of archives: safe everywhere, in any script, and never two the same.
import { describe, expect, it } from "vitest";
import { archiveName, defaultNames, slugOf } from "./name.ts";

const beganAt = Date.parse("2025-02-03T23:30:00Z");
const facts = {
  template: defaultNames.full,
  session: "5f1c2d3e-0000-4000-8000-000000000000",
  extension: ".md",
  beganAt,
  timeZone: "UTC",
};
const free = (): boolean => false;
const named = (title: string, more: object = {}): string => archiveName({ ...facts, title, ...more }, free);

describe("a slug", () => {
  it.each([
    ["Weekly Summary", "weekly-summary"],
    ["修复登录错误", "修复登录错误"],
    ["Исправить вход!", "исправить-вход"],
    ["🎉 ship it 🚀", "🎉-ship-it-🚀"],
    ["café", "café"],
    ["!!!", ""],
    ["../../etc/passwd", "etc-passwd"],
  ])("of %s is %s", (title, slug) => expect(slugOf(title)).toBe(slug));

  it("has at most 50 characters, none of them halved, and ends in none that joins", () => {
    const long = slugOf(`${"ab ".repeat(16)}c d ${"😀".repeat(300)}`);
    expect(Array.from(long).length).toBeLessThanOrEqual(50);
    expect(Array.from(slugOf("😀".repeat(300))).length).toBe(50);
    expect(slugOf("😀".repeat(300))).toBe("😀".repeat(50));
    expect(slugOf(`${"a".repeat(49)} b`)).toBe("a".repeat(49));
  });
});

describe("a name", () => {
  it("is date, slug and id", () =>
    expect(named("Fix login bug")).toBe("2025-02-03-fix-login-bug-5f1c2d3e.md"));

  it("falls back to the minute, in the zone of its date", () => {
    expect(named("")).toBe("2025-02-03-conversation-2330-5f1c2d3e.md");
    expect(named("", { timeZone: "Asia/Shanghai" })).toBe("2025-02-04-conversation-0730-5f1c2d3e.md");
  });

  it("can be the older form, which says summary", () =>
    expect(named("Weekly summary", { template: "{date}-{summary}.md" })).toBe(
      "2025-02-03-weekly-summary.md",
    ));

  it("leads nowhere else and is no device", () => {
    const template = "{slug}";
    for (const title of [
      "../x",
      "con",
      "NUL",
      "lpt1",
      "..",
      "a/b\\c",
      "x".repeat(300),
      "文".repeat(300),
      "\u0000\n",
    ]) {
      const name = named(title, { template: `../${template}` });
      expect(name).not.toMatch(/[/\\\p{Cc}]|^\./u);
      expect(name).not.toMatch(/^(con|nul|lpt1)\./i);
      expect(Buffer.byteLength(name)).toBeLessThan(240);
    }
    expect(named("con", { template })).toBe("_con.md");
  });

  it("is another one when it is taken", () => {
    const taken = new Set(["2025-02-03-same.md"]);
    const template = "{date}-{summary}.md";
    const second = archiveName({ ...facts, title: "Same!", template }, (name) => taken.has(name));
    taken.add(second);
    const third = archiveName({ ...facts, title: "Same", template, session: "other" }, (name) =>
      taken.has(name),
    );
    expect(new Set(["2025-02-03-same.md", second, third]).size).toBe(3);
  });
});
