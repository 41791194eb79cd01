// What private tags hide, however they are written.
import { describe, expect, it } from "vitest";
import { privateStretches } from "./privateTags.ts";

const hidden = (text: string): string[] =>
  privateStretches(text).map(({ start, end }) => text.slice(start, end));

describe("private tags", () => {
  it.each([
    ["a <private>b</private> c", ["<private>b</private>"]],
    ["<PRIVATE>b</Private>", ["<PRIVATE>b</Private>"]],
    ['<private reason="x">b</private >', ['<private reason="x">b</private >']],
    ["<private>a<private>b</private>c</private> d", ["<private>a<private>b</private>c</private>"]],
    ["&lt;private&gt;b&lt;/private&gt; c", ["&lt;private&gt;b&lt;/private&gt;"]],
    ["\\u003cprivate\\u003eb\\u003c/private\\u003e", ["\\u003cprivate\\u003eb\\u003c/private\\u003e"]],
    ["a <private>b\nc", ["<private>b\nc"]],
    ["<private>a<private>b</private> c", ["<private>a<private>b</private> c"]],
    ["<private>1</private><private>2</private>", ["<private>1</private>", "<private>2</private>"]],
    ["</private> a <private/> b <privateer> c <private", []],
  ])("hide in %j", (text, expected) => {
    expect(hidden(text)).toEqual(expected);
  });
});
