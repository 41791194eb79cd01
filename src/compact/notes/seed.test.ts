// The numbers and rules of session notes, each as the description of the mechanism gives it.
import { describe, expect, it } from "vitest";
import { assistant, call, result, user } from "../../../test/fixtures/compact/conversation.ts";
import type { History } from "../../messages/index.ts";
import {
  defaultNotesBudget,
  dueForUpdate,
  keepFrom,
  noteSections,
  parseNotes,
  renderNotes,
  withWholePairs,
} from "../index.ts";
import { defaultNotesRule, safeLastId } from "./rule.ts";

const size = (tokens: number, toolCalls = 0, compactions = 0) => ({ tokens, toolCalls, compactions });
const progress = (now: ReturnType<typeof size>, more: { tools?: boolean; main?: boolean } = {}) => ({
  size: now,
  lastTurnUsedTools: more.tools ?? true,
  isMainThread: more.main ?? true,
});

describe("the page", () => {
  it("has ten sections in their order, each with one line of guidance in italics", () => {
    expect(noteSections).toEqual([
      "Session Title",
      "Current State",
      "Task specification",
      "Files and Functions",
      "Workflow",
      "Errors & Corrections",
      "Codebase and System Documentation",
      "Learnings",
      "Key results",
      "Worklog",
    ]);
    const lines = renderNotes(parseNotes("")).split("\n");
    const headings = lines.flatMap((line, at) => (line.startsWith("# ") ? [at] : []));
    expect(headings.map((at) => lines[at])).toEqual(noteSections.map((section) => `# ${section}`));
    for (const at of headings) expect(lines[at + 1]).toMatch(/^_[^_]+_$/);
  });

  it("has 2,000 tokens a section and 12,000 in all", () => {
    expect(defaultNotesBudget).toEqual({ section: 2_000, total: 12_000 });
  });
});

describe("notes are due", () => {
  it("first at 10,000 tokens", () => {
    expect(defaultNotesRule).toEqual({ first: 10_000, growth: 5_000, toolCalls: 3 });
    expect(dueForUpdate(progress(size(9_999, 50)), undefined)).toBeUndefined();
    expect(dueForUpdate(progress(size(10_000)), undefined)).toBe("first");
  });

  it.each([
    ["5,000 tokens and 3 tool calls", size(15_000, 13), true, "grown"],
    ["5,000 tokens and 3 tool calls, whatever the last turn did", size(15_000, 13), false, "grown"],
    ["5,000 tokens and a last turn without tools", size(15_000, 12), false, "paused"],
    ["not after 5,000 tokens and 2 calls while tools are used", size(15_000, 12), true, undefined],
    ["not after 4,999 tokens, however many calls", size(14_999, 99), true, undefined],
    ["not after 4,999 tokens and a last turn without tools", size(14_999, 10), false, undefined],
  ])("again after %s", (_what, now, tools, due) => {
    expect(dueForUpdate(progress(now, { tools }), size(10_000, 10))).toBe(due);
  });

  it("after every compaction, even below the first threshold", () => {
    expect(dueForUpdate(progress(size(10_001, 10, 1)), size(10_000, 10))).toBe("compacted");
    expect(dueForUpdate(progress(size(10_001, 10, 1)), size(10_000, 10, 1))).toBeUndefined();
    expect(dueForUpdate(progress(size(500, 0, 1)), undefined)).toBe("compacted");
  });

  it("in the main thread only", () => {
    expect(dueForUpdate(progress(size(99_999, 99, 9), { main: false }), undefined)).toBeUndefined();
    expect(dueForUpdate(progress(size(99_999, 99, 9), { main: false }), size(10_000))).toBeUndefined();
  });
});

describe("the safety gate", () => {
  const open: History = [user("u1", "go"), assistant("u2", [call("toolu_80")])];
  const closed: History = [...open, user("u3", [result("toolu_80", "the file")])];

  it("does not move while the assistant's last turn waits for a result", () => {
    expect(safeLastId(open, "before")).toBe("before");
    expect(safeLastId(open, undefined)).toBeUndefined();
    const half = [
      user("u1", "go"),
      assistant("u2", [call("toolu_80"), call("toolu_81")]),
      user("u3", [result("toolu_80", "one of two")]),
    ];
    expect(safeLastId(half, "before")).toBe("before");
    const rowByRow = [user("u1", "go"), assistant("u2", [call("a")]), assistant("u3", [call("b")])];
    expect(safeLastId([...rowByRow, user("u4", [result("b", "x")])], "before")).toBe("before");
  });

  it("moves to the last message at a natural break", () => {
    expect(safeLastId(closed, "before")).toBe("u3");
    expect(safeLastId([...closed, assistant("u4", "done")], "before")).toBe("u4");
    expect(safeLastId([], "before")).toBe("before");
  });

  it("moves past a call that was given up", () => {
    const resumed = [...open, user("u3", "I was away"), assistant("u4", "Welcome back.")];
    expect(safeLastId(resumed, "before")).toBe("u4");
  });

  it("keeps a call and its result on one side of the kept range", () => {
    const limits = { minTokens: 0, minTextMessages: 0, maxTokens: 9 };
    const later = [...closed, assistant("u4", "done")];
    const kept = (lastSummarized: string | undefined) =>
      keepFrom({ items: later, lastSummarized, floor: 0, limits, weigh: () => 1 });
    // What would happen without the gate, and is mended only because the start is moved back.
    expect(kept("u2")).toMatchObject({ start: 1, adjusted: true });
    expect(kept(safeLastId(closed, undefined))).toMatchObject({ start: 3, adjusted: false });
    expect(withWholePairs(later, 3)).toBe(3);
  });
});
