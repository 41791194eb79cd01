// Text into terms: what is written differently and means the same must meet, and nothing may be lost on the way.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { passagesOf } from "./passages.ts";
import { stem } from "./stem.ts";
import { queryTerms, termsOf } from "./terms.ts";
import { definedName, isCode, isQuestion, isStandingRequest } from "./traits.ts";

describe("stems", () => {
  it.each([
    ["running", "run"],
    ["ran", "runs"],
    ["caresses", "caress"],
    ["relational", "relate"],
    ["randomly", "random"],
    ["databases", "db"],
    ["config", "configuration"],
    ["studies", "studying"],
    ["hopping", "hop"],
    ["hoping", "hope"],
  ])("of %s and %s are the same", (one, other) => expect(stem(one)).toBe(stem(other)));

  it.each([
    ["family", "famous"],
    ["university", "unit"],
    ["数据", "库"],
  ])("of %s and %s are not", (one, other) => expect(stem(one)).not.toBe(stem(other)));
});

describe("terms", () => {
  it("split identifiers and paths, and keep them whole too", () => {
    const { sequence, extra } = termsOf("parseHTTPResponse in src/my_mod/index.test.ts:42");
    expect(sequence).toEqual(
      expect.arrayContaining([stem("parse"), "http", stem("response"), "my", "mod", "index", "test", "42"]),
    );
    expect(extra).toEqual(["parsehttpresponse", "mymod"]);
  });

  it("are words and bigrams where there are no spaces", () => {
    const { sequence, extra } = termsOf("如何修复数据库");
    expect(sequence).toEqual(["如何", "何修", "修复", "复数", "数据", "据库"]);
    expect([...sequence, ...extra].join(" ")).toContain("库");
  });

  it("are the same for full and half width, for capitals, and with or without a possessive", () => {
    expect(termsOf("ＡＰＩ Caroline's").sequence).toEqual(termsOf("api CAROLINE").sequence);
  });

  it("of a question leave out stop words, unless there is nothing else", () => {
    expect(queryTerms("what is the retry queue?").map(({ word }) => word)).toEqual(["retry", "queue"]);
    expect(queryTerms("what is it").map(({ word }) => word)).toEqual(["what", "is", "it"]);
    expect(queryTerms("python sort")[0]?.weight).toBeLessThan(1);
  });

  it("never hold what a full-text query would read as an operator, whatever the text", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (text) => {
        const { sequence, extra } = termsOf(text);
        for (const term of [...sequence, ...extra]) expect(term).toMatch(/^[\p{L}\p{M}\p{N}ー々]+$/u);
      }),
      { examples: [["\u2e80"]] },
    );
  });
});

describe("passages", () => {
  it("hold every character that is not space exactly once, in order", () => {
    fc.assert(
      fc.property(fc.array(fc.lorem({ maxCount: 80 }), { maxLength: 20 }), (parts) => {
        const text = parts.join(" ");
        const joined = passagesOf(text).map(({ start, end }) => text.slice(start, end));
        expect(joined.join("").replace(/\s/g, "")).toBe(text.replace(/\s/g, ""));
        for (const passage of joined) expect(passage.length).toBeLessThanOrEqual(700);
      }),
    );
  });

  it("of one word without an end are cut all the same", () => {
    expect(passagesOf("x".repeat(5_000)).length).toBeGreaterThan(5);
    expect(passagesOf("  \n ")).toEqual([]);
  });
});

describe("traits", () => {
  it("tell code from talk", () => {
    expect(isCode("def add(a, b):\n    return a + b\n")).toBe(true);
    expect(isCode("I added two numbers,\nand then I went home.\nIt was late.")).toBe(false);
    expect(isCode("See you [shares a photo]")).toBe(false);
    expect(definedName("@cached\ndef unique_items(seq):\n  pass")).toBe("unique_items");
  });

  it.each([
    "Always use tabs when I ask for Go code.",
    "I prefer small commits",
    "以后都用中文回答",
    "我更喜欢简洁的代码",
  ])("know a standing wish: %s", (text) => expect(isStandingRequest(text)).toBe(true));

  it("do not take a question for one", () => {
    expect(isStandingRequest("Can you always hear the sea there?")).toBe(false);
  });
});

describe("a question", () => {
  it.each([
    "Where is it?",
    "Is this your own painting? [shares a photo of a lake]",
    "真的吗？",
    'Did she say "yes?" 😀',
  ])("is %s", (text) => expect(isQuestion(text)).toBe(true));
  it.each(["It is here.", "Why? Because.", `${"A long answer. ".repeat(40)}Shall I go on?`, ""])(
    "is not %s",
    (text) => expect(isQuestion(text)).toBe(false),
  );
});
