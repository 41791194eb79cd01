// One contract for every dialect: the same small session reads the same, whichever agent wrote it.
import { describe, expect, it } from "vitest";
import { ClaudeRows, type Row, temporaryFolder } from "../../../test/fixtures/transcript/session.ts";
import { check } from "../../messages/index.ts";
import { readConversation } from "../conversation.ts";
import type { DialectName, TranscriptItem } from "../model.ts";
import { windowItems } from "../window.ts";

const folder = temporaryFolder();
const SUMMARY = "They fixed the login.";

/** A question, two calls with one failing, an answer, a compaction that keeps it, and one more turn. */
function claudeRows(): Row[] {
  const rows = new ClaudeRows();
  rows.user([{ type: "text", text: "fix the login" }]);
  rows.assistant("m1", { type: "thinking", thinking: "hm", signature: "c2ln" });
  rows.assistant("m1", {
    type: "tool_use",
    id: "t1",
    name: "Read",
    input: { file_path: "/home/dev/app/a.ts" },
  });
  rows.assistant("m1", { type: "tool_use", id: "t2", name: "Bash", input: { command: "ls" } });
  rows.user([{ type: "tool_result", tool_use_id: "t1", content: [{ type: "text", text: "code" }] }]);
  rows.user([
    { type: "tool_result", tool_use_id: "t2", content: [{ type: "text", text: "no" }], is_error: true },
  ]);
  const kept = rows.say("m2", "Fixed.");
  rows.compact({ preTokens: 999, preservedMessages: { uuids: [kept] } });
  const summary = rows.rows.at(-1);
  if (summary) summary.message = { role: "user", content: SUMMARY };
  rows.user([{ type: "text", text: "thanks" }]);
  rows.say("m3", "Welcome.");
  return rows.rows;
}

function piMessages(): Row[] {
  const usage = { input: 3, output: 1, cacheRead: 100, cacheWrite: 20 };
  const assistant = (content: Row[]) => ({ role: "assistant", model: "claude-opus-4-5", content, usage });
  const result = (toolCallId: string, text: string, isError: boolean) => ({
    role: "toolResult",
    toolCallId,
    content: [{ type: "text", text }],
    isError,
  });
  return [
    { role: "user", content: [{ type: "text", text: "fix the login" }] },
    assistant([
      { type: "thinking", thinking: "hm", thinkingSignature: "c2ln" },
      { type: "toolCall", id: "t1", name: "read", arguments: { path: "a.ts" } },
      { type: "toolCall", id: "t2", name: "bash", arguments: { command: "ls" } },
    ]),
    result("t1", "code", false),
    result("t2", "no", true),
    assistant([]),
    assistant([{ type: "text", text: "Fixed." }]),
    { role: "user", content: [{ type: "text", text: "thanks" }] },
    assistant([{ type: "text", text: "Welcome." }]),
  ];
}

const header = {
  type: "session",
  id: "session-1",
  cwd: "/home/dev/app",
  timestamp: "2026-03-01T10:00:00.000Z",
};

/** Before rows had ids: file order, and a compaction that names the first kept row by its number. */
function olderPiRows(): Row[] {
  const messages = piMessages().map((message) => ({ type: "message", message }));
  const level = { type: "thinking_level_change", thinkingLevel: "low" };
  const compaction = { type: "compaction", summary: SUMMARY, tokensBefore: 999, firstKeptEntryIndex: 7 };
  return [header, level, ...messages.slice(0, 6), compaction, ...messages.slice(6)];
}

/** With ids and parents: a branch that was left, and a compaction that names the first kept row by its id. */
function newerPiRows(): Row[] {
  const rows: Row[] = [{ ...header, version: 3 }];
  let parentId: string | null = null;
  const add = (fields: Row): void => {
    const id = `e${rows.length}`;
    rows.push({ id, parentId, timestamp: "2026-03-01T10:00:01.000Z", ...fields });
    parentId = id;
  };
  const messages = piMessages();
  for (const message of messages.slice(0, 6)) add({ type: "message", message });
  const left = {
    type: "message",
    id: "left",
    parentId: "e2",
    message: { role: "user", content: "never mind" },
  };
  rows.push(left);
  add({ type: "compaction", summary: SUMMARY, tokensBefore: 999, firstKeptEntryId: "e6" });
  for (const message of messages.slice(6)) add({ type: "message", message });
  return rows;
}

const cases: readonly [string, DialectName, () => Row[]][] = [
  ["Claude Code", "claude-code", claudeRows],
  ["pi without ids", "pi", olderPiRows],
  ["pi with ids", "pi", newerPiRows],
];

const messages = (items: readonly TranscriptItem[]) => items.map(({ message }) => message);

