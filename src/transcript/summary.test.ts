// Summaries: the numbers of a whole read, without the contents.
import { describe, expect, it } from "vitest";
import { smallSession, temporaryFolder } from "../../test/fixtures/transcript/session.ts";
import { readConversation, summarizeTranscript } from "./conversation.ts";

const folder = temporaryFolder();

describe("summarizeTranscript", () => {
  it("says what a whole read says", async () => {
    const file = folder.write(smallSession().rows);
    const { tokens, ...summary } = await summarizeTranscript(file);
    expect(await readConversation(file)).toMatchObject(summary);
    expect(tokens).toBe(0);
    expect(summary).toMatchObject({
      turns: 2,
      messages: 7,
      pairs: { matched: 2, unanswered: 0, orphan: 0 },
      firstAt: Date.parse("2026-03-01T10:00:01.000Z"),
      lastAt: Date.parse("2026-03-01T10:00:11.000Z"),
    });
  });

  it("counts calls without a result and results without a call", async () => {
    const rows = smallSession();
    rows.call("m4", "open");
    rows.result("lost");
    const { pairs } = await summarizeTranscript(folder.write(rows.rows));
    expect(pairs).toEqual({ matched: 2, unanswered: 1, orphan: 1 });
  });

  it("measures the main thread and nothing else", async () => {
    const rows = smallSession();
    rows.user("aside", { isSidechain: true, parentUuid: null });
    rows.user("again", { parentUuid: "uuid-7" });
    const { tokens } = await summarizeTranscript(folder.write(rows.rows), { measure: () => 1 });
    // Seven rows up to the compaction, which the last row goes back behind, and that row itself.
    expect(tokens).toBe(8);
  });

  it("keeps no contents of a collapse", async () => {
    const rows = smallSession();
    rows.note("marble-origami-commit", { collapseId: "c", summaryContent: "long text" });
    rows.note("marble-origami-snapshot", { spans: [{ text: "long" }], armed: true });
    const { boundaries } = await summarizeTranscript(folder.write(rows.rows));
    expect(JSON.stringify(boundaries)).not.toContain("long");
    expect(boundaries.map(({ kind }) => kind)).toEqual(["compact", "collapse-commit", "collapse-snapshot"]);
  });
});
