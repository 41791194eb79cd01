// Reading whole conversations: how rows merge into messages, and what is told beside them.
import { describe, expect, it } from "vitest";
import { ClaudeRows, smallSession, temporaryFolder } from "../../test/fixtures/transcript/session.ts";
import { shape, shapes } from "../../test/fixtures/transcript/shape.ts";
import { readConversation } from "./conversation.ts";
import type { Conversation } from "./model.ts";

const folder = temporaryFolder();

const read = (rows: ClaudeRows): Promise<Conversation> => readConversation(folder.write(rows.rows));

describe("the messages", () => {
  it("merge the rows of a response, and all results of its calls behind it", async () => {
    const conversation = await read(smallSession());
    expect(shapes(conversation)).toEqual([
      "user: make the login work",
      "assistant: thinking | tool_use t1 | tool_use t2",
      "user: tool_result t1 | tool_result t2",
      "assistant: Done.",
      "user: This session is being continued from a previous conversation.",
      "user: now the logout",
      "assistant: Done too.",
    ]);
    expect(conversation.items[1]).toMatchObject({
      id: "uuid-2",
      uuids: ["uuid-2", "uuid-3", "uuid-4"],
      parent: "uuid-1",
      model: "claude-opus-4-5",
      messageId: "m1",
      requestId: "request-m1",
      at: Date.parse("2026-03-01T10:00:02.000Z"),
    });
    expect(conversation.items[2]).toMatchObject({ id: "uuid-5", uuids: ["uuid-5", "uuid-6"] });
    expect(conversation.items[1]?.message).not.toHaveProperty("usage");
    expect(conversation.items[4]?.compactSummary).toBe(true);
    expect(conversation.pairs).toEqual({ matched: 2, unanswered: 0, orphan: 0 });
  });

  it("merge a response whose rows have results and attachments between them", async () => {
    const rows = new ClaudeRows();
    rows.user("go");
    rows.call("m1", "t1");
    rows.result("t1");
    rows.add("attachment", { attachment: { type: "hook_success" } });
    rows.call("m1", "t2");
    rows.result("t2");
    rows.say("m2", "ok");
    expect(shapes(await read(rows))).toEqual([
      "user: go",
      "assistant: tool_use t1 | tool_use t2",
      "user: tool_result t1 | tool_result t2",
      "assistant: ok",
    ]);
  });

  it("can be read on from where an earlier read ended, a call and its result apart", async () => {
    const rows = new ClaudeRows();
    rows.user("go");
    rows.call("m1", "t1");
    const before = await readConversation(folder.write(rows.rows));
    rows.result("t1");
    rows.say("m2", "ok");
    const file = folder.write(rows.rows);
    const later = await readConversation(file, { from: before.end });
    expect(shapes(later)).toEqual(["user: tool_result t1", "assistant: ok"]);
    expect(await readConversation(file, { from: later.end })).toMatchObject({ items: [], end: later.end });
  });

  it("order the blocks of a response by the index the API gave them", async () => {
    const rows = new ClaudeRows();
    rows.user("go");
    rows.call("m1", "t1", { apiBlockIndex: 1 });
    rows.say("m1", "first", { apiBlockIndex: 0 });
    expect(shapes(await read(rows))[1]).toBe("assistant: first | tool_use t1");
  });

  it("keep results on side branches, whichever of them the chain goes through", async () => {
    const rows = new ClaudeRows();
    rows.user("go");
    const first = rows.call("m1", "t1");
    const second = rows.call("m1", "t2");
    rows.result("t2", { parentUuid: second });
    rows.result("t1", { parentUuid: first });
    rows.say("m2", "ok");
    const conversation = await read(rows);
    expect(shapes(conversation).slice(1)).toEqual([
      "assistant: tool_use t1 | tool_use t2",
      "user: tool_result t2 | tool_result t1",
      "assistant: ok",
    ]);
    expect(conversation.counts.abandonedRows).toBe(0);
  });

  it("put results before other content that came with them", async () => {
    const rows = new ClaudeRows();
    rows.user("go");
    rows.call("m1", "t1");
    rows.call("m1", "t2");
    const result = (id: string) => ({ type: "tool_result", tool_use_id: id, content: "x" });
    rows.user([result("t1"), { type: "text", text: "note" }]);
    rows.user([result("t2")]);
    expect(shapes(await read(rows))[2]).toBe("user: tool_result t1 | tool_result t2 | note");
  });

  it("keep what a call brought along on a side branch", async () => {
    const rows = new ClaudeRows();
    rows.user("go");
    const first = rows.call("m1", "t1");
    const second = rows.call("m1", "t2");
    rows.result("t1", { parentUuid: first });
    rows.user("the skill's text", { isMeta: true, sourceToolUseID: "t1" });
    rows.result("t2", { parentUuid: second });
    rows.say("m2", "ok");
    const conversation = await read(rows);
    expect(shapes(conversation).slice(2)).toEqual([
      "user: tool_result t1 | tool_result t2",
      "user: the skill's text",
      "assistant: ok",
    ]);
    expect(conversation.items[3]?.meta).toBe(true);
  });

  it("tell responses apart that use the same message id", async () => {
    const rows = new ClaudeRows();
    rows.user("one");
    rows.say("m1", "first", { requestRef: "a" });
    rows.say("m1", "second", { requestRef: "b" });
    rows.user("two");
    rows.say("m1", "third", { requestRef: "b" });
    expect(shapes(await read(rows))).toEqual([
      "user: one",
      "assistant: first",
      "assistant: second",
      "user: two",
      "assistant: third",
    ]);
  });

  it("read equal uuids once", async () => {
    const rows = smallSession();
    rows.rows.push(...rows.rows.slice(0, 4));
    const conversation = await read(rows);
    expect(shapes(conversation)).toEqual(shapes(await read(smallSession())));
    expect(conversation.counts.duplicateRows).toBe(4);
  });

  it("leave out messages that hold nothing, and count them", async () => {
    const rows = new ClaudeRows();
    rows.user("go");
    rows.user([]);
    rows.user(null);
    rows.say("m1", "ok");
    const conversation = await read(rows);
    expect(shapes(conversation)).toEqual(["user: go", "assistant: ok"]);
    expect(conversation.counts.emptyMessages).toBe(2);
  });
});

