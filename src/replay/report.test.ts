// Totals over sessions, and each policy against the baseline.
import { expect, it } from "vitest";
import { baselineName } from "./policies.ts";
import { totalsByPolicy } from "./report.ts";
import type { ReplayNumbers, ReplayResult } from "./run.ts";

const numbers = (dollars: number, retention: number): ReplayNumbers => ({
  promptTokens: 10,
  cacheRead: 6,
  cacheWritten: 4,
  dollars,
  fixedDollars: 1,
  responseDollars: 2,
  subagentDollars: 3,
  ownToolDollars: 0,
  recalls: 1,
  cuts: 2,
  looks: 1,
  compactions: 1,
  largestPrompt: 8,
  retention,
});

/** Never looked at it costs half a dollar less, always looked at half a dollar more. */
const result = (policy: string, session: string, dollars: number, retention = 1): ReplayResult => ({
  ...{ session, policy, model: "m", requests: 2 },
  ...numbers(dollars, retention),
  lookedAt: {
    never: numbers(policy === baselineName ? dollars : dollars - 0.5, retention),
    half: numbers(dollars, retention),
    always: numbers(policy === baselineName ? dollars : dollars + 0.5, retention),
  },
});

it("adds sessions up and compares what a policy decides about, without what all pay alike", () => {
  const [baseline, other] = totalsByPolicy([
    result(baselineName, "one", 3),
    result(baselineName, "two", 5),
    result("other", "one", 4, 0.5),
    result("other", "two", 3),
  ]);
  const sums = {
    promptTokens: 20,
    cacheRead: 12,
    cacheWritten: 8,
    dollars: 8,
    responseDollars: 4,
    subagentDollars: 6,
    ownToolDollars: 0,
    recalls: 2,
    cuts: 4,
    looks: 2,
    compactions: 2,
    retention: 1,
    ratio: 1,
    billRatio: 1,
    worstRatio: 1,
    worstSession: "one",
  };
  expect(baseline).toEqual({
    ...{ policy: baselineName, sessions: 2, requests: 4 },
    ...sums,
    lookedAt: { never: sums, half: sums, always: sums },
  });
  expect(other).toMatchObject({
    ratio: (3 + 2) / (2 + 4),
    billRatio: (7 + 10) / (8 + 10),
    worstRatio: 3 / 2,
    worstSession: "one",
    retention: 0.75,
  });
});

it("compares each rate of looks with the baseline, and is about half unless said otherwise", () => {
  const [, other] = totalsByPolicy([
    result(baselineName, "one", 3),
    result(baselineName, "two", 5),
    result("other", "one", 4),
    result("other", "two", 3),
  ]);
  expect(other?.lookedAt.never.ratio).toBe((2.5 + 1.5) / 6);
  expect(other?.lookedAt.half.ratio).toBe(other?.ratio);
  expect(other?.lookedAt.always.ratio).toBe((3.5 + 2.5) / 6);
});

it("counts what the policy's own tools cost in the whole bill alone", () => {
  const withTools = { ...result("other", "one", 3), ownToolDollars: 8 };
  const [, other] = totalsByPolicy([
    result(baselineName, "one", 3),
    {
      ...withTools,
      lookedAt: { ...withTools.lookedAt, half: { ...withTools.lookedAt.half, ownToolDollars: 8 } },
    },
  ]);
  expect(other).toMatchObject({ ratio: 1, billRatio: (8 + 8) / 8 });
});

it("compares nothing when the baseline was not run", () => {
  const [alone] = totalsByPolicy([result("other", "one", 4)]);
  expect(alone).not.toHaveProperty("ratio");
  expect(totalsByPolicy([])).toEqual([]);
});
