// Agents' own summaries in their forms, and what of them still stands later.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { HistoryItem } from "../messages/index.ts";
import { readActivity } from "./activity.ts";
import { parseAgentSummary } from "./agentSummary.ts";
import type { Statement } from "./agentWords.ts";
import { statementsOf } from "./statements.ts";

const summary = `This session is being continued from a previous conversation that ran out of context.
Analysis:
7. Pending Tasks:
   - Paint the shed
Summary:
1. Primary Request and Intent:
   Move the clock into its own module.

2. Key Technical Concepts:
   - time zones

7. Pending Tasks (from task list):
   - **Task #1** [pending]: Remove the old clock — RESOLVED in the parent
   - Update the callers in \`alarm.go\` to the new clock:
     - \`alarm.go\`
     - \`bell.go\`
   - Write the release notes

8. Current Work:
   Rewriting \`clock.go\`. Last output:
   \`\`\`
8. Current Work: not this
   \`\`\`
   The build passes.

9. Optional Next Step:
   User's last message: "please go on with the callers and leave the docs alone"

   Update the callers in \`alarm.go\`. They still use the old clock.

If you need specific details from before compaction, read the full transcript at: /x.jsonl
Please continue the conversation from where we left it off.`;

describe("an agent's summary", () => {
  it("is read by its headings, the later one of two, without the client's words", () => {
    const parsed = parseAgentSummary(summary);
    expect(Object.keys(parsed ?? {})).toEqual(["request", "concepts", "pending", "current", "next"]);
    expect(parsed?.request?.items).toEqual(["Move the clock into its own module."]);
    expect(parsed?.pending?.items.slice(1)).toEqual([
      "Update the callers in `alarm.go` to the new clock: `alarm.go`; `bell.go`",
      "Write the release notes",
    ]);
    expect(parsed?.current?.items).toEqual(["Rewriting `clock.go`. Last output: The build passes."]);
    expect(parsed?.next?.text).not.toContain("transcript");
  });

  it.each([
    [
      "tags",
      "<analysis>\n7. Pending Tasks:\n- no\n</analysis>\n<summary>\n1. Primary Request and Intent: a clock\n7. Pending Tasks:\n- callers\n8. Current Work: clock.go\n</summary>",
    ],
    [
      "Markdown",
      "## 1. Primary Request and Intent:\na clock\n### Detail\n## Other\nx\n## 7. Pending Tasks:\n\n1. callers\n\n## 8. Current Work\nclock.go",
    ],
    [
      "bold type",
      "**Primary Request and Intent:** a clock\n**7. Pending Tasks**:\n* callers\n8. **Current Work:**\nclock.go",
    ],
    ["Chinese", "1. 主要请求与意图：\n   a clock\n七、待办任务：\n- callers\n### 8. 当前工作\nclock.go"],
    [
      "goal and progress",
      "## Goal\na clock\n## Progress\n### Done\n- [x] shed\n### In Progress\n- clock.go\n### Blocked\n- paint\n## Remaining tasks\n- callers\n## Key Decisions\n- UTC",
    ],
  ])("is read in %s", (_, text) => {
    const parsed = parseAgentSummary(text);
    expect(parsed?.request?.items[0]).toBe("a clock");
    expect(parsed?.pending?.items).toEqual(["callers"]);
    expect(parsed?.current?.items).toEqual(["clock.go"]);
  });

  it("is none without sections, in our own words, or in any other text", () => {
    expect(parseAgentSummary("We moved the clock. 7. Pending Tasks: none")).toBeUndefined();
    expect(
      parseAgentSummary(`Everything before this is kept word for word: recall T1\n${summary}`),
    ).toBeUndefined();
    fc.assert(
      fc.property(fc.string({ unit: "grapheme", maxLength: 400 }), (text) => {
        parseAgentSummary(text);
        parseAgentSummary(summary.slice(0, text.length * 7) + text + summary);
      }),
    );
  });
});

let ids = 0;
const said = (role: "user" | "assistant", content: HistoryItem["message"]["content"]): HistoryItem => ({
  id: `r${ids++}`,
  message: { role, content } as HistoryItem["message"],
});
const summed: HistoryItem = { ...said("user", summary), id: "sum", compactSummary: true };
const call = (name: string, input: Record<string, unknown>, output = "ok"): HistoryItem[] => {
  const id = `t${ids++}`;
  return [
    said("assistant", [{ type: "tool_use", id, name, input }]),
    said("user", [{ type: "tool_result", tool_use_id: id, content: output }]),
  ];
};
const stated = (...after: HistoryItem[]) =>
  statementsOf(
    readActivity([
      said("user", "Move the clock please"),
      said("assistant", "Moved half of it."),
      summed,
      ...after,
    ]),
  );

const ofAgent = (statements: readonly Statement[]) =>
  statements.flatMap(({ text, by }) => (by === "agent" ? [text] : []));

describe("what an agent's summary says", () => {
  it("is stated as the agent's, with the summary's row, without what is done or only quoted", () => {
    const { next, current } = stated();
    expect(next.map(({ text }) => text)).toEqual([
      "Update the callers in alarm.go to the new clock: alarm.go; bell.go",
      "Write the release notes",
    ]);
    expect(next[0]).toMatchObject({ rows: ["sum"], by: "agent" });
    expect(current).toMatchObject({ rows: ["sum"], by: "agent" });
    expect(current?.text).toMatch(/^Rewriting clock\.go/);
  });

  it("loses a step whose file was changed since, and what was being done then", () => {
    const { next, current } = stated(
      ...call("Edit", { file_path: "/w/alarm.go", old_string: "a", new_string: "b" }),
    );
    expect(ofAgent(next)).toEqual(["Write the release notes"]);
    expect(current).toBeUndefined();
  });

  it("gives way to a later request, a later task list, and the end of the turn", () => {
    const list = call("TodoWrite", { todos: [{ content: "Paint the fence", status: "pending" }] });
    expect(stated(said("user", "now paint the fence")).next.map(({ by }) => by)).toEqual([undefined]);
    expect(ofAgent(stated(...list).next)).toEqual([]);
    expect(stated(said("assistant", "All callers are updated.")).next).toEqual([]);
    expect(stated(said("user", "yes, continue")).next.filter(({ by }) => by === "agent")).toHaveLength(2);
  });

  it("leaves a request answered that was answered before the compaction", () => {
    const { lastRequest } = readActivity([said("user", "Why?"), said("assistant", "So."), summed]);
    expect(lastRequest?.ended).toBe("answered");
  });
});
