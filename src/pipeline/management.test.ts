// What the API does by itself: sizes that never rely on it, and levels that stand back for it.
import { describe, expect, it } from "vitest";
import { call, KEEP_ALL, result, say, seedClient, user } from "../../test/fixtures/pipeline/client.ts";
import { estimateTokens, lookupModel } from "../tokens/index.ts";
import { observeResponse } from "./prepare.ts";

const model = lookupModel(KEEP_ALL);
const text = (at: number) =>
  `line ${at} of the listing: const value${at} = compute(input${at});\n`.repeat(420);

/** Rounds until the conversation is far larger than the window; the API clears, and reports a small prompt every time. */
function grownWhileCleared(contextManagement?: (sent: number) => unknown) {
  const client = seedClient();
  let largest = 0;
  let compactions = 0;
  client.send(user("go through the listings"));
  for (let at = 0; at < model.window / 6_000; at++) {
    const { messages, receipt } = client.send(call(`t${at}`, "Read", { at }), result(`t${at}`, text(at)));
    const sent = estimateTokens(messages, { model });
    largest = Math.max(largest, sent);
    compactions += Number(receipt.compaction !== undefined);
    const usage = { input_tokens: Math.min(sent, 60_000), output_tokens: 10 };
    observeResponse({
      session: client.session,
      model: client.model,
      usage,
      ...(contextManagement && { contextManagement: contextManagement(sent - usage.input_tokens) }),
    });
  }
  return { largest, compactions };
}

describe("the size of a request that the API may clear", () => {
  it("is that of what is sent: one over the window is compacted, whatever the API counted before", () => {
    const { largest, compactions } = grownWhileCleared();
    expect(largest).toBeLessThan(model.window);
    expect(compactions).toBeGreaterThan(0);
  });

  it("is learned with what the API says it has cleared", () => {
    const { largest, compactions } = grownWhileCleared((cleared) => ({
      applied_edits: [{ type: "clear_tool_uses_20250919", cleared_input_tokens: cleared }],
    }));
    expect(largest).toBeLessThan(model.window);
    expect(compactions).toBeGreaterThan(0);
  });
});

describe("a request that asks the API to compact", () => {
  const many = Array.from({ length: 40 }, (_, at) => [
    call(`t${at}`, "Read", { at }),
    result(`t${at}`, text(at).repeat(at < 36 ? 1 : 0) || "ok"),
  ]).flat();
  const full = Math.floor(estimateTokens([user("go"), ...many], { model }) / 0.9);
  const models = { [KEEP_ALL]: { window: full } };

  it("is not compacted here, and the receipt says why", () => {
    for (const body of [
      { context_management: { edits: [{ type: "compact_20260112" }] } },
      { compaction: { type: "summarize" } },
    ]) {
      const client = seedClient();
      const session = { ...client.session, models };
      const { receipt } = client.request([user("go"), ...many], { session, body });
      expect(receipt.compaction).toBeUndefined();
      expect(receipt.levels).toContainEqual(
        expect.objectContaining({ level: "autocompact", waiting: expect.stringContaining("by itself") }),
      );
    }
    const client = seedClient();
    const asked = client.request([user("go"), ...many, say("ok"), user("on")], {
      session: { ...client.session, models },
    });
    expect(asked.receipt.compaction).toBeDefined();
  });
});
