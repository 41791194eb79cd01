// The page: read, written, and defended against changes of its form.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { noteSections, parseNotes, renderNotes } from "../index.ts";
import { acceptUpdate, isEmptyTemplate, makeNotes, type Notes } from "./template.ts";

const filled = (fill: (section: string) => string = (section) => `- about ${section}`): Notes =>
  makeNotes(fill);
const page = renderNotes(filled());
const emptyPage = renderNotes(parseNotes(""));

const body = fc
  .array(
    fc.oneof(
      fc.string({ unit: "grapheme", maxLength: 20 }),
      fc.constantFrom(
        "",
        "  ",
        "# Worklog",
        "# Current State  ",
        "# a comment",
        "_in italics_",
        "- an entry",
        "# Session Title",
      ),
    ),
    { maxLength: 6 },
  )
  .map((lines) => lines.join("\n"));

describe("notes", () => {
  it("come back as they were written, whatever they say", () => {
    fc.assert(
      fc.property(fc.array(body, { minLength: 10, maxLength: 10 }), (bodies) => {
        const notes = makeNotes((section) => bodies[noteSections.indexOf(section)] ?? "");
        const text = renderNotes(notes);
        expect(renderNotes(parseNotes(text))).toBe(text);
        const state = "- a new state";
        const accepted = acceptUpdate(text, renderNotes({ ...parseNotes(text), "Current State": state }));
        expect(accepted.ok || parseNotes(text)["Current State"] === state).toBe(true);
      }),
    );
  });

  it("are empty until something is written under a heading", () => {
    expect(isEmptyTemplate(emptyPage)).toBe(true);
    expect(isEmptyTemplate("")).toBe(true);
    expect(isEmptyTemplate(emptyPage.replaceAll("\n", "\r\n"))).toBe(true);
    expect(isEmptyTemplate(renderNotes({ ...parseNotes(""), Worklog: "- began" }))).toBe(false);
    expect(isEmptyTemplate("a page written from scratch")).toBe(false);
  });

  it("that a person has rearranged lose no words", () => {
    const changed = "in front\n# Worklog\n- did it\n# Current State\n_my own guidance_\n- here\n# Foo\nbar";
    const notes = parseNotes(changed);
    expect(notes.Worklog).toBe("- did it");
    expect(notes["Current State"]).toBe("_my own guidance_\n- here\n# Foo\nbar");
    expect(notes.Learnings).toBe("in front");
  });
});

describe("an update is", () => {
  const updated = renderNotes({ ...filled(), "Current State": "- further on", Learnings: "" });

  it("taken when it leaves the form alone", () => {
    expect(acceptUpdate(page, updated)).toEqual({ ok: true, text: updated });
    expect(acceptUpdate(emptyPage, updated)).toEqual({ ok: true, text: updated });
    expect(acceptUpdate(page, `\n${updated.trim()}`)).toEqual({ ok: true, text: updated });
  });

  it.each([
    [
      "a heading is changed",
      updated.replace("# Current State", "# Current Status"),
      "Current State is missing",
    ],
    ["a heading has another level", updated.replace("# Workflow", "## Workflow"), "Workflow is missing"],
    ["a heading is missing", updated.replace("# Worklog", ""), "Worklog is missing"],
    [
      "two sections change places",
      updated
        .replace("# Learnings", "# X")
        .replace("# Key results", "# Learnings")
        .replace("# X", "# Key results"),
      "Learnings is not in its place",
    ],
    ["a heading is there twice", `${updated}\n# Learnings\nmore`, "Learnings is there twice"],
    ["guidance is changed", updated.replace("the very next step_", "more_"), "guidance of Current State"],
    ["guidance is missing", updated.replace(/^_The files.*_\n/m, ""), "guidance of Files and Functions"],
    ["it has words in front", `Here you are:\n${updated}`, "in front of the first section"],
    ["it is empty", "", "Session Title is missing"],
    ["Current State is empty", renderNotes({ ...filled(), "Current State": " " }), "Current State is empty"],
    ["Current State is the old one", page, "not brought up to date"],
  ])("rejected when %s", (_how, text, problem) => {
    const acceptance = acceptUpdate(page, text);
    expect(acceptance.ok ? "taken" : acceptance.problem).toContain(problem);
  });
});
