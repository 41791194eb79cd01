// Getting back exactly the part that was asked for.
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { memoryVault, openVault, recall, recallSession, type Selection } from "./index.ts";

const one = { session: "one" };
function recallFrom(content: string | Uint8Array, selection: Selection = {}) {
  const vault = memoryVault();
  return recall(vault, vault.put(content, one).handle, selection);
}
const refused = expect.objectContaining({ code: "usage", fix: expect.any(String) });
const five = "l1\nl2\nl3\nl4\nl5\n";

describe("recall of everything", () => {
  it("gives exact bytes, binary ones too, and counts bytes and lines", () => {
    const binary = Uint8Array.from({ length: 512 }, (_, i) => i % 256);
    const recalled = recallFrom(binary);
    expect(Buffer.compare(recalled.bytes, binary)).toBe(0);
    expect(recalled).toMatchObject({ totalBytes: 512, totalLines: 3, truncated: false });
  });

  it.each([
    ["", 0],
    ["a", 1],
    ["a\n", 1],
    ["a\nb", 2],
    ["\n\n", 2],
  ])("counts the lines of %j as %i", (text, lines) => {
    expect(recallFrom(text).totalLines).toBe(lines);
  });

  it("finds by tool_use_id in the session that asks", () => {
    const vault = memoryVault();
    vault.put("mine", { session: "one", toolUseId: "toolu_1" });
    vault.put("theirs", { session: "two", toolUseId: "toolu_1" });
    expect(recall(vault, "toolu_1", one).text).toBe("mine");
  });

  it("cuts at maxBytes, never through a character, and says so", () => {
    expect(recallFrom("漢字漢字", { maxBytes: 7 })).toMatchObject({ text: "漢字", truncated: true });
    expect(recallFrom("漢字", { maxBytes: 6 })).toMatchObject({ text: "漢字", truncated: false });
    expect(recallFrom("a🦀", { maxBytes: 4 })).toMatchObject({ text: "a", truncated: true });
  });
});

describe("recall of lines", () => {
  it("gives both ends and what is between, and reports the range it really gave", () => {
    expect(recallFrom(five, { lines: [2, 3] })).toMatchObject({ text: "l2\nl3\n", from: 2, to: 3 });
    expect(recallFrom(five, { lines: [-5, 1] })).toMatchObject({ text: "l1\n", from: 1, to: 1 });
    expect(recallFrom(five, { lines: [4, 99] })).toMatchObject({ text: "l4\nl5\n", from: 4, to: 5 });
    expect(recallFrom("a\nb", { lines: [2, 2] })).toMatchObject({ text: "b", from: 2, to: 2 });
  });

  it.each([[[6, 9]], [[-3, 0]]] as const)("is empty outside the text: %j", (lines) => {
    const recalled = recallFrom(five, { lines });
    expect(recalled).toMatchObject({ text: "", totalLines: 5, truncated: false });
    expect(recalled).not.toHaveProperty("from");
  });

  it("reports the last line that a limit on bytes left", () => {
    expect(recallFrom(five, { lines: [2, 5], maxBytes: 7 })).toMatchObject({
      text: "l2\nl3\nl",
      from: 2,
      to: 4,
      truncated: true,
    });
  });

  it("joined piece by piece is the whole, for any text and any cuts", () => {
    const text = fc.array(fc.constantFrom("a", "\n", "\r", "é", "\ud800")).map((parts) => parts.join(""));
    const whole = fc.property(text, fc.integer({ min: 1, max: 5 }), (content, step) => {
      const { totalLines } = recallFrom(content);
      let joined = "";
      for (let from = 1; from <= totalLines; from += step) {
        joined += recallFrom(content, { lines: [from, from + step - 1] }).text;
      }
      expect(joined).toBe(content);
    });
    fc.assert(whole, { numRuns: 500 });
  });
});

describe("recall of bytes", () => {
  it("slices, and reports the range it really gave", () => {
    expect(recallFrom("0123456789", { bytes: [2, 5] })).toMatchObject({ text: "234", from: 2, to: 5 });
    expect(recallFrom("0123456789", { bytes: [8, 99] })).toMatchObject({ text: "89", from: 8, to: 10 });
    expect(recallFrom("0123456789", { bytes: [-2, 2] })).toMatchObject({ text: "01", from: 0, to: 2 });
    expect(recallFrom("0123456789", { bytes: [20, 30] })).toMatchObject({ text: "", totalBytes: 10 });
    expect(recallFrom("0123456789", { bytes: [2, 8], maxBytes: 3 })).toMatchObject({
      text: "234",
      to: 5,
      truncated: true,
    });
  });
});

