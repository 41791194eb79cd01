// Hostile texts reach a model as quotations that can be told from everybody's words, or not at all.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { hostileTexts } from "../../test/fixtures/inject/hostile.ts";
import { chosenSeed } from "../../test/seed.ts";
import { findInjected, inert, quoted } from "../redact/index.ts";
import { cellOf, cut, isOrder, lineOf } from "./quote.ts";

const { forged, hidden, orders, breaking } = hostileTexts;
const all = [...forged, ...hidden, ...orders, ...breaking];
const kindsIn = (text: string): string[] => [...new Set(findInjected(text).map(({ kind }) => kind))];
const UNSEEN =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are the ones that must not be there
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u200b\u202a-\u202e\u2028\u2029\u2060-\u206f\ufeff]|[\u{e0000}-\u{e007f}]/u;

describe("quoting", () => {
  it("is tried with enough", () => {
    expect(new Set(all).size).toBeGreaterThanOrEqual(50);
  });

  it.each(all)("makes %j a quotation of which every line is marked", (text) => {
    const shown = quoted(text);
    expect(shown.split("\n").filter((line) => !line.startsWith(">"))).toEqual([]);
    expect(kindsIn(shown).filter((kind) => kind !== "instruction" && kind !== "exfiltration")).toEqual([]);
    expect(shown).not.toMatch(UNSEEN);
    expect(shown).not.toMatch(/<\s*[/|]?\s*(?:throughline|system|tool_|antml)/i);
  });

  it.each(all)("makes %j one cell of a table", (text) => {
    const cell = cellOf(lineOf(text, "(withheld)"), 90);
    expect(findInjected(`| ${cell} |`)).toEqual([]);
    expect(cell).not.toMatch(UNSEEN);
    expect(cell).not.toMatch(/[\n<>]/);
    // Every bar is escaped by a backslash that is not escaped itself.
    expect(cell.replace(/\\[\\|]/g, "")).not.toMatch(/[|\\]/);
  });

  it.each(orders)("shows no title that is an order: %j", (text) => {
    expect(isOrder(text)).toBe(true);
    expect(lineOf(`about ${text}`, "(withheld)")).toBe("(withheld)");
  });

  it.each([
    "Fix Promise<void> in a < b && c > d",
    "git config core.ignorecase; ssh <host>",
    "family 👨‍👩‍👧 می‌خواهم 修复登录超时",
    "const x: Map<string, List<T>> = read(y);",
  ])("leaves %j as it is", (text) => {
    expect(inert(text)).toBe(text);
  });

  it("changes nothing the second time, whatever it is given", () => {
    const text = fc.array(fc.oneof(fc.constantFrom(...all), fc.string({ unit: "binary" })), { maxLength: 6 });
    fc.assert(
      fc.property(text, fc.constantFrom("", " ", "\n"), (parts, between) => {
        const once = inert(parts.join(between));
        expect(inert(once)).toBe(once);
        expect(kindsIn(quoted(once)).filter((kind) => /tag|hidden|bidi/.test(kind))).toEqual([]);
      }),
      { seed: chosenSeed() },
    );
  });
});

describe("cut", () => {
  it("counts wide characters twice and parts none", () => {
    expect(cut("abcdef", 6)).toBe("abcdef");
    expect(cut("abcdef", 3)).toBe("abc…");
    expect(cut("修复登录", 4)).toBe("修复…");
    expect(cut("a😀b", 2)).toBe("a😀…");
    expect(cut("Keep late boats on the board", 13)).toBe("Keep late…");
    expect(cut("Keep late boats on the board", 15)).toBe("Keep late boats…");
  });
});
