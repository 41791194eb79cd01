// Rows of a transcript read as the events that hooks would have reported.
import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../lib/index.ts";
import { rowReader } from "./transcriptRows.ts";

const at = "2026-01-02T03:04:05.000Z";
const base = { sessionId: "s1", timestamp: at, cwd: "/repo", promptId: "p1" };

const prompt = (content: unknown, more: JsonObject = {}): JsonObject => ({
  ...base,
  type: "user",
  message: { role: "user", content },
  ...more,
});
const call = (id: string, name = "Bash"): JsonObject => ({
  ...base,
  type: "assistant",
  message: { role: "assistant", content: [{ type: "tool_use", id, name, input: { command: "ls" } }] },
});
const result = (id: string, more: JsonObject = {}, row: JsonObject = {}): JsonObject =>
  prompt([{ type: "tool_result", tool_use_id: id, content: "out", ...more }], row);

function readAll(...rows: JsonObject[]): JsonObject[] {
  const reader = rowReader({ session: "s1", transcript: "/t/s1.jsonl" });
  return rows.flatMap((row, index) => reader.read(row, index * 100)).map(({ payload }) => payload);
}

describe("rowReader", () => {
  it("reads prompts as a hook would have reported them", () => {
    expect(readAll(prompt("do it"))).toEqual([
      {
        hook_event_name: "UserPromptSubmit",
        session_id: "s1",
        transcript_path: "/t/s1.jsonl",
        cwd: "/repo",
        prompt_id: "p1",
        prompt: "do it",
      },
    ]);
    expect(
      readAll(prompt([{ type: "text", text: "look" }, { type: "image" }, { type: "text", text: "here" }])),
    ).toMatchObject([{ prompt: "look\nhere" }]);
  });

  it("reads the summary of the user's own compaction, once, and no other's", () => {
    const boundary = (trigger: string): JsonObject => ({
      ...{ ...base, type: "system", subtype: "compact_boundary", compactMetadata: { trigger } },
    });
    const words = "They counted.\n\nNothing is open.";
    const frame = `This session is being continued.\n\nSummary:\n${words}\n\nIf you need specific details from before compaction (x), read it.\nContinue.`;
    const row = prompt(frame, { isCompactSummary: true });
    expect(readAll(boundary("manual"), row, row)).toMatchObject([
      { hook_event_name: "PostCompact", trigger: "manual", prompt_id: "p1", compact_summary: words },
    ]);
    expect(readAll(row, boundary("auto"), row)).toEqual([]);
    expect(readAll(boundary("manual"), prompt("go on"))).toEqual([]);
    expect(readAll(boundary("manual"), prompt("Summary: none", { isCompactSummary: true }))).toEqual([]);
  });

  it("reads calls with their answers, failed ones apart", () => {
    const rows = [
      call("t1"),
      call("t2", "Read"),
      result("t1", {}, { toolUseResult: { stdout: "out" } }),
      result("t2", { is_error: true, content: [{ type: "text", text: "gone" }] }),
    ];
    expect(readAll(...rows)).toMatchObject([
      {
        hook_event_name: "PostToolUse",
        tool_use_id: "t1",
        tool_name: "Bash",
        tool_input: { command: "ls" },
        tool_response: { stdout: "out" },
      },
      { hook_event_name: "PostToolUseFailure", tool_use_id: "t2", tool_name: "Read", error: "gone" },
    ]);
  });

  it("names the subagent of its rows, and takes what it was told for no prompt", () => {
    const agent = { agentId: "a1", isSidechain: true };
    const rows = [prompt("sub task", agent), { ...call("t1"), ...agent }, result("t1", {}, agent)];
    expect(readAll(...rows)).toMatchObject([{ hook_event_name: "PostToolUse", agent_id: "a1" }]);
    expect(readAll(...rows)).toHaveLength(1);
  });

  it("writes a command as it was typed", () => {
    const words =
      "<command-message>fix</command-message>\n<command-name>/fix</command-name>\n<command-args>the bug</command-args>";
    expect(readAll(prompt(words))).toMatchObject([{ prompt: "/fix the bug" }]);
  });

  it.each<[string, JsonObject]>([
    ["a meta row", prompt("caveat", { isMeta: true })],
    ["a summary", prompt("This session is being continued", { isCompactSummary: true })],
    ["an interruption", prompt([{ type: "text", text: "[Request interrupted by user for tool use]" }])],
    ["output of a local command", prompt("<local-command-stdout>ok</local-command-stdout>")],
    [
      "a command that was carried out here",
      { ...prompt("<command-name>/clear</command-name>"), promptId: undefined },
    ],
    ["a shell line", prompt("<bash-input>ls</bash-input>")],
    [
      "a summary that stands in the user's place",
      prompt("This session is being continued from a previous conversation that …"),
    ],
    ["an answer to a call nobody made", result("t9")],
    ["a row of another session", prompt("theirs", { sessionId: "s0" })],
    ["a row without a time", { ...prompt("when?"), timestamp: undefined }],
    ["an empty prompt", prompt("")],
    ["a row of another kind", { type: "summary", summary: "x" }],
    ["a row that makes no sense", { type: "user", timestamp: at, message: 7 }],
  ])("finds no event in %s", (_name, row) => expect(readAll(row)).toEqual([]));

  it("takes what a compaction puts back for no event, and goes on behind it", () => {
    const boundary = {
      ...base,
      type: "system",
      subtype: "compact_boundary",
      timestamp: "2026-01-02T03:05:00.000Z",
    };
    const later = { timestamp: "2026-01-02T03:06:00.000Z" };
    const put = [prompt("do it"), call("t1"), result("t1")];
    expect(readAll(...put, boundary, ...put, prompt("go on", later))).toMatchObject([
      { prompt: "do it" },
      { tool_use_id: "t1" },
      { prompt: "go on" },
    ]);
  });

  it("knows where the first unanswered call begins, until a new prompt gives it up", () => {
    const reader = rowReader({ session: "s1", transcript: "/t" });
    reader.read(call("t1"), 100);
    reader.read(call("t2"), 200);
    expect(reader.firstOpen()).toBe(100);
    reader.read(result("t1"), 300);
    expect(reader.firstOpen()).toBe(200);
    reader.read(prompt("never mind"), 400);
    expect(reader.firstOpen()).toBeUndefined();
  });
});
