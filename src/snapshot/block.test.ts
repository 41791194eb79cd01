// The block in CLAUDE.md: where it goes, what it says, and that nothing else in the file ever changes.
import { describe, expect, it } from "vitest";
import { type NewReference, readReference, withoutReference, withReference } from "./block.ts";
import { localStamp } from "./folder.ts";

const at = Date.UTC(2026, 10, 15, 8, 30, 0);
const reference: NewReference = { name: "compact-snapshot-20261115163000.md", at, hours: 2, language: "zh" };
const START = "<!-- TEMP_COMPACT_SNAPSHOT_START -->";
const END = "<!-- TEMP_COMPACT_SNAPSHOT_END -->";

const latin = (text: string): string => Buffer.from(text, "utf8").toString("latin1");
const utf8 = (text: string): string => Buffer.from(text, "latin1").toString("utf8");

function added(text: string | undefined, more: Partial<NewReference> = {}): string {
  const result = withReference(text === undefined ? undefined : latin(text), { ...reference, ...more });
  if ("refused" in result) throw new Error(result.refused);
  return result.text;
}

describe("a block", () => {
  it("stands at the top and says where, when, how long, and the time that decides", () => {
    const text = utf8(added("# My project\n"));
    expect(text.startsWith(`\n---\n${START}\n# 🔄 临时上下文快照 [${localStamp(at)}]\n`)).toBe(true);
    expect(text).toContain("**📎 快照文件**: .claude/compact-snapshot-20261115163000.md\n");
    expect(text).toContain(`**⏰ 快照时间**: ${localStamp(at)}\n`);
    expect(text).toContain("**⏱️ 有效期**: 2小时（超时自动清理）\n");
    expect(text.match(/^- /gm)).toHaveLength(3);
    expect(text).toContain("2026-11-15T08:30:00.000Z");
    expect(text.endsWith(`${END}\n---\n\n# My project\n`)).toBe(true);
  });

  it("has the configured validity in both languages", () => {
    expect(utf8(added("x", { hours: 5 }))).toContain("5小时");
    expect(utf8(added("x", { hours: 5, language: "en" }))).toMatch(/Valid for\*\*: 5 hours/);
  });

  it.each([
    ["frontmatter", "---\ntitle: x\n---\n\n# Rules\n", "---\ntitle: x\n---\n"],
    ["a BOM", "\ufeff# Rules\n", "\ufeff"],
    ["a BOM and frontmatter", "\ufeff---\na: b\n---\nRules", "\ufeff---\na: b\n---\n"],
    ["frontmatter that is never closed", "---\na: b\n# Rules\n", ""],
  ])("stands behind %s", (_, before, head) => {
    const text = utf8(added(before));
    expect(text.startsWith(`${head}\n---\n${START}\n`)).toBe(true);
    expect(utf8(withoutReference(added(before)) ?? "")).toBe(before);
  });

  it("speaks the line ends of its file", () => {
    const text = added("one\r\ntwo\r\n");
    expect(text.replaceAll("\r\n", "")).not.toContain("\n");
    expect(withoutReference(text)).toBe("one\r\ntwo\r\n");
  });

  it("replaces every earlier one: there is one block, ever", () => {
    const twice = added(utf8(added("# Rules\n")), { at: at + 60_000 });
    expect(twice.split(START)).toHaveLength(2);
    const two = `${utf8(added("# Rules\n"))}\nmiddle\n\n${utf8(added("more\n"))}`;
    expect(added(two).split(START)).toHaveLength(2);
    expect(withoutReference(added(two))).toBe("# Rules\n\nmiddle\n\nmore\n");
  });

  it("is not what stands in code, or in a sentence", () => {
    const page = `# How it works\n\n\`\`\`md\n${START}\nx\n${END}\n\`\`\`\n\nThe mark is ${START}.\n`;
    expect(readReference(latin(page))).toEqual({ reference: undefined, half: false });
    expect(utf8(withoutReference(added(page)) ?? "")).toBe(page);
    expect(utf8(withoutReference(latin(page)) ?? "")).toBe(page);
  });

  it.each([
    ["a beginning without an end", `# Rules\n${START}\nlost\n`],
    ["an end without a beginning", `# Rules\n${END}\n`],
    ["a beginning inside another", `${START}\n${START}\nx\n${END}\n`],
  ])("is not put beside %s", (_, page) => {
    expect(withReference(latin(page), reference)).toEqual({ refused: "half-block" });
    expect(readReference(latin(page)).half).toBe(true);
  });

  it("is not put into UTF-16, nor behind frontmatter that has no line end", () => {
    expect(withReference("\xff\xfe#\0 \0", reference)).toEqual({ refused: "not-utf8" });
    expect(withReference("---\na: b\n---", reference)).toEqual({ refused: "frontmatter-only" });
  });

  it("is taken out with its rules where an editor has taken the empty line, and leaves those of the user", () => {
    const text = added("---\n# Rules\n");
    for (const edited of [text, text.slice(1)]) expect(withoutReference(edited)).toBe("---\n# Rules\n");
    expect(withoutReference(`mine\n${added("yours\n")}`)).toBe("mine\nyours\n");
    const utc = "<!-- TEMP_COMPACT_SNAPSHOT_UTC 2026-11-15T08:30:00.000Z -->";
    expect(withoutReference(`a\n---\n${START}\n${utc}\n${END}\n---\nb\n`)).toBe("a\n---\n---\nb\n");
  });

  it("takes the file with it that was made for it, unless something else was written there", () => {
    expect(withoutReference(added(undefined))).toBeUndefined();
    expect(withoutReference(added(utf8(added(undefined))))).toBeUndefined();
    expect(withoutReference(`${added(undefined)}mine\n`)).toBe("mine\n");
    expect(withoutReference(added(""))).toBe("");
  });
});

