// What a model is told about memories: a test for each rule, and the whole text in both languages and modes.
import { describe, expect, it } from "vitest";
import { memoryTypes } from "../folder/model.ts";
import { TRUST_HEADING } from "../truth/notes.ts";
import { memoryInstructions, memoryTypeDefinitions } from "./instructions.ts";

const fixtures = new URL("../../../test/fixtures/memory/instructions/", import.meta.url);
const folder = "~/.claude/projects/ferry/memory";
const text = memoryInstructions({ folder });
/** The section under a heading, without the others. */
const sectionOf = (heading: string, page = text) =>
  page.split(/^(?=## )/m).find((section) => section.startsWith(`## ${heading}\n`)) ?? "";

describe("the golden files", () => {
  it.each(["en", "zh"] as const)(
    "hold the instructions in %s, for memories and for the log",
    async (language) => {
      for (const mode of ["memory", "log"] as const)
        await expect(`${memoryInstructions({ language, mode, folder })}\n`).toMatchFileSnapshot(
          new URL(`${mode}.${language}.md`, fixtures).pathname,
        );
    },
  );
});

describe("the types", () => {
  const types = sectionOf("Types of memory");

  it("are four, closed, as structured definitions in their order", () => {
    expect(types).toContain("There are four, and no fifth");
    expect([...types.matchAll(/<name>(\w+)<\/name>/g)].map(([, name]) => name)).toEqual([...memoryTypes]);
    for (const part of ["description", "when_to_save", "how_to_use", "examples"])
      expect(types.match(new RegExp(`<${part}>`, "g"))).toHaveLength(memoryTypes.length);
  });

  it("each have an example of what was said and what is saved", () => {
    for (const { examples } of Object.values(memoryTypeDefinitions())) {
      expect(examples[0]).toMatch(/^user: /);
      expect(examples[1]).toMatch(/^saves: /);
    }
  });

  it("want of feedback a rule, a Why and a How to apply, and say what the reason is for", () => {
    const { body } = memoryTypeDefinitions().feedback;
    expect(body).toMatch(/rule itself.*\*\*Why:\*\*.*\*\*How to apply:\*\*.*judge edge cases/);
  });

  it("want feedback on what worked too, and absolute dates for projects", () => {
    expect(memoryTypeDefinitions().feedback.whenToSave).toMatch(/correct you.*agree/s);
    expect(memoryTypeDefinitions().project.whenToSave).toMatch(/Thursday becomes 2026-03-05/);
  });
});

describe("what is not saved", () => {
  const section = sectionOf("What NOT to save");

  it.each([
    ["the structure of code", /patterns, architecture, where files and functions are/],
    ["git's history", /git log and git blame/],
    ["fixes", /how a bug was fixed: .*commit message/],
    ["what CLAUDE.md says", /CLAUDE\.md/],
  ])("has %s", (_what, pattern) => {
    expect(section).toMatch(pattern);
  });

  it("holds even when the user asks, with the question what was surprising", () => {
    expect(section).toMatch(
      /EVEN WHEN the user asks.*pull requests.*WHAT WAS SURPRISING.*Save that part only/s,
    );
  });
});

describe("saving", () => {
  it("is two steps: a file with frontmatter, then one line in the index", () => {
    const section = sectionOf("How to save");
    expect(section).toMatch(
      /Step 1.*---\nname: .*\ndescription: .*\ntype: .*\n---.*Step 2.*- \[Title\]\(file\.md\) — hook/s,
    );
    expect(section).toMatch(/MEMORY\.md is an index, NEVER a memory/);
    expect(section).toMatch(/200 lines or 25 KB/);
  });

  it("is concrete and not abstract, in a section of its own", () => {
    expect(sectionOf("Concrete over abstract")).toMatch(
      /not "about the database", but "pipeline bugs are in the Linear project INGEST"/,
    );
  });

  it("is appending in log mode: to the file of the day, never to the index", () => {
    const page = memoryInstructions({ folder, mode: "log" });
    expect(sectionOf("How to save", page)).toBe("");
    const section = sectionOf("How to append", page);
    expect(section).toContain(`${folder}/logs/YYYY/MM/YYYY-MM-DD.md`);
    expect(section).toMatch(/Do NOT edit MEMORY\.md.*Append ONLY.*once a day/s);
  });
});

describe("reading", () => {
  it("searches memories by grep first, and transcripts only when that finds nothing", () => {
    expect(sectionOf("When to read memories")).toMatch(
      /grep -rn "TERM" ~\/\.claude\/projects\/ferry\/memory --include="\*\.md".*ONLY when that finds nothing.*transcripts/s,
    );
  });

  it.each(["en", "zh"] as const)(
    "is followed in %s by the check before recommending, as the last section",
    (language) => {
      const page = memoryInstructions({ folder, language });
      const headings = [...page.matchAll(/^## (.+)$/gm)].map(([, heading]) => heading);
      expect(headings.at(-1)).toBe(TRUST_HEADING);
      expect(TRUST_HEADING).toBe("Before recommending from memory");
      expect(headings.filter((heading) => heading === TRUST_HEADING)).toHaveLength(1);
    },
  );
});
