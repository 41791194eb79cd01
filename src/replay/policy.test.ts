// The plain policies: valid windows on any session, and the order of what they cost.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { anyHistory } from "../../test/arbitrary/history.ts";
import { MINUTES, Recording } from "../../test/fixtures/replay/session.ts";
import { chosenSeed } from "../../test/seed.ts";
import { check, type History } from "../messages/index.ts";
import {
  baselineName,
  type Policy,
  policies,
  type RecordedSession,
  replay,
  totalsByPolicy,
} from "./index.ts";

/** The policy, telling what it sends. */
function watched(policy: Policy, onView: (view: History) => void): Policy {
  return {
    ...policy,
    start(...given) {
      const run = policy.start(...given);
      return {
        view(moment) {
          const view = run.view(moment);
          onView(view);
          return view;
        },
      };
    },
  };
}

/** A history as a session: a request before each of the assistant's messages, with gaps. */
function recorded(history: History, gaps: readonly number[], window: number): RecordedSession {
  let at = 0;
  const requests = history.flatMap(({ message }, end) => {
    if (message.role !== "assistant" || end === 0) return [];
    at += (gaps[end % gaps.length] ?? 0) * MINUTES;
    return [{ end, at, tokens: 0 }];
  });
  const blank = new Recording().session({ window, summaries: Array<string>(50).fill("summary") });
  return { ...blank, history, requests };
}

describe.each(policies.map((policy) => ({ name: policy.name, policy })))("$name", ({ policy }) => {
  it("sends a valid array with every request of any session", () => {
    fc.assert(
      fc.property(
        anyHistory,
        fc.array(fc.constantFrom(0, 1, 6, 61), { minLength: 1 }),
        fc.constantFrom(33_400, 1_000_000),
        (history, gaps, window) => {
          const session = recorded(history, gaps, window);
          const onView = (view: History): void =>
            expect(check(view.map(({ message }) => message))).toEqual([]);
          replay(session, watched(policy, onView), { ttl: "5m" });
        },
      ),
      { numRuns: 150, seed: chosenSeed() },
    );
  });
});

/** Forty reads of 2,000 characters; a pause of `gap` minutes in the middle. */
function longSession(gap: number): RecordedSession {
  const recording = new Recording().user("go");
  for (let n = 1; n <= 40; n++) {
    recording.tool("Read", { file_path: `/f${n}` }, "y".repeat(2_000)).wait(n === 20 ? gap : 0.2);
  }
  return recording.answer("done").session({ fixed: 5_000 });
}

function ratios(session: RecordedSession): Map<string, number | undefined> {
  const results = policies.map((policy) => replay(session, policy, { ttl: "5m" }));
  return new Map(totalsByPolicy(results).map(({ policy, ratio }) => [policy, ratio]));
}

describe("the order of costs", () => {
  it("on a session with a pause: clearing each turn is dearer than append-only, clearing when cold is cheaper", () => {
    const ratio = ratios(longSession(10));
    expect(ratio.get(baselineName)).toBe(1);
    expect(ratio.get("keep-5")).toBeGreaterThan(1.3);
    expect(ratio.get("cold-only")).toBeLessThan(0.85);
    expect(ratio.get("timer-60m")).toBe(1);
    expect(ratio.get("clear-100k")).toBe(1);
  });

  it("gives the timer its part only after an hour", () => {
    const ratio = ratios(longSession(61));
    expect(ratio.get("timer-60m")).toBe(ratio.get("cold-only"));
    expect(ratio.get("timer-60m")).toBeLessThan(1);
  });
});
