// The window: what the model still sees at the end, with and without kept messages.
import { describe, expect, it } from "vitest";
import {
  ClaudeRows,
  type Row,
  smallSession,
  temporaryFolder,
} from "../../test/fixtures/transcript/session.ts";
import { textOf } from "../messages/index.ts";
import { readConversation } from "./conversation.ts";
import { windowItems } from "./window.ts";

const folder = temporaryFolder();
const summary = "This session is being continued from a previous conversation.";

async function windowTexts(rows: ClaudeRows): Promise<string[]> {
  const conversation = await readConversation(folder.write(rows.rows));
  return windowItems(conversation).map(({ message }) => textOf(message.content) || "(blocks)");
}

/** Two turns, then a compaction that keeps the second one. */
function keeping(
  metadata: (uuids: { head: string; tail: string; summary: string; boundary: string }) => Row,
): ClaudeRows {
  const rows = new ClaudeRows();
  rows.user("old question");
  rows.say("m1", "old answer");
  const head = rows.user("kept question");
  rows.assistant("m2", { type: "thinking", thinking: "hm", signature: "c2ln" });
  rows.say("m2", "kept answer");
  const tail = rows.add("system", { subtype: "stop_hook_summary" });
  const next = rows.rows.length + 1;
  rows.compact(metadata({ head, tail, boundary: `uuid-${next}`, summary: `uuid-${next + 1}` }));
  return rows;
}

describe("windowItems", () => {
  it("is the whole thread without a compaction, less what no model was shown", async () => {
    const rows = new ClaudeRows();
    rows.user("a");
    rows.say("m1", "API Error", { isApiErrorMessage: true });
    rows.user("b");
    expect(await windowTexts(rows)).toEqual(["a", "b"]);
  });

  it("begins with the summary of the last compaction", async () => {
    const rows = smallSession();
    expect(await windowTexts(rows)).toEqual([summary, "now the logout", "Done too."]);
    rows.compact();
    expect(await windowTexts(rows)).toEqual([summary]);
  });

  it("shows kept messages behind the summary, named one by one", async () => {
    const rows = keeping(({ head, summary: anchorUuid }) => ({
      preservedMessages: { anchorUuid, uuids: [head], allUuids: [head, "uuid-5"] },
    }));
    rows.user("new question");
    expect(await windowTexts(rows)).toEqual([summary, "kept question", "kept answer", "new question"]);
  });

  it("shows kept messages behind the summary, named as a segment that ends in a row without text", async () => {
    const rows = keeping(({ head, tail, summary: anchorUuid }) => ({
      preservedSegment: { headUuid: head, tailUuid: tail, anchorUuid },
    }));
    rows.user("new question");
    expect(await windowTexts(rows)).toEqual([summary, "kept question", "kept answer", "new question"]);
  });

  it("shows kept messages before the summary when the boundary itself is their anchor", async () => {
    const rows = keeping(({ head, tail, boundary }) => ({
      preservedSegment: { headUuid: head, tailUuid: tail, anchorUuid: boundary },
    }));
    expect(await windowTexts(rows)).toEqual(["kept question", "kept answer", summary]);
  });

  it("finds the compaction when the next row follows a kept one", async () => {
    const rows = keeping(({ head, tail, summary: anchorUuid }) => ({
      preservedSegment: { headUuid: head, tailUuid: tail, anchorUuid },
    }));
    rows.user("new question", { parentUuid: "uuid-6" });
    const { items, boundaries, counts } = await readConversation(folder.write(rows.rows));
    expect(boundaries).toMatchObject([{ kind: "compact", index: 4, preserved: ["uuid-3", "uuid-4"] }]);
    expect(items.map(({ message }) => message.content).at(-2)).toBe(summary);
    expect(counts.abandonedRows).toBe(0);
    expect(await windowTexts(rows)).toEqual([summary, "kept question", "kept answer", "new question"]);
  });

  it("finds the compaction of a version that wrote no link across it", async () => {
    const rows = new ClaudeRows();
    rows.user("a");
    rows.compact({}, { logicalParentUuid: undefined });
    rows.user("b");
    const { items } = await readConversation(folder.write(rows.rows));
    expect(items.map(({ message }) => message.content)).toEqual(["a", summary, "b"]);
    expect(await windowTexts(rows)).toEqual([summary, "b"]);
  });

  it("takes a question sent again from before the compaction for a way back", async () => {
    const rows = smallSession();
    rows.user("make the login nicer", { parentUuid: "uuid-7" });
    const { boundaries } = await readConversation(folder.write(rows.rows));
    expect(boundaries).toEqual([]);
    expect((await windowTexts(rows)).slice(-2)).toEqual(["Done.", "make the login nicer"]);
  });
});
