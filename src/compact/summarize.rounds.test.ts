// Rounds: where a conversation may be cut, and how much goes.
import { describe, expect, it } from "vitest";
import { assistant, call, conversation, result, user } from "../../test/fixtures/compact/conversation.ts";
import type { History } from "../messages/index.ts";
import { roundStarts, startWithout } from "./summarize.ts";

const one = (items: History): number => items.length;

describe("rounds", () => {
  it("begin with each answer; what stands before the first is one of its own", () => {
    expect(roundStarts(conversation(3))).toEqual([0, 1, 3, 5, 7]);
    expect(roundStarts([])).toEqual([]);
  });

  it("keep answers in several messages, results in several messages and late results together", () => {
    const history = [
      user("u", "go"),
      assistant("a1", [call("t1")]),
      assistant("a2", [call("t2")]),
      user("r1", [result("t1", "x")]),
      user("r2", [result("t2", "y")]),
      assistant("a3", [call("t3")]),
      user("note", "wait"),
      assistant("a4", "while it runs"),
      user("r3", [result("t3", "z")]),
      assistant("a5", "done"),
    ];
    expect(roundStarts(history)).toEqual([0, 1, 5, 9]);
  });
});

describe("what goes", () => {
  const history = conversation(9); // 20 items in 11 rounds: 1, nine times 2, 1

  it.each([
    [1, 1],
    [2, 3],
    [3, 3],
    [6, 7],
    [19, 19],
    [500, 19],
  ])("for a gap of %i begins at %i", (gap, start) => {
    expect(startWithout(history, gap, one)).toBe(start);
  });

  it("is a fifth of the rounds where no gap is known, and at least one", () => {
    expect(startWithout(history, undefined, one)).toBe(3);
    expect(startWithout(history, 0, one)).toBe(3);
    expect(startWithout(conversation(1), undefined, one)).toBe(1);
  });

  it("is nothing where there is one round", () => {
    expect(startWithout([user("u", "x")], 5, one)).toBeUndefined();
    expect(startWithout([], 5, one)).toBeUndefined();
  });
});
