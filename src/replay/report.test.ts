// Totals over sessions, and each policy against the baseline.
import { expect, it } from "vitest";
import { baselineName } from "./policies.ts";
import { totalsByPolicy } from "./report.ts";
import type { ReplayResult } from "./run.ts";

const result = (policy: string, session: string, dollars: number, retention = 1): ReplayResult => ({
  session,
  policy,
  model: "m",
  requests: 2,
  promptTokens: 10,
  cacheRead: 6,
  cacheWritten: 4,
  dollars,
  fixedDollars: 1,
  recalls: 1,
  compactions: 1,
  largestPrompt: 8,
  retention,
});

it("adds sessions up and compares what a policy decides about, without what all pay alike", () => {
  const [baseline, other] = totalsByPolicy([
    result(baselineName, "one", 3),
    result(baselineName, "two", 5),
    result("other", "one", 4, 0.5),
    result("other", "two", 3),
  ]);
  expect(baseline).toEqual({
    policy: baselineName,
    sessions: 2,
    requests: 4,
    promptTokens: 20,
    cacheRead: 12,
    cacheWritten: 8,
    dollars: 8,
    recalls: 2,
    compactions: 2,
    retention: 1,
    ratio: 1,
    billRatio: 1,
    worstRatio: 1,
    worstSession: "one",
  });
  expect(other).toMatchObject({
    ratio: (3 + 2) / (2 + 4),
    billRatio: 7 / 8,
    worstRatio: 3 / 2,
    worstSession: "one",
    retention: 0.75,
  });
});

it("compares nothing when the baseline was not run", () => {
  const [alone] = totalsByPolicy([result("other", "one", 4)]);
  expect(alone).not.toHaveProperty("ratio");
  expect(totalsByPolicy([])).toEqual([]);
});
