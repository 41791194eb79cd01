// When calls are observed, and which of them together.
import { describe, expect, it } from "vitest";
import type { EventOutline } from "../../store/index.ts";
import { decideSegments, type SegmentDecision } from "./turnSegments.ts";

const START = Date.parse("2026-11-16T09:00:00.000Z");

function event(id: string, seconds: number, more: Partial<EventOutline> = {}): EventOutline {
  return {
    id,
    kind: "tool",
    at: new Date(START + seconds * 1_000).toISOString(),
    session: "s",
    lane: "hooks",
    bytes: 1_000,
    project: "p",
    promptNumber: 1,
    ...more,
  };
}

const prompt = (id: string, seconds: number): EventOutline => event(id, seconds, { kind: "prompt" });
const stop = (id: string, seconds: number): EventOutline => event(id, seconds, { kind: "stop" });

function decide(id: string, events: readonly EventOutline[], seconds: number, arrived = 0): SegmentDecision {
  const found = events.find((one) => one.id === id);
  if (found === undefined) throw new Error("no such event");
  return decideSegments(found, events, { now: START + seconds * 1_000, arrived: START + arrived * 1_000 });
}

function told(decision: SegmentDecision): string[][] {
  if ("wait" in decision) throw new Error(`waits ${decision.wait}`);
  return decision.segments.map(({ calls, stop: end }) =>
    [...calls, ...(end ? [end] : [])].map(({ id }) => id),
  );
}

function read(decision: SegmentDecision): string[][] {
  if ("wait" in decision) throw new Error(`waits ${decision.wait}`);
  return decision.segments.map(({ events }) => events.map(({ id }) => id));
}

describe("what is read with calls", () => {
  const summary = event("s", 12, { kind: "post-compact" });
  const inside = event("i", 12.5, { agent: "sub" });
  const before = [prompt("o", 0), event("a", 1), stop("y", 2)];
  const events = [...before, prompt("p", 10), event("b", 11), summary, inside, event("c", 13), stop("z", 14)];

  it("is the end of the turn before, the prompt, and the agent's own summary in its place", () => {
    expect(read(decide("z", events, 20))).toEqual([["y", "p", "b", "s", "c", "z"]]);
    expect(decide("z", events, 20)).toMatchObject({ segments: [{ promptNumber: 1, reported: true }] });
  });

  it("is of a subagent its own, and nothing of the person", () => {
    expect(read(decide("i", events, 80))).toEqual([["i"]]);
  });
});

describe("calls are observed", () => {
  const turn = [prompt("p", 0), event("a", 1), event("b", 2)];

  it("together, when their turn has ended", () => {
    const events = [...turn, stop("z", 3)];
    expect(told(decide("z", events, 6))).toEqual([["a", "b", "z"]]);
    expect(told(decide("a", events, 6))).toEqual([["a", "b", "z"]]);
  });

  it("when nothing happened for a minute, and not before", () => {
    expect(decide("a", turn, 61.5)).toEqual({ wait: 500 });
    expect(told(decide("a", turn, 62))).toEqual([["a", "b"]]);
  });

  it("when the person spoke again, or the session ended, without an end of the turn", () => {
    expect(decide("a", [...turn, prompt("q", 5)], 6)).toMatchObject({ isLeft: true });
    expect(decide("a", [...turn, event("e", 5, { kind: "session-end" })], 6)).toMatchObject({ isLeft: true });
    expect(told(decide("a", [...turn, prompt("q", 5), event("c", 6)], 7))).toEqual([["a", "b"]]);
  });

  it("not while others may still be on their way in", () => {
    expect(decide("a", turn, 3_600, 3_598)).toEqual({ wait: 1_000 });
    expect(decide("z", [...turn, stop("z", 3)], 3_600, 3_599)).toEqual({ wait: 2_000 });
  });

  it("in parts of forty at most, with what came before to explain them", () => {
    const many = Array.from({ length: 95 }, (_, at) => event(`c${at}`, at));
    const decision = decide("z", [prompt("p", 0), ...many, stop("z", 100)], 103);
    expect(told(decision).map(({ length }) => length)).toEqual([40, 40, 16]);
    expect(read(decision)[1]?.slice(0, 32)).toEqual(["p", ...many.slice(10, 41).map(({ id }) => id)]);
    expect(told(decide("c50", [prompt("p", 0), ...many], 95))).toEqual([
      Array.from({ length: 40 }, (_, at) => `c${at + 50}`),
      ["c90", "c91", "c92", "c93", "c94"],
    ]);
  });

  it("fewer together, when they hold much, and one that holds more than all of them by itself", () => {
    const sizes = [1, 1, 1.5, 1, 0.5, 9, 0.1];
    const calls = sizes.map((megabytes, at) => event(`c${at}`, at, { bytes: megabytes * 1024 * 1024 }));
    const decision = decide("z", [prompt("p", 0), ...calls, stop("z", 10)], 20);
    expect(told(decision)).toEqual([["c0", "c1", "c2"], ["c3", "c4"], ["c5"], ["c6", "z"]]);
    // What explains them is the nearest that fits.
    expect(read(decision)[2]).toEqual(["p", "c4", "c5"]);
    expect(read(decision)[3]).toEqual(["p", "c6", "z"]);
  });

  it("with the end that came while the hook of the last call was still starting", () => {
    const ended = event("z", 2, { kind: "subagent-stop", agent: "sub" });
    const events = [
      prompt("p", 0),
      event("a", 1, { agent: "sub" }),
      ended,
      event("b", 2.4, { agent: "sub" }),
    ];
    expect(told(decide("z", events, 6))).toEqual([["a", "b", "z"]]);
    expect(told(decide("b", events, 6))).toEqual([["b", "z"]]);
  });

  it("without an end that was long before, or before another end", () => {
    expect(told(decide("z", [...turn, stop("z", 3), event("c", 8)], 10))).toEqual([["a", "b", "z"]]);
    const again = [...turn, stop("z", 3), event("c", 4), stop("y", 5)];
    expect(told(decide("z", again, 10))).toEqual([["a", "b", "z"]]);
    expect(told(decide("y", again, 10))).toEqual([["c", "y"]]);
  });

  it("by their times, whatever the order they became known in", () => {
    const late = event("l", 1.5, { promptNumber: 0 });
    const events = [prompt("p", 0), event("a", 1), late, event("b", 2), stop("z", 3), prompt("q", 9)];
    expect(told(decide("z", events, 20))).toEqual([["a", "l", "b", "z"]]);
  });

  it("each agent's by itself, and each stop's", () => {
    const inside = event("i", 1.5, { agent: "sub" });
    const end = event("y", 1.8, { agent: "sub", kind: "subagent-stop" });
    const events = [prompt("p", 0), event("a", 1), inside, end, stop("z", 3), event("b", 4), stop("x", 5)];
    expect(told(decide("i", events, 6))).toEqual([["i", "y"]]);
    expect(told(decide("z", events, 6))).toEqual([["a", "z"]]);
    expect(told(decide("x", events, 6))).toEqual([["b", "x"]]);
  });
});