describe("what a block says", () => {
  it("is read back", () => {
    expect(readReference(added("x")).reference).toEqual({ name: reference.name, at, created: false });
  });

  const foreign = [
    START,
    "# 🔄 临时上下文快照 [2025-11-15 16:30:00]",
    "",
    "**📎 快照文件**: .claude/compact-snapshot-20251115163000.md",
    "**⏰ 快照时间**: 2025-11-15 16:30:00",
    END,
  ].join("\n");

  it.each([
    ["alone", foreign],
    ["between two rules at the top, which are no frontmatter", `---\n${foreign}\n---\n\n# Rules\n`],
  ])("is read as local time where it has no UTC time, %s", (_, page) => {
    expect(readReference(latin(page)).reference).toEqual({
      name: "compact-snapshot-20251115163000.md",
      at: new Date(2025, 10, 15, 16, 30, 0).getTime(),
      created: false,
    });
  });

  it.each([
    [
      "the rules around a block of other scripts go with it",
      `---\n${foreign}\n---\n\n# Rules\n`,
      "# Rules\n",
    ],
    ["so they do at the end of a file", `---\r\n${foreign}\r\n---`, ""],
    ["frontmatter above stays", `---\na: b\n---\n${foreign}\n---\nx\n`, "---\na: b\n---\n---\nx\n"],
    ["a rule on one side is the user's", `x\n\n---\n${foreign}\n\ny\n`, "x\n\n---\ny\n"],
  ])("%s", (_, page, rest) => {
    expect(withoutReference(latin(page))).toBe(rest);
    const replaced = added(page);
    expect(replaced.split(START)).toHaveLength(2);
    expect(withoutReference(replaced)).toBe(rest);
  });

  it.each(["2025-13-45 99:99:99", "yesterday", "2025-02-30 10:00:00"])(
    "has no time when it says %s",
    (time) => {
      const block = latin(`${START}\n**⏰ Snapshot time**: ${time}\n${END}\n`);
      expect(readReference(block).reference?.at).toBeUndefined();
    },
  );

  it("is never a file outside of .claude, nor one of another name", () => {
    const block = (file: string): string => latin(`${START}\n**📎 Snapshot file**: ${file}\n${END}\n`);
    expect(readReference(block("/etc/passwd")).reference?.name).toBeUndefined();
    expect(readReference(block("../../compact-snapshot-20251115163000.md")).reference?.name).toBe(
      "compact-snapshot-20251115163000.md",
    );
  });
});
