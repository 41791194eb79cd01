// Rows of an old transcript as events: turns that ended, prompts that look alike, compactions, and what hooks told already.
import { describe, expect, it } from "vitest";
import { callRow, promptRow, resultRow, second } from "../../test/worker/rows.ts";
import { isoTime, type JsonObject } from "../lib/index.ts";
import { pastReader } from "./pastEvents.ts";

const SESSION = "s1";

const saidRow = (at: number, words: string, more: JsonObject = {}): JsonObject => ({
  ...callRow(SESSION, at, ""),
  message: { id: `msg_${at}`, role: "assistant", content: [{ type: "text", text: words }] },
  ...more,
});
const oldPrompt = (at: number, words: string): JsonObject => {
  const { promptId: _, ...row } = promptRow(SESSION, at, words);
  return row;
};

function readAll(
  rows: readonly JsonObject[],
  { hooksSince = Number.POSITIVE_INFINITY, isOver = true, agent = "" } = {},
): JsonObject[] {
  const source = { session: SESSION, transcript: "/t/s1.jsonl", hooksSince };
  const reader = pastReader({ ...source, ...(agent === "" ? {} : { agent }) });
  const seen = [...rows.flatMap((row, at) => reader.read(row, at)), ...reader.end(isOver)];
  return seen.map(({ payload, at }) => ({ ...payload, at: isoTime(at) }));
}

const told = (events: readonly JsonObject[]): string[] =>
  events.map(({ hook_event_name: name, prompt, tool_use_id, last_assistant_message: words, trigger }) =>
    `${String(name)} ${String(prompt ?? tool_use_id ?? words ?? trigger ?? "")}`.trim(),
  );

describe("a past session", () => {
  it("ends its turns with what was said last, under the prompt they belong to, and itself after the last row", () => {
    const events = readAll([
      promptRow(SESSION, 1, "fix it", "p1"),
      saidRow(2, "I look first."),
      callRow(SESSION, 3, "t1"),
      resultRow(SESSION, 4, "t1"),
      saidRow(5, "It is fixed."),
      promptRow(SESSION, 6, "thanks", "p2"),
      saidRow(7, "You are welcome."),
    ]);
    expect(told(events)).toEqual([
      "UserPromptSubmit fix it",
      "PostToolUse t1",
      "Stop It is fixed.",
      "UserPromptSubmit thanks",
      "Stop You are welcome.",
      "SessionEnd",
    ]);
    expect(events[2]).toMatchObject({ prompt_id: "p1", cwd: "/", at: isoTime(second(5)) });
    expect(events[5]).toMatchObject({ prompt_id: "p2", at: isoTime(second(7) + 1) });
  });

  it("has no end of a turn that was interrupted, by user or agent", () => {
    const interrupted = [{ type: "text", text: "[Request interrupted by user]" }];
    const events = readAll([
      promptRow(SESSION, 1, "one"),
      saidRow(2, "Half a"),
      { ...promptRow(SESSION, 3, ""), message: { role: "user", content: interrupted } },
      promptRow(SESSION, 4, "two"),
      saidRow(5, "I call", {
        message: { id: "m", role: "assistant", content: [{ type: "text", text: "I" }] },
      }),
      {
        ...callRow(SESSION, 6, "t1"),
        message: { id: "m", role: "assistant", content: [{ type: "tool_use", id: "t1", name: "Bash" }] },
      },
      promptRow(SESSION, 7, "three"),
      saidRow(8, "API Error: 500", { isApiErrorMessage: true }),
    ]);
    expect(told(events)).toEqual([
      "UserPromptSubmit one",
      "UserPromptSubmit two",
      "UserPromptSubmit three",
      "SessionEnd",
    ]);
  });

  it("is still open while an agent may be writing", () => {
    const rows = [promptRow(SESSION, 1, "go"), saidRow(2, "Let me see.")];
    expect(told(readAll(rows, { isOver: false }))).toEqual(["UserPromptSubmit go"]);
  });

  it("has no end where nothing was done", () => {
    expect(readAll([{ type: "attachment", sessionId: SESSION, timestamp: isoTime(second(1)) }])).toEqual([]);
  });

  it("keeps prompts apart that say the same and have no id, or the same one", () => {
    const ids = (rows: readonly JsonObject[]): unknown[] =>
      readAll(rows)
        .filter(({ prompt }) => prompt !== undefined)
        .map(({ prompt_id: id }) => id);
    expect(ids([oldPrompt(1, "continue"), oldPrompt(2, " continue"), oldPrompt(3, "stop")])).toEqual([
      undefined,
      `${SESSION}-2`,
      undefined,
    ]);
    expect(ids([promptRow(SESSION, 1, "a", "fork"), promptRow(SESSION, 2, "b", "fork")])).toEqual([
      "fork",
      `${SESSION}-2`,
    ]);
  });

  it("tells of a compaction, and takes neither its summary nor what it put back for new", () => {
    const boundary = {
      ...oldPrompt(4, ""),
      type: "system",
      subtype: "compact_boundary",
      compactMetadata: { trigger: "manual" },
    };
    const events = readAll([
      promptRow(SESSION, 1, "one"),
      saidRow(2, "Done."),
      boundary,
      promptRow(SESSION, 1, "one"),
      saidRow(2, "Done."),
      { ...promptRow(SESSION, 5, "This session is being continued"), isCompactSummary: true },
      promptRow(SESSION, 6, "two"),
    ]);
    expect(told(events)).toEqual([
      "UserPromptSubmit one",
      "PostCompact manual",
      "Stop Done.",
      "UserPromptSubmit two",
      "SessionEnd",
    ]);
  });

  it("ends a subagent's file with its report", () => {
    const rows = [promptRow(SESSION, 1, "count", "p1"), saidRow(2, "Three files.")].map((row) => ({
      ...row,
      agentId: "a1",
      isSidechain: true,
    }));
    expect(readAll(rows, { agent: "a1" })).toMatchObject([
      {
        hook_event_name: "SubagentStop",
        agent_id: "a1",
        prompt_id: "p1",
        last_assistant_message: "Three files.",
      },
    ]);
  });

  it("adds only what can be missed from the moment on at which hooks were listening", () => {
    const rows = [
      oldPrompt(1, "continue"),
      saidRow(2, "One."),
      oldPrompt(3, "continue"),
      callRow(SESSION, 4, "t1"),
      resultRow(SESSION, 5, "t1"),
      saidRow(6, "Two."),
      oldPrompt(7, "continue"),
    ];
    const events = readAll(rows, { hooksSince: second(3) });
    expect(told(events)).toEqual([
      "UserPromptSubmit continue",
      "Stop One.",
      "UserPromptSubmit continue",
      "PostToolUse t1",
      "UserPromptSubmit continue",
    ]);
    expect(events.filter(({ prompt_id: id }) => id !== undefined)).toEqual([]);
  });
});
