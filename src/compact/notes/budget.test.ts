// How long notes may be, and what is cut for the window.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { estimateText } from "../../tokens/index.ts";
import { notesForWindow, parseNotes, renderNotes } from "../index.ts";
import { commonLimit, overBudget } from "./budget.ts";
import { makeNotes } from "./template.ts";

const lines = (count: number, what = "step"): string =>
  Array.from({ length: count }, (_, at) => `- ${what} ${at} of the work on the login page`).join("\n");
const tokens = (text: string): number => estimateText(text, "new");

describe("a page over its budget", () => {
  it("names what is too long, the longest first", () => {
    expect(overBudget(renderNotes({ ...parseNotes(""), Worklog: lines(100) }))).toBeUndefined();
    const long = renderNotes({ ...parseNotes(""), Worklog: lines(250), Learnings: lines(400) });
    expect(overBudget(long)?.sections.map(({ section }) => section)).toEqual(["Learnings", "Worklog"]);
    expect(overBudget(long)?.total).toBeUndefined();
  });

  it("can be too long in all with no section that is", () => {
    const long = renderNotes(makeNotes(() => lines(120)));
    expect(overBudget(long)).toMatchObject({ sections: [], total: tokens(long) });
    expect(tokens(long)).toBeGreaterThan(12_000);
  });
});

describe("notes for the window", () => {
  const page = renderNotes({
    ...parseNotes(""),
    "Session Title": "Login",
    "Key results": lines(1_000, "result"),
    Worklog: lines(1_000),
  });

  it("have no guidance and no empty section", () => {
    const shown = notesForWindow(page, 12_000);
    expect(shown).toMatch(/^# Session Title\nLogin\n\n# Key results\n- result 0 of/);
    expect(shown).not.toContain("_");
    expect(shown.match(/^# /gm)).toHaveLength(3);
  });

  it("have at most 2,000 tokens a section, from the beginning, of a worklog from the end", () => {
    const shown = parseNotes(notesForWindow(page, 12_000));
    const results = shown["Key results"].split("\n");
    const work = shown.Worklog.split("\n");
    expect(tokens(shown["Key results"])).toBeLessThanOrEqual(2_000);
    expect(results[0]).toBe("- result 0 of the work on the login page");
    expect(results.at(-1)).toBe(`[… ${1_000 - results.length + 1} lines left out …]`);
    expect(work.at(-1)).toBe("- step 999 of the work on the login page");
  });

  it("are cut at line ends and fit any budget that has room for the headings", () => {
    const body = fc
      .array(fc.string({ unit: "grapheme", maxLength: 60 }), { maxLength: 30 })
      .map((rows) => rows.join("\n"));
    fc.assert(
      fc.property(
        fc.array(body, { minLength: 10, maxLength: 10 }),
        fc.integer({ min: 120, max: 3_000 }),
        (bodies, budget) => {
          let at = 0;
          const notes = parseNotes(renderNotes(makeNotes(() => bodies[at++] ?? "")));
          const shown = notesForWindow(renderNotes(notes), budget);
          expect(tokens(shown)).toBeLessThanOrEqual(budget);
          const known = new Set(Object.values(notes).flatMap((text) => text.split("\n")));
          const isKnown = (line: string): boolean =>
            line === "" || /^# |^\[… \d+ lines left out …\]$/.test(line) || known.has(line);
          expect(shown.split("\n").filter((line) => !isKnown(line))).toEqual([]);
        },
      ),
    );
  });

  it("lose nothing where there is room", () => {
    const small = renderNotes({ ...parseNotes(""), Workflow: lines(20) });
    expect(parseNotes(notesForWindow(small, 12_000))).toEqual(parseNotes(small));
  });
});

describe("the common limit", () => {
  it("takes from the longest and leaves the short ones alone", () => {
    expect(commonLimit([10, 500, 900], 1_000)).toBe(495);
    expect(commonLimit([10, 100, 900], 800)).toBe(690);
    expect(commonLimit([10, 20], 100)).toBe(Number.POSITIVE_INFINITY);
    expect(commonLimit([], 0)).toBe(Number.POSITIVE_INFINITY);
  });
});
