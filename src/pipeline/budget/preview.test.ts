// What a typed preview shows of each kind of result, and that it stays within its budget.
import { describe, expect, it } from "vitest";
import { previewOf } from "./preview.ts";

const numbered = (lines: readonly string[]): string =>
  lines.map((line, at) => `${String(at + 1).padStart(6)}→${line}`).join("\n");

describe("the preview of a file", () => {
  const lines = Array.from({ length: 500 }, (_, at) => {
    if (at === 0) return 'import { readFile } from "node:fs";';
    if (at === 120) return "export function loadConfig(file: string) {";
    if (at === 333) return "class Session {";
    return `  const value${at} = compute(${at});`.replace("const", "step");
  });
  const preview = previewOf({ tool: "Read", text: numbered(lines), budget: 600 });

  it("is an outline whose declarations keep their line numbers", () => {
    expect(preview.kind).toBe("file");
    expect(preview.text).toContain("     1→import { readFile }");
    expect(preview.text).toContain("   121→export function loadConfig(file: string) {");
    expect(preview.text).toContain("   334→class Session {");
  });

  it("says which lines every gap hides, so that nothing is unaccounted for", () => {
    const seen = new Set<number>();
    for (const line of preview.text.split("\n")) {
      const gap = /^ {2}⋯ lines? (\d+)(?:-(\d+))?$/.exec(line);
      const [from, to] = gap
        ? [Number(gap[1]), Number(gap[2] ?? gap[1])]
        : [Number.parseInt(line, 10), Number.parseInt(line, 10)];
      for (let at = from; at <= to; at++) seen.add(at);
    }
    expect(seen.size).toBe(500);
  });

  it("is spread over a text that declares nothing", () => {
    const prose = Array.from({ length: 300 }, (_, at) => `sentence number ${at} of a long letter.`);
    const { text } = previewOf({ tool: "Read", text: numbered(prose), budget: 600 });
    const shown = [...text.matchAll(/^ *(\d+)→/gm)].map((match) => Number(match[1]));
    expect(Math.max(...shown)).toBeGreaterThan(200);
    expect(Math.min(...shown)).toBe(1);
  });
});

describe("the preview of search hits", () => {
  it("shows a hit of every file before a second one of any", () => {
    const hits = ["src/a.ts", "src/b.ts", "src/c.ts"].flatMap((file) =>
      Array.from({ length: 40 }, (_, at) => `${file}:${at + 1}: const token = refresh(${at});`),
    );
    const { kind, text } = previewOf({ tool: "Grep", text: hits.join("\n"), budget: 300 });
    expect(kind).toBe("search");
    for (const file of ["src/a.ts", "src/b.ts", "src/c.ts"]) expect(text).toContain(`${file}:1:`);
  });
});

describe("the preview of JSON", () => {
  it("is its shape: keys, lengths, short values", () => {
    const value = {
      total: 2,
      items: Array.from({ length: 250 }, (_, id) => ({ id, name: "n".repeat(100), tags: [] })),
    };
    const { kind, text } = previewOf({ tool: "WebFetch", text: JSON.stringify(value), budget: 400 });
    expect(kind).toBe("json");
    expect(text).toContain("total: 2");
    expect(text).toContain("items: [250 × {");
    expect(text).toContain("name: text of 100 characters");
  });

  it("is not tried on what only looks like it", () => {
    expect(previewOf({ tool: "Bash", text: "{ not json\n".repeat(50), budget: 200 }).kind).toBe("log");
  });
});

describe("the preview of a test run", () => {
  it("shows what failed wherever it stands", () => {
    const lines = Array.from({ length: 400 }, (_, at) => ` ✓ case ${at}`);
    lines[200] = "FAIL src/auth/login.test.ts > refuses an expired token";
    lines[201] = "AssertionError: expected 401, got 500: the error";
    lines.push("Tests: 1 failed, 399 passed");
    const { kind, text } = previewOf({ tool: "Bash", text: lines.join("\n"), budget: 500 });
    expect(kind).toBe("tests");
    expect(text).toContain("refuses an expired token");
    expect(text).toContain("expected 401, got 500");
    expect(text).toContain("Tests: 1 failed, 399 passed");
  });
});

describe("the preview of a log", () => {
  it("shows its beginning, its errors and its end", () => {
    const lines = Array.from({ length: 2_000 }, (_, at) => `tick ${at}`);
    lines[1_000] = "ERROR: connection refused";
    const { kind, text } = previewOf({ tool: "Bash", text: lines.join("\n"), budget: 400 });
    expect(kind).toBe("log");
    expect(text).toMatch(/^tick 0\ntick 1\n/);
    expect(text).toContain("\nERROR: connection refused\n");
    expect(text).toMatch(/tick 1998\ntick 1999$/);
  });
});

describe("any preview", () => {
  it("keeps to its budget, whatever the lines are like", () => {
    const texts = [
      "x".repeat(200_000),
      `${"word ".repeat(20_000)}(`,
      "a\n".repeat(50_000),
      `${" ".repeat(30_000)}{`,
      `int f(${"a b(".repeat(5_000)}`,
      JSON.stringify(Object.fromEntries(Array.from({ length: 5_000 }, (_, at) => [`key${at}`, at]))),
      "日本語の行\n".repeat(5_000),
    ];
    for (const tool of ["Read", "Grep", "Bash", "mcp__x__y"])
      for (const text of texts)
        expect(previewOf({ tool, text, budget: 900 }).text.length).toBeLessThan(1_300);
  });
});

it.each(["", "a"])("a preview never halves a character (behind '%s')", (offset) => {
  const halved = /[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/;
  const text = Array.from({ length: 50 }, () => offset + "😀".repeat(500)).join("\n");
  for (const budget of [300, 301, 700])
    for (const tool of ["Read", "Bash", "Grep"])
      expect(previewOf({ tool, text, budget }).text).not.toMatch(halved);
});
