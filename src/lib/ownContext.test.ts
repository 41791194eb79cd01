// Throughline's own words are recognised and left out.
import { describe, expect, it } from "vitest";
import { isOwnTool, withoutOwnContext } from "./ownContext.ts";

describe("withoutOwnContext", () => {
  it("cuts every block and leaves the rest to the letter", () => {
    const text =
      'a <throughline-context nonce="1">x\n<b>y</b></throughline-context> b <throughline-context>z</throughline-context>c';
    expect(withoutOwnContext(text)).toBe("a  b c");
  });

  it("takes a block that was cut off to reach to the end", () => {
    expect(withoutOwnContext('before\n<throughline-context v="1">only the begin')).toBe("before\n");
  });

  it("leaves other words alone, also those that look alike", () => {
    for (const text of [
      "",
      "throughline-context",
      "<throughline-contexts>x",
      "</throughline-context> y",
      "a < b",
    ])
      expect(withoutOwnContext(text)).toBe(text);
  });
});

describe("isOwnTool", () => {
  it("knows our tools by all their names, and no other's", () => {
    expect(
      [
        "mcp__throughline__search",
        "mcp__plugin_throughline_throughline__recall",
        "throughline_recall",
      ].filter(isOwnTool),
    ).toHaveLength(3);
    expect(
      ["Bash", "mcp__other__search", "mcp__throughlines__x", "x_mcp__throughline__search", undefined].filter(
        isOwnTool,
      ),
    ).toEqual([]);
  });
});
