// The texts that stand for a result: the fixed template to the letter, and where a head is cut.
import { describe, expect, it } from "vitest";
import { headReference, isPersisted, typedReference } from "./persisted.ts";

const PREVIEW = 2_048;

function previewIn(reference: string): string {
  return reference.split("Preview (first 2 KB):\n")[1]?.replace(/\n<\/persisted-output>$/, "") ?? "";
}

describe("the fixed template", () => {
  it("is this text, byte for byte", () => {
    const text = "x".repeat(317_842);
    expect(headReference(text, "/project/.claude/tool-results/toolu_abc.txt", PREVIEW)).toBe(
      "<persisted-output>\n" +
        "Output too large (317842 chars). Full output saved to: /project/.claude/tool-results/toolu_abc.txt\n" +
        "\n" +
        "Preview (first 2 KB):\n" +
        `${"x".repeat(2_048)}\n` +
        "</persisted-output>",
    );
  });

  it("previews 2 KB of bytes, cut between characters", () => {
    expect(Buffer.byteLength(previewIn(headReference("a".repeat(9_999), "f", PREVIEW)))).toBe(2_048);
    // 682 characters of three bytes are 2,046 bytes; a 683rd would not fit.
    expect(previewIn(headReference("日".repeat(9_999), "f", PREVIEW))).toBe("日".repeat(682));
    expect(previewIn(headReference(`a${"日".repeat(9_999)}`, "f", PREVIEW))).toBe(`a${"日".repeat(682)}`);
    // Characters outside the first plane are two units and four bytes: never half of one.
    expect(previewIn(headReference(`ab${"🧵".repeat(9_999)}`, "f", PREVIEW))).toBe(`ab${"🧵".repeat(511)}`);
  });

  it("is recognised, also behind white space", () => {
    expect(isPersisted(headReference("x", "f", PREVIEW))).toBe(true);
    expect(isPersisted("\n <persisted-output>\n…")).toBe(true);
    expect(isPersisted("the tag <persisted-output> in a text")).toBe(false);
  });
});

describe("the typed reference", () => {
  it("says how much there is, where the file is, and by which handle it comes back", () => {
    const text = Array.from({ length: 400 }, (_, at) => `step ${at}`).join("\n");
    const reference = typedReference({
      tool: "Bash",
      text,
      file: "/r/toolu_1.txt",
      handle: "tl:0123456789ab",
      previewCharacters: 500,
    });
    expect(reference.split("\n").slice(0, 6)).toEqual([
      "<persisted-output>",
      `Output too large (${text.length} chars, 400 lines). Full output saved to: /r/toolu_1.txt`,
      "Read that file with offset and limit for any part of it, or recall tl:0123456789ab",
      "",
      "Preview (beginning, alarming lines and end; ⋯ marks what is left out):",
      "step 0",
    ]);
    expect(reference.endsWith("\nstep 399\n</persisted-output>")).toBe(true);
    expect(isPersisted(reference)).toBe(true);
  });
});
