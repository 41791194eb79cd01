// What the worker can say about the time that hooks take.
import { expect, it } from "vitest";
import { watchHooks } from "./hookTimes.ts";

const took = (...all: number[]) => all.map((ms) => ({ took: ms }));

it("gives the middle and the slow end of the hooks that said how long they took", () => {
  const watch = watchHooks();
  expect(watch.times()).toBeUndefined();
  watch.note([{}, ...took(30), {}]);
  expect(watch.times()).toEqual({ count: 1, p50: 30, p95: 30 });
  watch.note(took(...Array.from({ length: 99 }, (_, at) => at + 31)));
  expect(watch.times()).toEqual({ count: 100, p50: 79, p95: 124 });
});

it("forgets the old ones, and what is no time", () => {
  const watch = watchHooks();
  watch.note(took(...Array.from({ length: 700 }, () => 900)));
  watch.note(took(...Array.from({ length: 500 }, () => 30), Number.NaN));
  expect(watch.times()).toEqual({ count: 500, p50: 30, p95: 30 });
});
