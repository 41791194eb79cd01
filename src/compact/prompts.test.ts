// The words of a summary call: their order, their modes, their marks, and the words with which work goes on.
import { describe, expect, it } from "vitest";
import { assistant, user } from "../../test/fixtures/compact/conversation.ts";
import { isUserInput } from "../messages/index.ts";
import {
  compactInstructions,
  continuationText,
  instructionPhrases,
  SUMMARIZER_SYSTEM,
  type SummaryMode,
  stoppingPoint,
  summaryPrompt,
  summarySections,
  TRUNCATION_MARKER,
} from "./prompts.ts";

const use = (id: string) => ({ type: "tool_use", id, name: "Read", input: {} });
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

describe("the prompt", () => {
  it.each(modes)("of %s forbids tools first and last, then asks for analysis and nine sections", (mode) => {
    const prompt = summaryPrompt({ mode, instructions: ["Keep test output."] });
    const order = [
      "No tool is available",
      "Think inside <analysis>",
      ...summarySections.map((name, index) => `${index + 1}. ${name}: `),
      "<analysis>\n…\n</analysis>\n\n<summary>\n",
      "Keep test output.",
      "without any tool call",
    ].map((part) => prompt.indexOf(part));
    expect(order).not.toContain(-1);
    expect(order).toEqual(order.toSorted((a, b) => a - b));
    expect(prompt.split("\n")[0]).toContain("No tool is available");
    expect(prompt.split("\n").at(-1)).toContain("without any tool call");
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
    const ours = instructionPhrases.filter((phrase) => !/TEXT ONLY|NOT call|REJECTED|only turn/.test(phrase));
    expect(ours.length).toBeGreaterThan(8);
    expect(ours.filter((phrase) => !prompts.includes(phrase))).toEqual([]);
  });
});

describe("the continuation", () => {
  it("carries the summary and sends the agent back to work", () => {
    const text = continuationText({
      summary: "  1. Primary Request and Intent: x  ",
      source: "Recall tl:9f2c41.",
      point: "in-turn",
    });
    expect(text).toContain("\n\n1. Primary Request and Intent: x\n\n");
    expect(text).toContain("Recall tl:9f2c41.");
    expect(text).toMatch(/no greeting/);
    expect(text).toMatch(/Take the work up/);
    expect(text).not.toMatch(/own initiative|kept and follow/);
  });

  it("says so when messages follow and when the agent was working on its own", () => {
    const text = continuationText({ summary: "s", keepsRecent: true, proactive: true, point: "in-turn" });
    expect(text).toMatch(/kept and follow below/);
    expect(text).toMatch(/not a first start/);
  });

  it("asks for work to be taken up only where a turn was interrupted", () => {
    const turn = [user("u1", "fix it"), assistant("a1", [use("t1")])];
    const result = user("u2", [{ type: "tool_result", tool_use_id: "t1", content: "ok" }]);
    const done = [...turn, result, assistant("a2", "Fixed.")];
    expect(
      [turn, [...turn, result], done, [...done, user("u3", "thanks, now the docs")]].map(stoppingPoint),
    ).toEqual(["in-turn", "in-turn", "ended", "new-message"]);
    for (const point of ["ended", "new-message"] as const)
      expect(continuationText({ summary: "s", point })).not.toMatch(/take the work up|going on|last task/i);
  });

  it("is not taken for a person's words", () => {
    expect(isUserInput(user("u", continuationText({ summary: "s", point: "ended" })))).toBe(false);
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
