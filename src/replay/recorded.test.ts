// From a transcript to what replay needs: requests, sizes scaled to what the API reported, windows.
import { describe, expect, it } from "vitest";
import { ClaudeRows, temporaryFolder } from "../../test/fixtures/transcript/session.ts";
import { estimateText } from "../tokens/index.ts";
import { readConversation } from "../transcript/index.ts";
import { type RecordingOptions, recordSession } from "./recorded.ts";

const folder = temporaryFolder();

/** A response to a prompt of that many tokens. */
function answer(rows: ClaudeRows, id: string, tokens: number, fields = {}, model = "claude-opus-4-5"): void {
  rows.add("assistant", {
    requestId: `request-${id}`,
    message: {
      id,
      role: "assistant",
      model,
      content: [{ type: "text", text: `the answer ${id} in a few plain words` }],
      usage: {
        input_tokens: 3,
        cache_read_input_tokens: tokens - 103,
        cache_creation_input_tokens: 100,
        output_tokens: 1,
      },
    },
    ...fields,
  });
}

const record = async (rows: ClaudeRows, options?: RecordingOptions) =>
  recordSession("s", await readConversation(folder.write(rows.rows)), options);

describe("recordSession", () => {
  it("takes the requests with their exact totals and the time at which each was sent", async () => {
    const rows = new ClaudeRows();
    rows.user("one two three", { timestamp: "2026-03-01T10:00:00.000Z" });
    answer(rows, "m1", 20_000, { timestamp: "2026-03-01T10:00:30.000Z" });
    rows.user("four five six", { timestamp: "2026-03-01T10:20:00.000Z" });
    answer(rows, "m2", 20_040, { timestamp: "2026-03-01T10:20:10.000Z" });
    const session = await record(rows);
    const start = Date.parse("2026-03-01T10:00:00.000Z");
    expect(session.requests).toEqual([
      { end: 1, at: start, tokens: 20_000 },
      { end: 3, at: start + 20 * 60_000, tokens: 20_040 },
    ]);
    expect(session.model.id).toBe("claude-opus-4-5");
  });

  it("scales what was added between two requests to what the totals say it weighs", async () => {
    const rows = new ClaudeRows();
    rows.user("one two three");
    answer(rows, "m1", 20_000);
    rows.user("some more words that a person typed in");
    answer(rows, "m2", 20_025);
    const { history, weigh, fixed, requests } = await record(rows);
    const added = history.slice(1, 3).reduce((sum, item) => sum + weigh(item), 0);
    expect(added).toBeCloseTo(25, 6);
    const first = history.slice(0, 1).reduce((sum, item) => sum + weigh(item), fixed);
    expect(first).toBeCloseTo(requests[0]?.tokens ?? 0, 6);
  });

  it("keeps summaries out of the history and knows what a compaction put beside them", async () => {
    const rows = new ClaudeRows();
    rows.user("one two three");
    answer(rows, "m1", 20_000);
    rows.compact();
    answer(rows, "m2", 25_000);
    rows.user("go on");
    answer(rows, "m3", 25_030);
    const session = await record(rows);
    const [summary = ""] = session.summaries;
    expect(session.summaries).toHaveLength(1);
    expect(session.history.some(({ compactSummary }) => compactSummary)).toBe(false);
    expect(session.attached).toEqual([
      25_000 - session.fixed - estimateText(summary, session.model.tokenizer),
    ]);
  });

  it("never lets a clock that steps back make a request earlier than the one before", async () => {
    const rows = new ClaudeRows();
    rows.user("one", { timestamp: "2026-03-01T10:00:00.000Z" });
    answer(rows, "m1", 20_000);
    rows.user("two", { timestamp: "2026-03-01T09:00:00.000Z" });
    answer(rows, "m2", 20_020);
    const { requests } = await record(rows);
    expect(requests[1]?.at).toBe(requests[0]?.at);
  });

  it("takes the classic window unless the session outgrew it or another is asked for", async () => {
    const sized = async (tokens: number, options?: RecordingOptions): Promise<number> => {
      const rows = new ClaudeRows();
      rows.user("one");
      answer(rows, "m1", tokens, {}, "claude-opus-4-6");
      return (await record(rows, options)).window;
    };
    expect(await sized(150_000)).toBe(200_000);
    expect(await sized(250_000)).toBe(1_000_000);
    expect(await sized(150_000, { window: 90_000 })).toBe(90_000);
  });

  it("replays as another model when asked, and refuses an unknown one", async () => {
    const rows = new ClaudeRows();
    rows.user("one");
    answer(rows, "m1", 20_000);
    expect((await record(rows, { model: "haiku" })).model.id).toBe("claude-haiku-5-5");
    await expect(record(rows, { model: "gpt-2" })).rejects.toMatchObject({ code: "unknown-model" });
  });
});
