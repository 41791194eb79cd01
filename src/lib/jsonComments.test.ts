// The small reader reads what the large one reads.
import fc from "fast-check";
import { parse } from "jsonc-parser";
import { describe, expect, it } from "vitest";
import { parseJsonWithComments } from "./json.ts";

describe("parseJsonWithComments", () => {
  it.each([
    ["a plain object", '{"a": [1, "x"]}'],
    ["comments of both kinds", '{ // one\n "a": 1, /* two,\n} */ "b": 2 }'],
    ["trailing commas", '{"a": [1, 2, ], "b": {"c": 1,},}'],
    ["a trailing comma before a comment", '{"a": 1, // last\n}'],
    ["marks of comments inside strings", '{"a": "// no /* comment */", "b": "\\" // no"}'],
    ["a comment at the end", '{"a": 1} // done'],
  ])("reads %s", (_, text) => {
    expect(parseJsonWithComments(text)).toEqual(parse(text, [], { allowTrailingComma: true }));
  });

  it("finds no settings in an empty text, and skips a byte-order mark", () => {
    expect(parseJsonWithComments(" // nothing\n")).toEqual({});
    expect(parseJsonWithComments('\uFEFF{"a": 1}')).toEqual({ a: 1 });
  });

  it.each([
    "{",
    '{"a": 1',
    '{"a": "x}',
    '{"a": 1} /* open',
    '{"a": 1,,}',
    '{"a": [,]}',
    "{,}",
    '{"a" 1}',
    "nope",
  ])("does not read %s", (text) => {
    expect(parseJsonWithComments(text)).not.toEqual(expect.objectContaining({ a: 1 }));
  });

  it("reads any value back, however it is written", () => {
    fc.assert(
      fc.property(
        fc.dictionary(fc.string(), fc.jsonValue()),
        fc.integer({ min: 0, max: 3 }),
        (value, indent) => {
          const text = JSON.stringify(value, null, indent);
          const commented = `/* before */ ${text.replaceAll("\n", " // at the end\n")}\n// after`;
          expect(parseJsonWithComments(commented)).toEqual(JSON.parse(text));
        },
      ),
    );
  });
});
