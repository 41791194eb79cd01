// Which rows make up the thread: branches, missing parents, circles and subagents.
import { describe, expect, it } from "vitest";
import { ClaudeRows, smallSession, temporaryFolder } from "../../test/fixtures/transcript/session.ts";
import { shapes } from "../../test/fixtures/transcript/shape.ts";
import { toolPairs } from "../messages/index.ts";
import { readConversation } from "./conversation.ts";
import type { Conversation } from "./model.ts";

const folder = temporaryFolder();

const read = (rows: ClaudeRows): Promise<Conversation> => readConversation(folder.write(rows.rows));

describe("the thread", () => {
  it("leaves a branch behind when a message is sent again from an older place", async () => {
    const rows = new ClaudeRows();
    rows.user("start");
    const answer = rows.say("m1", "hello");
    rows.user("wrong way");
    rows.call("m2", "t1");
    rows.result("t1");
    rows.user("right way", { parentUuid: answer });
    rows.say("m3", "ok");
    const conversation = await read(rows);
    expect(shapes(conversation)).toEqual([
      "user: start",
      "assistant: hello",
      "user: right way",
      "assistant: ok",
    ]);
    expect(conversation.counts).toMatchObject({ abandonedRows: 3, toolResults: 1, userRows: 4 });
    expect(conversation.turns).toBe(2);
  });

  it("goes on with the row before where a parent is missing from the file", async () => {
    const rows = smallSession();
    const full = shapes(await read(rows));
    for (const row of rows.rows) if (row.uuid === "uuid-7") row.parentUuid = "dropped";
    for (const row of rows.rows)
      if (row.subtype === "compact_boundary") row.logicalParentUuid = "dropped too";
    const conversation = await read(rows);
    expect(shapes(conversation)).toEqual(full);
    expect(conversation.counts.missingParents).toBe(2);
  });

  it("follows rows of kinds it does not know", async () => {
    const rows = new ClaudeRows();
    rows.user("go");
    rows.add("holiday-greeting", {});
    rows.say("m1", "ok");
    const conversation = await read(rows);
    expect(shapes(conversation)).toEqual(["user: go", "assistant: ok"]);
    expect(conversation.counts.unknownRows).toBe(1);
  });

  it("ends where the links lead in a circle", async () => {
    const rows = new ClaudeRows();
    rows.user("one", { parentUuid: "uuid-3" });
    rows.say("m1", "two");
    rows.user("three");
    rows.say("m2", "four", { parentUuid: "uuid-4" });
    expect(shapes(await read(rows))).toEqual([
      "user: one",
      "assistant: two",
      "user: three",
      "assistant: four",
    ]);
  });

  it("keeps the later of two answers that are both off the chain", async () => {
    const rows = new ClaudeRows();
    rows.user("go");
    const call = rows.call("m1", "t1");
    rows.user([{ type: "tool_result", tool_use_id: "t1", content: "old" }], { parentUuid: call });
    rows.user([{ type: "tool_result", tool_use_id: "t1", content: "new" }], { parentUuid: call });
    rows.say("m1", "and on", { parentUuid: call });
    const conversation = await read(rows);
    expect(toolPairs(conversation.items).map(({ result }) => result?.content)).toEqual(["new"]);
    expect(conversation.counts.abandonedRows).toBe(1);
  });

  it("reads a subagent's own file as its thread", async () => {
    const rows = new ClaudeRows();
    const side = { isSidechain: true, agentId: "abc" };
    rows.user("say done", side);
    rows.say("m1", "done", side);
    const conversation = await read(rows);
    expect(shapes(conversation)).toEqual(["user: say done", "assistant: done"]);
    expect(conversation.counts.sidechainRows).toBe(2);
    expect(conversation.sidechains).toEqual([]);
  });
});