describe("sidechains", () => {
  it("in the file are told apart by agent, or by their roots", async () => {
    const rows = new ClaudeRows();
    const prompt = rows.user("go");
    rows.user("task a", { isSidechain: true, agentId: "a", parentUuid: null });
    const b = rows.user("task b", { isSidechain: true, parentUuid: null });
    rows.say("m1", "a done", { isSidechain: true, agentId: "a", parentUuid: "uuid-2" });
    rows.say("m2", "b done", { isSidechain: true, parentUuid: b });
    rows.say("m3", "all done", { parentUuid: prompt });
    const conversation = await read(rows);
    expect(shapes(conversation)).toEqual(["user: go", "assistant: all done"]);
    expect(conversation.sidechains.map(({ agentId, items }) => [agentId, items.map(shape)])).toEqual([
      ["a", ["user: task a", "assistant: a done"]],
      ["uuid-3", ["user: task b", "assistant: b done"]],
    ]);
  });

  it("in their own files are read when asked for, and bad ones reported", async () => {
    const agent = new ClaudeRows();
    agent.user("task", { isSidechain: true, agentId: "x1" });
    agent.say("m1", "done", { isSidechain: true, agentId: "x1" });
    const file = folder.write(smallSession().rows, "main.jsonl");
    folder.write(agent.rows, "main/subagents/agent-x1.jsonl");
    const bad = folder.writeBytes(Uint8Array.of(0, 1, 2), "main/subagents/agent-x2.jsonl");
    folder.write([], "main/subagents/agent-x1.meta.json");
    expect((await readConversation(file)).sidechains).toEqual([]);
    const { sidechains, problems } = await readConversation(file, { subagents: true });
    expect(sidechains.map(({ agentId, items }) => [agentId, items.map(shape)])).toEqual([
      ["x1", ["user: task", "assistant: done"]],
    ]);
    expect(problems.map(({ kind, file: at }) => [kind, at])).toEqual([["subagent-unreadable", bad]]);
  });
});

