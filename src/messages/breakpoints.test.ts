// Breakpoints: few enough, where reads find them, and never where the API refuses them.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { anyHistory } from "../../test/arbitrary/history.ts";
import { call, result, resultBlock, say, thinking, user } from "../../test/fixtures/pipeline/client.ts";
import { placeBreakpoints } from "./breakpoints.ts";
import { blocksOf, check, isThinking, type Message } from "./index.ts";

interface Mark {
  readonly message: number;
  readonly control: unknown;
  /** Blocks up to and including it. */
  readonly position: number;
}

function marksIn(messages: readonly Message[]): Mark[] {
  let position = 0;
  return messages.flatMap((message, at) =>
    blocksOf(message).flatMap((block): Mark[] => {
      position++;
      return block.cache_control === undefined
        ? []
        : [{ message: at, control: block.cache_control, position }];
    }),
  );
}
const rounds = (count: number): Message[] => [
  user("go"),
  ...Array.from({ length: count }, (_, at) => [call(`t${at}`, "Bash"), result(`t${at}`, "ok")]).flat(),
];
const placesOf = (messages: readonly Message[]): number[] => marksIn(messages).map(({ message }) => message);

describe("breakpoints", () => {
  it("stand at the end of this request and of the last one", () => {
    const messages = rounds(4);
    expect(placesOf(placeBreakpoints(messages, { sent: 7 }))).toEqual([6, 8]);
    expect(marksIn(placeBreakpoints(messages, { sent: 7 }))[0]?.control).toEqual({ type: "ephemeral" });
    expect(placesOf(placeBreakpoints(messages))).toEqual([8]);
    expect(placesOf(placeBreakpoints(messages, { sent: 9 }))).toEqual([8]);
  });

  it("get one in between when more was added than a lookback spans", () => {
    const marks = marksIn(placeBreakpoints(rounds(30), { sent: 3 }));
    expect(marks).toHaveLength(3);
    const [last, between, end] = marks.map(({ position }) => position) as [number, number, number];
    expect(last).toBe(3);
    expect(end).toBe(61);
    expect(end - between).toBeGreaterThanOrEqual(15);
    expect(end - between).toBeLessThan(20);
  });

  it("leave room for those of system prompt and tools", () => {
    const messages = rounds(30);
    for (const reserved of [0, 1, 2, 3, 4, 5]) {
      const marks = marksIn(placeBreakpoints(messages, { sent: 3, reserved }));
      expect(marks.length).toBe(Math.min(3, Math.max(0, 4 - reserved)));
    }
  });

  it("with a single one, stand where the cached beginning is still found", () => {
    const far = marksIn(placeBreakpoints(rounds(30), { sent: 3, reserved: 3 }));
    expect(far.map(({ position }) => position)).toEqual([22]);
    const near = marksIn(placeBreakpoints(rounds(4), { sent: 7, reserved: 3 }));
    expect(near.map(({ position }) => position)).toEqual([9]);
  });

  it("carry the lifetime, and the longer one first where two are mixed", () => {
    const controls = (options: object): unknown[] =>
      marksIn(placeBreakpoints(rounds(4), { sent: 7, ...options })).map(({ control }) => control);
    const [short, long] = [{ type: "ephemeral" }, { type: "ephemeral", ttl: "1h" }];
    expect(controls({ ttl: "1h" })).toEqual([long, long]);
    expect(controls({ earlierTtl: "1h" })).toEqual([long, short]);
    expect(controls({ ttl: "1h", earlierTtl: "5m" })).toEqual([long, long]);
  });

  it("never stand on thinking, on empty text or on a system message", () => {
    const thought: Message = { role: "assistant", content: [{ type: "text", text: "a" }, thinking("s")] };
    const carrying = placeBreakpoints([user("go"), thought])
      .slice(1)
      .flatMap(blocksOf);
    expect(carrying.map((block) => "cache_control" in block)).toEqual([true, false]);
    const system: Message = { role: "system", content: "be brief" };
    expect(placesOf(placeBreakpoints([user("go"), system]))).toEqual([0]);
  });

  it("replace those that were there, inside results too", () => {
    const nested = resultBlock("t1", [{ type: "text", text: "x", cache_control: { type: "ephemeral" } }]);
    const messages = [
      user([{ type: "text", text: "go", cache_control: { type: "ephemeral" } }]),
      call("t1", "Bash"),
      user([nested]),
      say("ok"),
      user("next"),
    ];
    const placed = placeBreakpoints(messages);
    expect(JSON.stringify(placed).match(/cache_control/g)).toHaveLength(1);
    expect(placesOf(placed)).toEqual([4]);
    expect(JSON.stringify(messages).match(/cache_control/g)).toHaveLength(2);
  });

  it("are the same when placed again, at most four, and always accepted", () => {
    fc.assert(
      fc.property(anyHistory, fc.nat({ max: 4 }), fc.nat({ max: 40 }), (history, reserved, sent) => {
        const messages = history.map(({ message }) => message);
        const placed = placeBreakpoints(messages, { reserved, sent });
        expect(placeBreakpoints(placed, { reserved, sent })).toEqual(placed);
        expect(marksIn(placed).length + reserved).toBeLessThanOrEqual(Math.max(4, reserved));
        expect(check(placed, { allowPrefill: true })).toEqual(check(messages, { allowPrefill: true }));
        const onThinking = placed
          .flatMap(blocksOf)
          .filter((block) => isThinking(block) && block.cache_control);
        expect(onThinking).toEqual([]);
      }),
      { numRuns: 300 },
    );
  });
});