const expected = [
  { role: "user", content: [{ type: "text", text: "fix the login" }] },
  {
    role: "assistant",
    content: [
      { type: "thinking", thinking: "hm", signature: "c2ln" },
      { type: "tool_use", id: "t1", name: "Read", input: { file_path: "/home/dev/app/a.ts" } },
      { type: "tool_use", id: "t2", name: "Bash", input: { command: "ls" } },
    ],
  },
  {
    role: "user",
    content: [
      { type: "tool_result", tool_use_id: "t1", content: [{ type: "text", text: "code" }] },
      { type: "tool_result", tool_use_id: "t2", content: [{ type: "text", text: "no" }], is_error: true },
    ],
  },
  { role: "assistant", content: [{ type: "text", text: "Fixed." }] },
  { role: "user", content: SUMMARY },
  { role: "user", content: [{ type: "text", text: "thanks" }] },
  { role: "assistant", content: [{ type: "text", text: "Welcome." }] },
];

describe.each(cases)("%s", (_name, dialect, rows) => {
  const read = () => readConversation(folder.write(rows()));

  it("gives the same messages", async () => {
    const conversation = await read();
    expect(messages(conversation.items)).toEqual(expected);
    expect(check(messages(conversation.items)).filter(({ code }) => code !== "last-role")).toEqual([]);
    expect(conversation.items[4]).toMatchObject({ compactSummary: true });
  });

  it("gives the same facts", async () => {
    expect(await read()).toMatchObject({
      dialect,
      sessionId: "session-1",
      cwd: "/home/dev/app",
      models: ["claude-opus-4-5"],
      title: { text: "fix the login", source: "prompt" },
      turns: 2,
      pairs: { matched: 2, unanswered: 0, orphan: 0 },
      boundaries: [{ kind: "compact", preTokens: 999, index: 4 }],
      counts: { unknownRows: 0, toolResults: 2, thinkingBlocks: 1, compactBoundaries: 1 },
      problems: [],
    });
  });

  it("gives the same requests", async () => {
    const { requests } = await read();
    expect(requests.map(({ itemIndex }) => itemIndex)).toEqual([1, 3, 6]);
    expect(requests[0]?.usage).toEqual({
      input: 3,
      cacheRead: 100,
      cacheWrite5m: 20,
      cacheWrite1h: 0,
      output: 1,
    });
  });

  it("shows the summary, what was kept, and what came later", async () => {
    expect(messages(windowItems(await read()))).toEqual([expected[4], expected[3], expected[5], expected[6]]);
  });

  it("gives ids that stay when the file grows", async () => {
    const all = rows();
    const ids = async (count: number) =>
      (await readConversation(folder.write(all.slice(0, count)))).items.map(({ id }) => id);
    const final = await ids(all.length);
    expect(new Set(final).size).toBe(final.length);
    for (const count of all.keys()) {
      const so_far = await ids(count);
      // The branch that the newer pi rows leave is the one place where the past changes.
      if (all[count - 1]?.id !== "left") expect(final.slice(0, so_far.length)).toEqual(so_far);
    }
  });
});

describe("pi alone", () => {
  it("counts answers without content and leaves them out", async () => {
    const { counts, items } = await readConversation(folder.write(olderPiRows()));
    expect(counts.emptyMessages).toBe(1);
    expect(items).toHaveLength(expected.length);
  });

  it("takes commands and notes of the client for meta messages", async () => {
    const rows = [
      header,
      { type: "message", message: { role: "bashExecution", command: "ls", output: "a.ts" } },
      { type: "branch_summary", summary: "tried caching" },
      { type: "custom_message", content: [{ type: "text", text: "note" }] },
      { type: "message", message: { role: "user", content: "go" } },
      { type: "session_info", name: "My session" },
    ];
    const { items, turns, title } = await readConversation(folder.write(rows));
    expect(items.map(({ meta }) => meta === true)).toEqual([true, true, true, false]);
    expect(items[0]?.message.content).toContain("a.ts");
    expect(turns).toBe(1);
    expect(title).toEqual({ text: "My session", source: "custom" });
  });

  it("takes an answer that was stopped while it was thought of for an interruption", async () => {
    const content = [{ type: "thinking", thinking: "hm" }];
    const rows = [
      header,
      { type: "message", message: { role: "user", content: "go" } },
      { type: "message", message: { role: "assistant", content, stopReason: "aborted" } },
    ];
    const { items } = await readConversation(folder.write(rows));
    expect(items.at(-1)?.message.content).toBe("[Request interrupted by user]");
  });

  it("carries images over", async () => {
    const image = { type: "image", mimeType: "image/png", data: "aWk=" };
    const rows = [header, { type: "message", message: { role: "user", content: [image] } }];
    const { items } = await readConversation(folder.write(rows));
    expect(items[0]?.message.content).toEqual([
      { type: "image", source: { type: "base64", media_type: "image/png", data: "aWk=" } },
    ]);
  });
});
