// The panel shows a memory without its frontmatter.
import { describe, expect, it } from "vitest";
import { withoutFrontmatter } from "./memoryPanel.tsx";

describe("the body of a memory", () => {
  it.each([
    ["---\nname: x\n---\n\nwords\n", "words"],
    ["---\r\nname: x\r\n---\r\nwords", "words"],
    ["words alone", "words alone"],
    ["---\nname: x\n---", ""],
    ["a\n---\nb\n---\nc", "a\n---\nb\n---\nc"],
    ["---\nnever closed", "---\nnever closed"],
  ])("of %j is %j", (text, body) => {
    expect(withoutFrontmatter(text)).toBe(body);
  });
});
