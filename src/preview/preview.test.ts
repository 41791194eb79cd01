// What a typed preview shows of each kind of result, and that it stays within its budget.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { chosenSeed } from "../../test/seed.ts";
import { headReference, isPersisted, previewOf, typedReference } from "./preview.ts";

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

describe("the preview of a subagent's report", () => {
  const findings = Array.from({ length: 80 }, (_, at) => `Finding ${at}: ${"detail ".repeat(20)}`);
  const conclusion = "Conclusion: the session is refreshed twice, in login.ts and again in guard.ts.";

  it.each(["Task", "Agent"])("of %s shows what it is about and what it concludes", (tool) => {
    const report = ["# Why logins are slow", ...findings, "", conclusion].join("\n");
    const { kind, text } = previewOf({ tool, text: report, budget: 700 });
    expect(kind).toBe("report");
    expect(text.startsWith("# Why logins are slow\n")).toBe(true);
    expect(text.endsWith(conclusion)).toBe(true);
    expect(text.length).toBeLessThan(760);
  });

  it("shows both ends of one that is a single line", () => {
    const report = `About logins. ${findings.join(" ")} ${conclusion}`;
    const { text } = previewOf({ tool: "Task", text: report, budget: 700 });
    expect(text.startsWith("About logins.")).toBe(true);
    expect(text.endsWith(conclusion)).toBe(true);
  });

  it("holds the last and the first words of any report", () => {
    const line = fc
      .array(fc.stringMatching(/^[a-z]{1,9}$/), { maxLength: 60 })
      .map((words) => words.join(" "));
    fc.assert(
      fc.property(fc.array(line, { minLength: 1, maxLength: 200 }), (lines) => {
        const report = `first words\n${lines.join("\n")}\nlast words`;
        const { text } = previewOf({ tool: "Agent", text: report, budget: 700 });
        expect(text.startsWith("first words")).toBe(true);
        expect(text.endsWith("last words")).toBe(true);
      }),
      { seed: chosenSeed() },
    );
  });
});

describe("a preview of long lines", () => {
  it.each([
    ["one line", "word ".repeat(10_000)],
    ["an answer of an API on one line", JSON.stringify({ data: "x".repeat(40_000) })],
    ["a list of lists", `[${"[[[[[[1]]]]]],".repeat(5_000)}[]]`],
    ["three long lines", ["a ".repeat(9_000), "b ".repeat(9_000), "c ".repeat(9_000)].join("\n")],
    [
      "lines of JSON",
      Array.from({ length: 9 }, (_, id) => JSON.stringify({ id, text: "t".repeat(5_000) })).join("\n"),
    ],
  ])("shows some of %s", (_, text) => {
    for (const tool of ["Read", "Grep", "Bash", "WebFetch", "Task", "mcp__api__get"])
      expect(contentOf(previewOf({ tool, text, budget: 700 }).text).length).toBeGreaterThan(100);
  });

  it("is never empty, whatever the text and the tool", () => {
    const line = fc.oneof(
      fc.constant(""),
      fc.string({ maxLength: 300 }),
      fc.integer({ min: 200, max: 20_000 }).map((length) => "lorem ipsum ".repeat(length / 12)),
      fc.jsonValue().map((value) => JSON.stringify(value)),
    );
    fc.assert(
      fc.property(
        fc.array(line, { minLength: 1, maxLength: 40 }),
        fc.constantFrom("Read", "Grep", "Glob", "Bash", "WebFetch", "Task", "Agent", "mcp__api__get"),
        (lines, tool) => {
          const text = lines.join("\n");
          fc.pre(text.trim().length > 0);
          const preview = previewOf({ tool, text, budget: 700 }).text;
          expect(contentOf(preview).length).toBeGreaterThan(0);
          expect(preview.length).toBeLessThan(1_300);
        },
      ),
      { numRuns: 400, seed: chosenSeed() },
    );
  });
});

/** What a preview shows of the text, without its own marks. */
function contentOf(preview: string): string {
  return preview.replace(/^ {2}⋯ .*$/gm, "").trim();
}

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
