// What would steer a terminal is written out; letters of every script stay as they are.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { chosenSeed } from "../../test/seed.ts";
import { neutral, neutralJson } from "./text.ts";

const STEERING = /[\p{Cc}\u061c\u200e\u200f\u202a-\u202e\u2028\u2029\u2066-\u2069\ufeff]/u;

describe("neutral", () => {
  it.each([
    ["a\u001b[2Jb", "a\\u{1b}[2Jb"],
    ["\u009b31m\u009d52;c;eA==\u009c", "\\u{9b}31m\\u{9d}52;c;eA==\\u{9c}"],
    ["a\u202eb\u2066c\u061cd", "a\\u{202e}b\\u{2066}c\\u{61c}d"],
    ["a\u200bb\u200cc\u200dd\ufeffe\u00adf", "a\\u{200b}b\\u{200c}c\\u{200d}d\\u{feff}e\\u{ad}f"],
    ["over\rwritten\b\u0007\u007f", "over\\u{d}written\\u{8}\\u{7}\\u{7f}"],
    ["one\u2028two\u2029three\u0085four", "one\\u{2028}two\\u{2029}three\\u{85}four"],
    ["x\u{e0068}\u{e0069}", "x\\u{e0068}\\u{e0069}"],
    ["x\u{e0101}\u{e0102}", "x\\u{e0101}\\u{e0102}"],
  ])("writes out %j", (text, shown) => {
    expect(neutral(text)).toBe(shown);
  });

  it.each(["one\n\ttwo", "中文、한국어 — naïve", "👩‍💻 ❤️ 🏴󠁧󠁢󠁥󠁮󠁧󠁿", "می‌خواهم क्‍ष", "葛\u{e0100}城", "\u0600123"])(
    "leaves %j alone",
    (text) => {
      expect(neutral(text)).toBe(text);
    },
  );

  it("has lines end as a terminal has them", () => {
    expect(neutral("a\r\nb\r\n")).toBe("a\nb\n");
  });

  it("lets nothing through, and changes nothing the second time", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary", maxLength: 40 }), (text) => {
        const shown = neutral(text);
        expect(shown.replace(/[\n\t]/g, "")).not.toMatch(STEERING);
        expect(neutral(shown)).toBe(shown);
      }),
      { seed: chosenSeed() },
    );
  });
});

describe("neutralJson", () => {
  it("gives JSON of the same values, in which nothing of that kind is raw", () => {
    fc.assert(
      fc.property(fc.jsonValue({ stringUnit: "binary" }), (value) => {
        const json = neutralJson(JSON.stringify(value));
        expect(json).not.toMatch(/[\p{Cc}\p{Cf}\u2028\u2029]/u);
        expect(JSON.parse(json)).toEqual(JSON.parse(JSON.stringify(value)));
      }),
      { seed: chosenSeed() },
    );
  });
});
