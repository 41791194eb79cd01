// The words of a summary call: their order, their modes, their marks, and the words with which work goes on.
import { describe, expect, it } from "vitest";
import { summaryText, user } from "../../test/fixtures/compact/conversation.ts";
import { isUserInput } from "../messages/index.ts";
import { notesPrompt } from "./notes/prompt.ts";
import { parseNotes, renderNotes } from "./notes/template.ts";
import {
  compactInstructions,
  continuationText,
  instructionPhrases,
  SUMMARIZER_SYSTEM,
  type SummaryMode,
  summaryPrompt,
  summarySections,
  TRUNCATION_MARKER,
} from "./prompts.ts";

const modes: readonly SummaryMode[] = ["base", "partial", "partial-up-to"];

describe("marks that other programs know", () => {
  it("are kept to the letter", () => {
    expect(SUMMARIZER_SYSTEM).toBe("You are a helpful AI assistant tasked with summarizing conversations.");
    expect(TRUNCATION_MARKER).toBe("[earlier conversation truncated for compaction retry]");
    expect(summarySections).toEqual([
      "Primary Request and Intent",
      "Key Technical Concepts",
      "Files and Code Sections",
      "Errors and fixes",
      "Problem Solving",
      "All user messages",
      "Pending Tasks",
      "Current Work",
      "Optional Next Step",
    ]);
  });
});

const fixtures = new URL("../../test/fixtures/compact/prompts/", import.meta.url);
const golden = (text: string, name: string) =>
  expect(`${text}\n`).toMatchFileSnapshot(new URL(`${name}.md`, fixtures).pathname);

/** The text of the prompt from one mark on, up to the next. */
function part(from: string, to: string): string {
  const prompt = summaryPrompt({ mode: "base" });
  const start = prompt.indexOf(from);
  return start === -1 ? "" : prompt.slice(start, prompt.indexOf(to, start + from.length));
}

describe("the golden files", () => {
  it.each([
    ["base", { mode: "base" }],
    ["base-with-instructions", { mode: "base", instructions: ["Keep test output.", "Code before prose."] }],
    ["partial", { mode: "partial", pivot: "and now the tests" }],
    ["partial-up-to", { mode: "partial-up-to" }],
  ] as const)("hold the summary prompt %s", async (name, input) => {
    await golden(summaryPrompt(input), `summary-${name}`);
  });

  it.each([
    ["in-turn", { point: "in-turn" }],
    ["new-message", { point: "new-message" }],
    ["answered", { point: "answered" }],
    ["proactive", { point: "in-turn", proactive: true }],
    ["kept", { point: "in-turn", keepsRecent: true, source: "Recall tl:9f2c41." }],
  ] as const)("hold the continuation %s", async (name, input) => {
    await golden(continuationText({ summary: summaryText(), ...input }), `continuation-${name}`);
  });

  it("hold the request for notes, and the reminder of what is too long", async () => {
    const record = "<conversation>\n…\n</conversation>";
    const page = (body: string) =>
      renderNotes({ ...parseNotes(""), "Current State": "Writing refresh().", Worklog: body });
    await golden(notesPrompt({ notes: page("- Started."), record }), "notes");
    await golden(notesPrompt({ notes: page("- One more step.\n".repeat(600)), record }), "notes-too-long");
  });
});

