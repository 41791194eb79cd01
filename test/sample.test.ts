// The sample session: believable, and with everything that the story needs. That the real CLI writes it is held end to end.
import path from "node:path";
import { describe, expect, it } from "vitest";
import { check, textOf, toolPairs } from "../src/messages/index.ts";
import { recordSession } from "../src/replay/index.ts";
import { readConversation } from "../src/transcript/index.ts";

const root = path.resolve(import.meta.dirname, "..");
const sample = path.join(root, "sample", "session.jsonl");
const conversation = await readConversation(sample);

describe("the sample session", () => {
  it("is a valid conversation without a problem", () => {
    expect(
      check(
        conversation.items.map(({ message }) => message),
        { allowPrefill: true },
      ),
    ).toEqual([]);
    expect(conversation.problems).toEqual([]);
    expect(conversation.pairs).toMatchObject({ unanswered: 0, orphan: 0 });
  });

  it("has what a real one has: a large result, thinking, and pauses that let the cache grow cold", () => {
    expect(conversation.requests.length).toBeGreaterThanOrEqual(30);
    expect(conversation.requests.length).toBeLessThanOrEqual(40);
    expect(conversation.counts.thinkingBlocks).toBeGreaterThan(3);
    const sizes = toolPairs(conversation.items).map(({ result }) => textOf(result?.content).length);
    expect(Math.max(...sizes)).toBeGreaterThan(20 * 1024);
    const minutes = conversation.items.map(({ at }) => (at ?? 0) / 60_000);
    const pauses = minutes.map((minute, index) => minute - (minutes[index - 1] ?? minute));
    expect(pauses.filter((pause) => pause > 5 && pause < 60)).toHaveLength(2);
    expect(pauses.filter((pause) => pause > 60)).toHaveLength(1);
  });

  it("reports usage that agrees with the sizes of its messages", () => {
    const { history, requests, fixed, weigh } = recordSession("sample", conversation);
    const [compacted] = conversation.boundaries;
    for (const { end, tokens } of requests.filter((request) => request.end <= (compacted?.index ?? 0))) {
      const weight = history.slice(0, end).reduce((sum, item) => sum + weigh(item), fixed);
      expect(Math.abs(weight / tokens - 1)).toBeLessThan(0.01);
    }
  });
});
