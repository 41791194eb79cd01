// Edits of a JSONC text: the value changes, everything else stays.
import fc from "fast-check";
import { getNodeValue } from "jsonc-parser";
import { describe, expect, it } from "vitest";
import { parseDocument } from "./document.ts";
import { applySplices, removeFromText, removeSplices, reversed, setInText, setSplices } from "./edit.ts";

describe("setInText", () => {
  it.each([
    ["replaces a value in place", '{\n  "a": 1, // one\n}\n', ["a"], 2, '{\n  "a": 2, // one\n}\n'],
    [
      "leaves a comment with its own line",
      '{\n  "a": 1 // one\n}\n',
      ["b"],
      2,
      '{\n  "a": 1, // one\n  "b": 2\n}\n',
    ],
    [
      "keeps a trailing comma's style",
      '{\n  "a": 1, // one\n}\n',
      ["b"],
      2,
      '{\n  "a": 1, // one\n  "b": 2,\n}\n',
    ],
    ["adds to a line", '{"a": 1}', ["b"], 2, '{"a": 1, "b": 2}'],
    ["does not write into a comment", '{"a": 1 // one\n}', ["b"], 2, '{"a": 1, // one\n  "b": 2\n}'],
    [
      "goes into a group",
      '{\n\t"g": {\n\t\t"x": 1\n\t}\n}',
      ["g", "y"],
      2,
      '{\n\t"g": {\n\t\t"x": 1,\n\t\t"y": 2\n\t}\n}',
    ],
    [
      "makes the groups it needs",
      '{\r\n  "a": 1\r\n}',
      ["g", "x"],
      2,
      '{\r\n  "a": 1,\r\n  "g": {\r\n    "x": 2\r\n  }\r\n}',
    ],
    ["adds to a list", '{\n  "l": [\n    1\n  ]\n}', ["l", 1], 2, '{\n  "l": [\n    1,\n    2\n  ]\n}'],
    ["fills an empty list", '{\n  "l": []\n}', ["l", 0], 2, '{\n  "l": [\n    2\n  ]\n}'],
    ["makes a list", '{\n    "a": 1\n}', ["l", 0], 2, '{\n    "a": 1,\n    "l": [\n        2\n    ]\n}'],
    ["starts a file", "", ["g", "x"], 2, '{\n  "g": {\n    "x": 2\n  }\n}'],
  ])("%s", (_name, text, path, value, expected) => {
    expect(setInText(text, path, value)).toBe(expected);
  });
});

describe("removeFromText", () => {
  it.each([
    [
      "takes the line",
      '{\n  // about a\n  "a": 1, // one\n  "b": 2\n}',
      ["a"],
      '{\n  // about a\n  "b": 2\n}',
    ],
    [
      "takes the comma before a last property",
      '{\n  "a": 1, // one\n  "b": 2\n}',
      ["b"],
      '{\n  "a": 1 // one\n}',
    ],
    ["leaves a trailing comma's style", '{\n  "a": 1,\n  "b": 2,\n}', ["b"], '{\n  "a": 1,\n}'],
    ["empties a group", '{"g": {"x": 1,}}', ["g", "x"], '{"g": {}}'],
    ["spares a neighbour on the line", '{\n  "a": 1, "b": 2\n}', ["a"], '{\n   "b": 2\n}'],
    ["takes an element and its line", '{"l": [\n  1,\n  2\n]}', ["l", 1], '{"l": [\n  1\n]}'],
    ["takes an element of a line", '{"l": [1, 2, 3]}', ["l", 2], '{"l": [1, 2]}'],
    ["closes what it emptied", '{\n  "l": [\n    2\n  ]\n}', ["l", 0], '{\n  "l": []\n}'],
    ["changes nothing that is not there", '{ "a": 1 }', ["b"], '{ "a": 1 }'],
  ])("%s", (_name, text, path, expected) => {
    expect(removeFromText(text, path)).toBe(expected);
  });
});

const gap = fc.constantFrom("", " ", "\n", "\n  ", " /* c */ ", " // c\n", "\n  // c\n  ");
const names = ["a", "b", "c", "g"];

/** A random object as text, with comments and line breaks wherever JSONC allows them. */
const objectText: fc.Arbitrary<string> = fc.letrec<{ object: string }>((tie) => ({
  object: fc
    .record({
      keys: fc.uniqueArray(fc.constantFrom(...names), { maxLength: 4 }),
      values: fc.array(
        fc.oneof(
          { depthSize: "small", withCrossShrink: true },
          fc.constantFrom("1", '"x, }"', "[1, 2]"),
          tie("object"),
        ),
        {
          minLength: 4,
          maxLength: 4,
        },
      ),
      gaps: fc.array(gap, { minLength: 20, maxLength: 20 }),
      trailing: fc.boolean(),
    })
    .map(({ keys, values, gaps, trailing }) => {
      const properties = keys.map((key, index) => {
        const [one, two, three, four] = gaps.slice(index * 4, index * 4 + 4);
        return `${one}"${key}"${two}:${three}${values[index]}${four}`;
      });
      const end = trailing && keys.length > 0 ? `,${gaps[16]}` : "";
      return `{${gaps[17]}${properties.join(",")}${end}}`;
    }),
})).object;

const parsed = (text: string): Record<string, unknown> => {
  const { tree, error } = parseDocument(text);
  expect(error, text).toBeUndefined();
  return tree === undefined ? {} : getNodeValue(tree);
};
const comments = (text: string): number => text.match(/\/\/ c|\/\* c \*\//g)?.length ?? 0;

describe("any text", () => {
  it("holds exactly the new value after a set, and every comment", () => {
    fc.assert(
      fc.property(
        objectText,
        fc.constantFrom(...names),
        fc.constantFrom<unknown>(7, { x: [1] }),
        (text, key, value) => {
          const after = setInText(text, [key], value);
          expect(parsed(after)).toEqual({ ...parsed(text), [key]: value });
          const replaced = JSON.stringify(parsed(text)[key])?.includes("{") ?? false;
          if (!replaced) expect(comments(after), after).toBe(comments(text));
        },
      ),
      { numRuns: 2_000 },
    );
  });

  it("is what it was, byte for byte, after either is taken back", () => {
    fc.assert(
      fc.property(objectText, fc.constantFrom(...names), fc.boolean(), (text, key, set) => {
        const splices = set ? setSplices(text, [key], { x: [1] }) : removeSplices(text, [key]);
        expect(applySplices(applySplices(text, splices), reversed(splices))).toBe(text);
      }),
      { numRuns: 1_000 },
    );
  });

  it("holds everything but the property after a removal", () => {
    fc.assert(
      fc.property(objectText, fc.constantFrom(...names), (text, key) => {
        const { [key]: _gone, ...rest } = parsed(text);
        expect(parsed(removeFromText(text, [key]))).toEqual(rest);
      }),
      { numRuns: 2_000 },
    );
  });
});