describe("recall by pattern", () => {
  it("shows the matching lines with their numbers and what is around them", () => {
    const recalled = recallFrom(five, { pattern: "l[25]", context: 1 });
    expect(recalled.text).toBe("1-l1\n2:l2\n3-l3\n4-l4\n5:l5\n");
    expect(recalled.matches).toEqual([
      { line: 2, text: "l2", before: ["l1"], after: ["l3"] },
      { line: 5, text: "l5", before: ["l4"], after: [] },
    ]);
    expect(recallFrom(five, { pattern: "l[14]" }).text).toBe("1:l1\n--\n4:l4\n");
    expect(recallFrom(five, { pattern: "nowhere" })).toMatchObject({
      text: "",
      matches: [],
      truncated: false,
    });
  });

  it("takes a RegExp with its flags, and g or y change nothing", () => {
    expect(recallFrom("Aa\naA\n", { pattern: /a$/gi }).matches).toHaveLength(2);
    expect(recallFrom("ba\nba\n", { pattern: /a/y }).matches).toHaveLength(2);
  });

  it("sees the end of a line before a carriage return", () => {
    expect(recallFrom("end\r\nend.\r\n", { pattern: "end$" }).matches?.map((match) => match.line)).toEqual([
      1,
    ]);
  });

  it("stops at the limits, with whole lines, and says so", () => {
    expect(recallFrom(five, { pattern: "l", maxMatches: 2 })).toMatchObject({
      text: "1:l1\n2:l2\n",
      truncated: true,
    });
    expect(recallFrom(five, { pattern: "l", maxMatches: 5 }).truncated).toBe(false);
    const limited = recallFrom(five, { pattern: "l", maxBytes: 12 });
    expect(limited).toMatchObject({ text: "1:l1\n2:l2\n", truncated: true });
    expect(limited.matches).toHaveLength(2);
  });

  it("shows of a very long line the part around the match", () => {
    const [match] =
      recallFrom(`${"x".repeat(9_000)}needle${"y".repeat(9_000)}`, { pattern: "needle" }).matches ?? [];
    expect(match?.text).toMatch(/^…x+needley+…$/);
    expect(match?.text.length).toBeLessThan(2_100);
  });

  it("stops a pattern that would run for years", () => {
    const hostile = `${"a".repeat(60)}!`;
    expect(() => recallFrom(hostile, { pattern: "^(a+)+$" })).toThrow(refused);
    expect(recallFrom(hostile, { pattern: "a!" }).matches).toHaveLength(1);
  });
});

describe("a selection that makes no sense", () => {
  const selections: Selection[] = [
    { pattern: "(" },
    { lines: [3, 1] },
    { lines: [1.5, 2] },
    { bytes: [Number.NaN, 2] },
    { lines: [1, 2], pattern: "x" },
    { maxBytes: -1 },
    { pattern: "x", context: 0.5 },
  ];
  it.each(selections)("is refused with the way to say it: %j", (selection) => {
    expect(() => recallFrom(five, selection)).toThrow(refused);
  });
});

describe("recall over a session", () => {
  function session() {
    let now = 0;
    const vault = memoryVault({ clock: { now: () => now++ } });
    const old = vault.put("old error\nfine\n", { session: "one", tool: "Bash" });
    const recent = vault.put("fine\nnew error\nerror again\n", { session: "one", tool: "Read" });
    vault.put("error elsewhere\n", { session: "two" });
    return { vault, old, recent };
  }

  it("finds in everything the session took out, newest first, with handle, origin and line", () => {
    const { vault, old, recent } = session();
    const found = recallSession(vault, "one", { pattern: "error", context: 1 });
    expect(found).toMatchObject({ searched: 2, unreadable: [], truncated: false });
    expect(found.matches.map(({ handle, origin, line, text }) => [handle, origin.tool, line, text])).toEqual([
      [recent.handle, "Read", 2, "new error"],
      [recent.handle, "Read", 3, "error again"],
      [old.handle, "Bash", 1, "old error"],
    ]);
    expect(found.matches[0]).toMatchObject({ before: ["fine"], after: ["error again"] });
  });

  it("stops at the limit over all blobs together", () => {
    const { vault } = session();
    const found = recallSession(vault, "one", { pattern: "error", maxMatches: 2 });
    expect([found.matches.length, found.truncated]).toEqual([2, true]);
    expect(recallSession(vault, "one", { pattern: "error", maxMatches: 3 }).truncated).toBe(false);
  });

  it("is empty for a session that took nothing out, and refuses a broken pattern even then", () => {
    expect(recallSession(memoryVault(), "none", { pattern: "x" })).toMatchObject({
      matches: [],
      searched: 0,
    });
    expect(() => recallSession(memoryVault(), "none", { pattern: "[" })).toThrow(refused);
  });

  it("goes on past a damaged blob and names it", () => {
    const folder = mkdtempSync(path.join(tmpdir(), "throughline-recall-"));
    try {
      const vault = openVault(folder);
      const { handle, sha256 } = vault.put("error one", one);
      vault.put("error two", one);
      const shard = path.join(folder, "blobs", sha256.slice(0, 2));
      for (const name of readdirSync(shard)) writeFileSync(path.join(shard, name), "");
      const found = recallSession(openVault(folder), "one", { pattern: "error" });
      expect([found.matches.map((match) => match.text), found.unreadable]).toEqual([["error two"], [handle]]);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });
});
