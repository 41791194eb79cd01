// What the first pages claim, held against what the lanes do: replayed figures are called so, and what is written is named.
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";

const root = path.resolve(import.meta.dirname, "../..");
const read = (page: string): string => readFileSync(path.join(root, page), "utf8");
const docs = readdirSync(path.join(root, "docs"))
  .filter((name) => name.endsWith(".md"))
  .map((name) => `docs/${name}`);
const firstPages = ["README.md", "README.zh-CN.md"];

/** The paragraph behind a place of the page. */
const behind = (text: string, place: string): string => text.split(place)[1]?.trim().split("\n\n")[0] ?? "";

describe("what is recorded or replayed is called so", () => {
  it.each([...firstPages, ...docs].filter((page) => read(page).includes("pictures/window.png")))(
    "beside the picture of a window in %s",
    (page) => {
      const beside = behind(read(page), "pictures/window.png)");
      expect(beside).toMatch(/npm start/);
      expect(beside).toMatch(/lanes\.md/);
    },
  );

  it("before the table of rules on the page of numbers", () => {
    const before = read("docs/numbers.md")
      .split("<!-- generated:bench-rules -->")[0]
      ?.trim()
      .split("\n\n")
      .at(-1);
    expect(before).toMatch(/is\s+replay/);
    expect(before).toMatch(/lanes\.md/);
  });

  it.each(firstPages)("in the row of what rules cost in %s", (page) => {
    const row = read(page)
      .split("\n")
      .find((line) => line.startsWith("|") && line.includes("`npm run bench:replay`"));
    expect(row).toMatch(/replay of recorded sessions/);
  });

  it("and no lane is said to do what the table of lanes leaves out", () => {
    const microcompact = read("docs/lanes.md").match(/^\| microcompact.*$/m)?.[0] ?? "";
    // When a lane does it, the sentences above are to be written anew.
    expect(
      microcompact
        .split("|")
        .slice(2, 4)
        .every((cell) => cell.trim().startsWith("–")),
    ).toBe(true);
  });
});

it.each(firstPages)("Claude Code's compacted text is not said to be out of reach in %s", (page) => {
  const row = read(page)
    .split("\n")
    .find((line) => /^\| (what was compacted away|被压缩掉的内容)/.test(line));
  expect(row?.split("|")[4]).toMatch(/path|路径/);
});

it.each([...firstPages, "docs/install.md"])("%s names CLAUDE.md among what is written", (page) => {
  const text = read(page);
  expect(text).not.toMatch(/and nothing else is touched|不会写入其他任何东西/);
  expect(text).toMatch(/block into its CLAUDE\.md|CLAUDE\.md 里放一个块/);
});
