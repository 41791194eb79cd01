import { expect, it } from "vitest";
import { countTerm, hasTerms, padded, termCount } from "./termText.ts";

const text = padded("retri queue queue parser pars");

it.each([
  ["queue", 2],
  ["que", 0],
  ["retri", 1],
  ["pars*", 2],
  ["parse*", 2],
  ["x*", 0],
])("counts %s %i times, as a whole term", (term, count) => {
  expect(countTerm(text, term)).toBe(count);
});

it.each([
  [["retri", "queue"], true],
  [["retri", "que"], false],
  [["queue", "retri"], false],
  [["queue", "par*"], true],
  [["parser", "parse*"], true],
])("knows whether %j follow each other", (terms, expected) => {
  expect(hasTerms(text, terms)).toBe(expected);
});

it("counts the terms of a text", () => {
  expect([termCount(""), termCount("one"), termCount("one two three")]).toEqual([0, 1, 3]);
});
