// Where the kept range begins: the seed's rule in all its outcomes.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { anyHistory } from "../../test/arbitrary/history.ts";
import { check, type HistoryItem, type Message } from "../messages/index.ts";
import { keepFrom, tailStart, withWholePairs } from "./index.ts";

const item = (id: string, message: Message): HistoryItem => ({ id, message });
const text = (id: string, role: "user" | "assistant" = "assistant"): HistoryItem =>
  item(id, { role, content: `text of ${id}` });
const call = (id: string, tool: string): HistoryItem =>
  item(id, { role: "assistant", content: [{ type: "tool_use", id: tool, name: "Read", input: {} }] });
const result = (id: string, tool: string): HistoryItem =>
  item(id, { role: "user", content: [{ type: "tool_result", tool_use_id: tool, content: "x" }] });
const weighing = (tokens: number) => (): number => tokens;
const many = (count: number): HistoryItem[] =>
  Array.from({ length: count }, (_, at) => text(`u${String(at + 1).padStart(3, "0")}`));

describe("keepFrom", () => {
  it("keeps u129 and all behind it when the notes reach u128 and that is enough", () => {
    const items = many(134);
    const kept = keepFrom({ items, lastSummarized: "u128", floor: 0, weigh: weighing(2_000) });
    expect(items[kept.start]?.id).toBe("u129");
    expect(kept).toMatchObject({ reason: "enough", adjusted: false });
  });

  it("goes back until both minima are met", () => {
    const items = many(100);
    expect(keepFrom({ items, lastSummarized: "u099", floor: 0, weigh: weighing(2_500) })).toMatchObject({
      start: 95,
      reason: "reached-minimum",
    });
    expect(keepFrom({ items, lastSummarized: "u099", floor: 0, weigh: weighing(1_000) })).toMatchObject({
      start: 90,
      reason: "reached-minimum",
    });
  });

  it("stops at the maximum first", () => {
    const items = many(100);
    expect(keepFrom({ items, lastSummarized: "u100", floor: 0, weigh: weighing(25_000) })).toMatchObject({
      start: 98,
      reason: "reached-maximum",
    });
  });

  it("never crosses the floor", () => {
    expect(
      keepFrom({ items: many(100), lastSummarized: "u099", floor: 97, weigh: weighing(100) }),
    ).toMatchObject({ start: 97, reason: "reached-floor" });
  });

  it("moves back for the call that a kept result answers", () => {
    const items = [text("a", "user"), call("b", "t1"), result("c", "t1"), text("d"), text("e", "user")];
    const kept = keepFrom({
      items,
      lastSummarized: "b",
      floor: 0,
      limits: { minTokens: 3, minTextMessages: 2, maxTokens: 9 },
      weigh: weighing(1),
    });
    expect(kept).toEqual({ start: 1, reason: "enough", adjusted: true });
  });

  it("counts only messages with text towards the five", () => {
    const items = [...many(6), call("x", "t1"), result("y", "t1")];
    expect(keepFrom({ items, lastSummarized: "u006", floor: 0, weigh: weighing(10_000) }).start).toBe(4);
  });

  it("starts from nothing when the notes' last message is not in the window", () => {
    expect(
      keepFrom({ items: many(10), lastSummarized: "elsewhere", floor: 0, weigh: weighing(5_000) }),
    ).toMatchObject({ start: 5, reason: "reached-minimum" });
  });
});

describe("a kept tail", () => {
  it("fits its budget and can follow a summary, for any conversation", () => {
    fc.assert(
      fc.property(anyHistory, fc.nat({ max: 30 }), (history, budget) => {
        const start = tailStart(history, budget, weighing(1));
        expect(history.length - start).toBeLessThanOrEqual(budget);
        const summary: Message = { role: "user", content: "summary" };
        expect(check([summary, ...history.slice(start).map(({ message }) => message)])).toEqual([]);
        expect(withWholePairs(history, start)).toBe(start);
      }),
      { numRuns: 500 },
    );
  });
});
