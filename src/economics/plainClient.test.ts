// A client without edits: it pays for what is new, reads the rest from the cache, and has its conversation summarised when it is full.
import { expect, it } from "vitest";
import { lookupModel } from "../tokens/index.ts";
import { emptyWindow, type PlainRequest, plainRequest } from "./plainClient.ts";

const model = lookupModel("claude-opus-5-5");
const [price] = model.prices;
const { cacheRead = 0, cacheWrite5m = 0, output = 0 } = price ?? {};
const base: PlainRequest = {
  ...{ history: 0, fixed: 10_000, limit: 67_000, isCold: false, ttl: "5m", isRecall: false },
};
const dollars = (read: number, written: number, answered = 0): number =>
  (read * cacheRead + written * cacheWrite5m + answered * output) / 1e6;

it("writes everything with its first request, then what is new, and all of it again when the cache is cold", () => {
  const first = plainRequest(emptyWindow, { ...base, history: 2_000 }, model);
  expect(first.dollars).toBeCloseTo(dollars(0, 12_000), 9);
  const second = plainRequest(first.window, { ...base, history: 5_000 }, model);
  expect(second.dollars).toBeCloseTo(dollars(12_000, 3_000), 9);
  const cold = plainRequest(second.window, { ...base, history: 6_000, isCold: true }, model);
  expect(cold.dollars).toBeCloseTo(dollars(0, 16_000), 9);
});

it("has a full conversation summarised, and goes on from that", () => {
  const before = { history: 56_000, conversation: 56_000 };
  const full = plainRequest(before, { ...base, history: 60_000 }, model);
  expect(full.dollars).toBeCloseTo(dollars(66_000, 4_000, 2_000) + dollars(10_000, 14_000), 9);
  const next = plainRequest(full.window, { ...base, history: 61_000 }, model);
  expect(next.dollars).toBeCloseTo(dollars(24_000, 1_000), 9);
});

it("does not make the request that only brings back what an edit took out, nor sends what that brought", () => {
  const before = { history: 20_000, conversation: 20_000 };
  const recall = plainRequest(before, { ...base, history: 25_000, isRecall: true }, model);
  expect(recall.dollars).toBe(0);
  const next = plainRequest(recall.window, { ...base, history: 26_000 }, model);
  expect(next.dollars).toBeCloseTo(dollars(30_000, 1_000), 9);
});

it("goes back with a conversation that was rewound", () => {
  const before = { history: 50_000, conversation: 50_000 };
  const back = plainRequest(before, { ...base, history: 20_000 }, model);
  expect(back.window).toEqual({ history: 20_000, conversation: 20_000 });
  expect(back.dollars).toBeCloseTo(dollars(30_000, 0), 9);
});
