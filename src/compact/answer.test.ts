// What is taken from an answer, and what is not.
import { describe, expect, it } from "vitest";
import { answerText, call, summaryText } from "../../test/fixtures/compact/conversation.ts";
import type { ModelReply } from "../models/index.ts";
import { extractSummary, judgeAnswer, missingSections } from "./answer.ts";
import { summaryPrompt, summarySections } from "./prompts.ts";

const reply = (text: string, more: Partial<ModelReply> = {}): ModelReply => ({
  text,
  blocks: [{ type: "text", text }],
  model: "m",
  stopReason: "end_turn",
  ...more,
});
const circumstances = { replaced: 10_000, family: "new", wasSaid: () => false } as const;
const reasonFor = (given: ModelReply, more: Partial<Parameters<typeof judgeAnswer>[1]> = {}) => {
  const judgement = judgeAnswer(given, { ...circumstances, ...more });
  return judgement.ok ? "accepted" : judgement.rejection.reason;
};

describe("the summary", () => {
  it.each([
    ["stands behind the analysis", answerText("S"), "S", true],
    ["may come without one", "<summary>S</summary>", "S", true],
    ["may come without tags", "S\n\n\n\nT", "S\n\nT", true],
    ["may have words around it", "Sure!\n<analysis>a</analysis>\n<summary>S</summary>\nDone.", "S", true],
    [
      "may be mentioned in the analysis",
      "<analysis>then <summary> x</analysis><summary>S</summary>",
      "S",
      true,
    ],
    ["may speak of the tags", "<summary>use </summary> here</summary>", "use </summary> here", true],
    ["follows an analysis that never ends", "<analysis>a <summary>S</summary>", "S", true],
    ["may speak of analysis", "<summary>an <analysis> tag</summary>", "an <analysis> tag", true],
    ["may break off", "<analysis>a</analysis><summary>S", "S", false],
    ["may be missing", "<analysis>all I have", "", false],
    ["may be blank", "<analysis>a</analysis><summary> \n </summary>", "", true],
  ])("%s", (_how, text, summary, closed) => {
    expect(extractSummary(text)).toEqual({ summary, closed });
  });

  it.each([
    ["numbered", (name: string, n: number) => `${n}. ${name}:`],
    ["in bold", (name: string, n: number) => `**${n}. ${name}:**`],
    ["bold behind a number", (name: string, n: number) => `${n}. **${name}**:`],
    ["as headings", (name: string, n: number) => `## ${n}. ${name}`],
    ["without numbers", (name: string) => `### ${name}`],
    ["in other case", (name: string, n: number) => `${n}) ${name.toUpperCase()}`],
  ])("has its sections found %s", (_how, heading) => {
    const text = summarySections.map((name, index) => `${heading(name, index + 1)}\nbody`).join("\n");
    expect(missingSections(text)).toEqual([]);
  });

  it("may lack the one section that is optional by its name, but no other and no order", () => {
    expect(missingSections(summaryText("x", summarySections.slice(0, -1)))).toEqual([]);
    expect(missingSections(summaryText("x", summarySections.slice(1)))).toEqual([
      "Primary Request and Intent",
    ]);
    expect(missingSections(summaryText("x", summarySections.toReversed())).length).toBeGreaterThan(5);
  });
});

describe("an answer is", () => {
  it("accepted with what it holds", () => {
    const judgement = judgeAnswer(reply(answerText()), circumstances);
    expect(judgement).toMatchObject({ ok: true, summary: summaryText() });
    expect(judgement.ok && judgement.summary).not.toContain("analysis");
  });

  it.each([
    ["tool-call", reply(answerText(), { blocks: [{ type: "text", text: answerText() }, call("t")] })],
    ["tool-call", reply("", { blocks: [], stopReason: "tool_use" })],
    ["empty", reply("")],
    ["empty", reply("<analysis>only thoughts</analysis>")],
    ["empty", reply(answerText(summaryText("…")))],
    ["empty", reply(answerText(summaryText("None.")))],
    ["empty", reply(/<example>\n([\s\S]*?)<\/example>/.exec(summaryPrompt({ mode: "base" }))?.[1] ?? "")],
    ["cut-off", reply("<analysis>a</analysis><summary>1. Primary Request and Intent:")],
    ["cut-off", reply(answerText(), { stopReason: "max_tokens" })],
    ["missing-sections", reply("I read the files and all is well.")],
    ["missing-sections", reply('<function_calls><invoke name="Read"></invoke></function_calls>')],
  ])("rejected as %s", (reason, given) => {
    expect(reasonFor(given)).toBe(reason);
  });

  it("rejected when it is no shorter than what it replaces", () => {
    expect(reasonFor(reply(answerText(summaryText("word ".repeat(3_000)))))).toBe("inflated");
    expect(reasonFor(reply(answerText()), { replaced: 10 })).toBe("inflated");
  });

  it.each([
    ["ours", summaryPrompt({ mode: "base" }).split("\n")[0] ?? ""],
    [
      "ours, laid out anew",
      "there is nothing to look up:\n  all that the summary   needs already stands in the conversation above.",
    ],
    ["the agent's", "CRITICAL: Respond with TEXT ONLY. Do NOT call any tools."],
    ["the agent's consequences", "- Tool calls will be REJECTED and the task fails"],
  ])("rejected when it repeats its instructions: %s", (_whose, leak) => {
    const leaked = reply(answerText(summaryText(`- ${leak}`)));
    expect(reasonFor(leaked)).toBe("instructions");
    // A session may be about such prompts; then its words are the conversation's own.
    expect(reasonFor(leaked, { wasSaid: () => true })).toBe("accepted");
  });

  it("not rejected for words that any summary may use", () => {
    const words = "CRITICAL: the tool rules of the API were fixed; text only endpoints; do not call twice";
    expect(reasonFor(reply(answerText(summaryText(words))))).toBe("accepted");
  });
});