describe("beside the messages", () => {
  it("boundaries say what was done and how many messages stand before", async () => {
    const rows = new ClaudeRows();
    rows.user("go");
    rows.call("m1", "t1");
    rows.result("t1");
    const microcompactMetadata = { trigger: "auto", preTokens: 9, tokensSaved: 5, compactedToolIds: ["t1"] };
    rows.add("system", { subtype: "microcompact_boundary", microcompactMetadata });
    rows.say("m2", "ok");
    const commit = { collapseId: "c1", summaryUuid: "s", summaryContent: "early work" };
    rows.note("marble-origami-commit", {
      ...commit,
      firstArchivedUuid: "uuid-1",
      lastArchivedUuid: "uuid-3",
    });
    rows.note("marble-origami-snapshot", { spans: [{ start: 1 }], armed: true, lastSpawnTokens: 7 });
    rows.compact({ postTokens: 900 });
    const { boundaries, counts } = await read(rows);
    expect(boundaries).toMatchObject([
      {
        kind: "microcompact",
        index: 3,
        tokensSaved: 5,
        compactedToolIds: ["t1"],
        clearedAttachmentUuids: [],
      },
      {
        kind: "collapse-commit",
        index: 4,
        ...commit,
        firstArchivedUuid: "uuid-1",
        lastArchivedUuid: "uuid-3",
      },
      { kind: "collapse-snapshot", index: 4, spans: [{ start: 1 }], armed: true, lastSpawnTokens: 7 },
      { kind: "compact", index: 4, trigger: "auto", preTokens: 150_000, postTokens: 900, uuid: "uuid-8" },
    ]);
    expect(counts).toMatchObject({
      compactBoundaries: 1,
      microcompactBoundaries: 1,
      collapseCommits: 1,
      collapseSnapshots: 1,
    });
  });

  it("requests are the answered ones, with the usage of the last row", async () => {
    const rows = new ClaudeRows();
    rows.user("go");
    rows.say("m1", "a");
    const usage = {
      input_tokens: 3,
      cache_creation_input_tokens: 20,
      cache_creation: { ephemeral_1h_input_tokens: 20 },
    };
    const block = { type: "text", text: "b" };
    const message = {
      id: "m1",
      model: "claude-opus-4-5",
      content: [block],
      usage: { ...usage, output_tokens: 44 },
    };
    rows.add("assistant", { message, requestId: "request-m1" });
    rows.add("assistant", { message: { id: "e", model: "<synthetic>", content: [block], usage } });
    rows.say("m4", "overloaded", { isApiErrorMessage: true });
    const { requests, models, items } = await read(rows);
    expect(requests).toEqual([
      {
        messageId: "m1",
        itemIndex: 1,
        at: items[1]?.at,
        model: "claude-opus-4-5",
        usage: {
          input: 3,
          cacheRead: 0,
          cacheWrite5m: 0,
          cacheWrite1h: 20,
          output: 44,
        },
      },
    ]);
    expect(models).toEqual(["claude-opus-4-5"]);
    expect(items.at(-1)?.isApiError).toBe(true);
  });

  it("attachments keep their place and what the model was shown, side branches included", async () => {
    const rows = new ClaudeRows();
    rows.add("attachment", {
      attachment: { type: "environment" },
      rendered: [{ content: "env" }],
      renderedRole: "system",
    });
    rows.user("go");
    const first = rows.call("m1", "t1");
    rows.add("attachment", { attachment: { type: "hook_success" } });
    rows.result("t1", { parentUuid: first });
    rows.say("m2", "ok");
    const { attachments } = await read(rows);
    expect(attachments).toEqual([
      { type: "environment", uuid: "uuid-1", index: 0, text: "env", role: "system" },
      { type: "hook_success", uuid: "uuid-4", index: 3 },
    ]);
  });

  it("the session's facts and the agent's own books are recognised", async () => {
    const rows = smallSession();
    rows.note("api-request-shape");
    rows.note("api-request-blob", { message: "x" });
    rows.note("api-request");
    rows.note("queue-operation");
    rows.user("later", { cwd: "/home/dev/app/sub", version: "2.1.326", gitBranch: "topic" });
    const conversation = await read(rows);
    expect(conversation).toMatchObject({
      dialect: "claude-code",
      sessionId: "session-1",
      cwd: "/home/dev/app",
      gitBranch: "topic",
      versions: ["2.1.325", "2.1.326"],
      turns: 3,
      messages: 8,
      counts: {
        rows: 16,
        apiRequests: 1,
        apiRequestParts: 2,
        unknownRows: 0,
        thinkingBlocks: 1,
        toolUses: 2,
      },
      problems: [],
    });
  });

  it("damage is counted and told, and the end stays before a torn line", async () => {
    const rows = smallSession();
    const lines = rows.rows.map((row) => JSON.stringify(row));
    const whole = `${["oops", ...lines, "[]"].join("\n")}\n`;
    const conversation = await readConversation(folder.writeBytes(`${whole}{"type":"user","mess`));
    expect(conversation.counts).toMatchObject({ brokenLines: 2, rows: 11 });
    expect(conversation.problems.map(({ kind }) => kind)).toEqual([
      "broken-line",
      "not-an-object",
      "torn-tail",
    ]);
    expect(conversation.end).toBe(Buffer.byteLength(whole));
    expect(shapes(conversation)).toEqual(shapes(await read(rows)));
  });

  it("a file that no known agent wrote is empty and says so", async () => {
    const conversation = await readConversation(folder.write([{ hello: 1 }, { type: "greeting" }]));
    expect(conversation).toMatchObject({
      dialect: undefined,
      items: [],
      counts: { rows: 2, unknownRows: 2 },
    });
    expect(conversation.problems.map(({ kind }) => kind)).toEqual(["unknown-dialect"]);
  });
});
