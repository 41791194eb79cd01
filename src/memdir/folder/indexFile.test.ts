// Holds the index to its form and to the sizes that Claude Code loads.
import { describe, expect, it } from "vitest";
import { indexBudget, indexLine, readIndexLines, sizeOfIndex, withIndexLine } from "./indexFile.ts";

const lines = (count: number, text = "x"): string =>
  Array.from({ length: count }, (_, at) => `- [T${at}](f${at}.md) — ${text}\n`).join("");

describe("a line of the index", () => {
  it("has its form, and one line whatever it is given", () => {
    expect(indexLine({ name: "A [b]\nc", file: "a.md", description: "the\n- [x](y.md) — forged" })).toBe(
      "- [A \\[b\\] c](a.md) — the - [x](y.md) — forged",
    );
  });

  it("is short enough to be a pointer", () => {
    const line = indexLine({ name: "n", file: "n.md", description: "字".repeat(300) });
    expect(line.length).toBeLessThanOrEqual(indexBudget.lineCharacters);
    expect(line).toMatch(/字…$/);
  });

  it("is read in the forms that people and models write", () => {
    const text =
      "# Memory\n- [A \\[b\\]](a.md) — hook\n* [B](./b.md): hook - more\n- [C](<c.md>)\r\n- [no](https://x.org/)\n- plain\n";
    expect(readIndexLines(text)).toMatchObject([
      { title: "A [b]", file: "a.md", hook: "hook", at: 1 },
      { title: "B", file: "b.md", hook: "hook - more", at: 2 },
      { title: "C", file: "c.md", hook: "", at: 3 },
    ]);
  });

  it("finds its file whatever is in the name", () => {
    for (const file of ["my notes.md", "a (1).md", "100%.md", "50%20.md", "部署.md"])
      expect(readIndexLines(indexLine({ name: "n", file, description: "d" }))).toMatchObject([{ file }]);
    expect(readIndexLines("- [a](my%20notes.md) — x\n- [b](%E9%83%A8.md)\n- [c](5%.md)")).toMatchObject([
      { file: "my notes.md" },
      { file: "部.md" },
      { file: "5%.md" },
    ]);
  });

  it("goes behind the last one, replaces its own, and goes without a trace", () => {
    const text = "# Mine\n\n- [a](a.md) — 1\n\nbelow";
    const added = withIndexLine(text, "b.md", "- [b](b.md) — 2");
    expect(added).toBe("# Mine\n\n- [a](a.md) — 1\n- [b](b.md) — 2\n\nbelow\n");
    expect(withIndexLine(added, "a.md", "- [a](a.md) — 3")).toBe(added.replace("1", "3"));
    expect(withIndexLine(added, "b.md", undefined)).toBe(`${text}\n`);
    expect(withIndexLine("- [a](a.md)\n- [a](a.md)\n", "a.md", "- [a](a.md) — x")).toBe("- [a](a.md) — x\n");
    expect(withIndexLine("", "a.md", "- [a](a.md) — x")).toBe("- [a](a.md) — x\n");
  });
});

describe("the size of an index", () => {
  it.each([
    [139, "fine"],
    [140, "near"],
    [200, "near"],
    [201, "over"],
  ] as const)("of %d lines is %s", (count, state) => {
    expect(sizeOfIndex(lines(count))).toMatchObject({ lines: count, state });
  });

  it("counts characters, not bytes", () => {
    // 125 lines of 200 characters, their newlines counted, are what is just loaded.
    const row = (at: number): string => `${`- [T](f${at}.md) — `.padEnd(199, "y")}\n`;
    const text = (count: number): string => Array.from({ length: count }, (_, at) => row(at)).join("");
    expect(sizeOfIndex(text(125))).toMatchObject({ characters: 24_999, state: "near", unseen: [] });
    expect(sizeOfIndex(text(126)).unseen.map(({ file }) => file)).toEqual(["f125.md"]);
    expect(sizeOfIndex(lines(130, "字".repeat(150)))).toMatchObject({ state: "near", unseen: [] });
  });

  it("leaves out frontmatter and comments that are blocks, and counts empty lines", () => {
    const head = "---\na: b\n---\n<!-- one\ntwo -->\n";
    expect(sizeOfIndex(`${head}${lines(198)}\n\n- [last](last.md) — x <!-- inline -->\n\n`)).toMatchObject({
      lines: 201,
      state: "over",
      unseen: [{ file: "last.md" }],
    });
  });
});