describe("the prompt", () => {
  it.each(modes)("of %s has its parts in the order ban, task, analysis, sections, wishes, ban", (mode) => {
    const prompt = summaryPrompt({ mode, instructions: ["Keep test output."] });
    const order = [
      "CRITICAL: ",
      "Write the record that will stand in",
      "Think inside <analysis>",
      ...summarySections.map((name, index) => `${index + 1}. ${name}: `),
      "<example>\n<analysis>\n",
      "<summary>\n1. Primary Request and Intent:\n",
      "## Compact Instructions",
      "Keep test output.",
      "REMINDER: ",
    ].map((part) => prompt.indexOf(part));
    expect(order).not.toContain(-1);
    expect(order).toEqual(order.toSorted((a, b) => a - b));
  });

  describe.each(modes)("of %s bans tools", (mode) => {
    const lines = summaryPrompt({ mode, instructions: ["Keep test output."] }).split("\n");
    const ban = lines.slice(0, lines.indexOf("", 2)).join("\n");

    it("first, in capitals", () => {
      expect(lines[0]).toMatch(/^CRITICAL: [A-Z ]+ TEXT ONLY\. DO NOT CALL A TOOL/);
    });

    it("by their names, and any other", () => {
      for (const tool of ["Read", "Bash", "Grep", "Glob", "Edit", "Write"])
        expect(ban).toMatch(new RegExp(`\\bNOT ${tool}\\b`));
      expect(ban).toContain("NOT ANY OTHER tool");
    });

    it("with the reason that nothing is left to look up", () => {
      expect(ban).toMatch(/nothing to look up: .* conversation above/);
    });

    it("with the consequence: rejected, the only turn, failed", () => {
      expect(ban).toMatch(/REJECTED.*YOUR ONLY TURN.*FAILED/);
    });

    it("and says what the reply is instead: analysis, then summary", () => {
      expect(ban).toMatch(/plain text: first <analysis>, then <summary>\.$/);
    });

    it("again in the last line, behind the wishes of the project", () => {
      expect(lines.at(-1)).toMatch(
        /^REMINDER: DO NOT CALL A TOOL\..*<analysis>.*<summary>.*rejected.*failed/,
      );
    });
  });

  it("asks for the analysis in order of time, for corrections above all, and for a second look", () => {
    const analysis = part("Think inside <analysis>", "The summary has nine");
    expect(analysis).toMatch(/1\. .*from the oldest to the newest/);
    expect(analysis).toMatch(/above all where the user corrected the course/);
    expect(analysis).toMatch(/2\. .*look for what is wrong or left out/);
    for (const thing of ["files", "code", "signatures", "edits", "went wrong", "choices"])
      expect(analysis).toContain(thing);
  });

  it.each([
    ["Primary Request and Intent", /everything the user asked for, in full/],
    ["Files and Code Sections", /why it matters, and the code itself, complete.*most fully for the newest/],
    ["Errors and fixes", /how it was solved.*what the user said about it/],
    ["All user messages", /EVERY message.*own words.*Tool results are not among them/],
    ["Pending Tasks", /explicitly asked for/],
    ["Current Work", /last messages before this request.*with file names and code/],
    [
      "Optional Next Step",
      /DIRECTLY from the user's latest request.*verbatim quotation.*not taken up unasked/,
    ],
  ])("wants in %s what the work cannot go on without", (name, wanted) => {
    expect(part(`. ${name}: `, "\n")).toMatch(wanted);
  });

  it("takes up wishes that stand in the conversation, and shows what they look like", () => {
    const shown = part("The conversation may itself carry", "REMINDER");
    expect(shown.match(/<example>\n#+ (?:Compact|Summary) [Ii]nstructions\n.+\n<\/example>/g)).toHaveLength(
      2,
    );
  });

  it("says in each mode what will be replaced", () => {
    const [base, partial, upTo] = modes.map((mode) => summaryPrompt({ mode, pivot: "and now the tests" }));
    expect(new Set([base, partial, upTo]).size).toBe(3);
    expect(partial).toContain('opens with: "and now the tests"');
    expect(base).not.toContain("and now the tests");
    expect(upTo).toContain("will follow directly behind it word for word");
  });

  it("leaves out empty wishes and the words that would introduce them", () => {
    expect(summaryPrompt({ mode: "base", instructions: [" ", ""] })).toBe(summaryPrompt({ mode: "base" }));
  });

  it("is the same for the same input", () => {
    const input = { mode: "partial", pivot: "x", instructions: ["y"] } as const;
    expect(summaryPrompt(input)).toBe(summaryPrompt({ ...input }));
  });

  it("holds every sentence of ours by which a repetition is known", () => {
    const prompts = modes.map((mode) => summaryPrompt({ mode, instructions: ["x"] })).join("\n");
    const ours = instructionPhrases.slice(0, -4);
    expect(ours.length).toBeGreaterThan(8);
    expect(ours.filter((phrase) => !prompts.includes(phrase))).toEqual([]);
  });
});

describe("the continuation", () => {
  const interrupted = continuationText({ summary: "s", point: "in-turn" });

  it("carries the summary and where the rest can be read", () => {
    const text = continuationText({
      summary: "  1. Primary Request and Intent: x  ",
      source: "Recall tl:9f2c41.",
      point: "in-turn",
    });
    expect(text).toContain("\n\n1. Primary Request and Intent: x\n\n");
    expect(text).toContain("Recall tl:9f2c41.");
    expect(text).not.toMatch(/own initiative|kept and follow/);
  });

  it.each(["in-turn", "new-message", "answered", "stopped"] as const)(
    "forbids at %s to acknowledge, to recap and to ask what is known",
    (point) => {
      const text = continuationText({ summary: "s", point });
      expect(text).toMatch(/Do NOT acknowledge this summary/);
      expect(text).toMatch(/do NOT recap what happened/);
      expect(text).toMatch(/no greeting, no announcement/);
      expect(text).toMatch(/do NOT put any further question|Do NOT ask again/);
    },
  );

  it("sends an interrupted turn back to its task without a question and without a break", () => {
    expect(interrupted).toMatch(/Go on at the very point where the work stopped/);
    expect(interrupted).toMatch(/do NOT put any further question to the user/);
    expect(interrupted).toMatch(/as if there had been no break\.$/);
  });

  it("says so when messages follow", () => {
    const text = continuationText({ summary: "s", keepsRecent: true, point: "in-turn" });
    expect(text).toMatch(/kept and follow below/);
  });

  it("tells an agent that worked on its own that this is no first start, and that a greeting is not wanted", () => {
    const text = continuationText({ summary: "s", proactive: true, point: "in-turn" });
    expect(text.startsWith(interrupted)).toBe(true);
    expect(text).toMatch(/ALREADY working on your own initiative/);
    expect(text).toMatch(/NOT a first start: do not greet the user, and do not ask what is wanted/);
  });

  it("asks for work to be taken up only where a turn was interrupted", () => {
    for (const point of ["answered", "stopped", "new-message"] as const)
      expect(continuationText({ summary: "s", point })).not.toMatch(/go on at|last task/i);
  });

  it("is not taken for a person's words", () => {
    expect(isUserInput(user("u", continuationText({ summary: "s", point: "answered" })))).toBe(false);
    expect(isUserInput(user("u", TRUNCATION_MARKER))).toBe(false);
  });
});

describe("instructions of a project", () => {
  it.each([
    ["## Compact Instructions", "focus on code"],
    ["# Summary instructions", "focus on code"],
    ["### **Compact instructions:**", "focus on code"],
    ["## Compaction Instructions ##", "focus on code"],
    ["## 压缩说明", "focus on code"],
  ])("are found under %s", (title, body) => {
    expect(compactInstructions(`# Project\n\nhello\n\n${title}\n\n${body}\n\n# Next\nother`)).toBe(body);
  });

  it("end with the next heading of their rank, and keep deeper ones", () => {
    const page = "## Compact Instructions\na\n### Detail\nb\n## Build\nc\n## Summary instructions\nd";
    expect(compactInstructions(page)).toBe("a\n### Detail\nb\n\nd");
  });

  it("are not found in code, in other headings or in running text", () => {
    const page =
      "```md\n## Compact Instructions\nno\n```\n## Instructions\nno\nsee Compact Instructions\n## How compact instructions work\nno";
    expect(compactInstructions(page)).toBe("");
  });

  it("keep code with headings in it whole", () => {
    const body = "show:\n````\n```\n# not a heading\n```\n````\nafter";
    expect(compactInstructions(`## Compact Instructions\n${body}\n## End`)).toBe(body);
  });

  it("are cut at a line when they are very long", () => {
    const text = compactInstructions(`## Compact Instructions\n${"a line of text\n".repeat(2_000)}`);
    expect(text.length).toBeLessThanOrEqual(8_000);
    expect(text.endsWith("a line of text")).toBe(true);
  });
});
