// What the prompt cache still holds, and how the parts of a request are billed.
import { describe, expect, it } from "vitest";
import { MINUTES, roundModel } from "../../test/fixtures/replay/session.ts";
import type { HistoryItem } from "../messages/index.ts";
import { promptCache, type Ttl } from "./cache.ts";

const FIXED = 50;
const item = (text: string): HistoryItem => ({ id: text, message: { role: "user", content: text } });
const [a, b, c, edited] = [item("a"), item("b"), item("c"), item("edited")];

/** Sends items that weigh 100 each. */
function sender(ttl: Ttl = "5m", minCacheable = 0) {
  const cache = promptCache(ttl, { ...roundModel, minCacheable });
  return {
    cache,
    send: (items: readonly HistoryItem[], minute: number) =>
      cache.send(
        items,
        items.map(() => 100),
        FIXED,
        minute * MINUTES,
      ),
  };
}

const nothing = { input: 0, cacheRead: 0, cacheWrite5m: 0, cacheWrite1h: 0, output: 0 };

describe("the prompt cache", () => {
  it("is cold before the first request, which writes everything", () => {
    const { cache, send } = sender();
    expect(cache.isCold(0)).toBe(true);
    expect(send([a, b], 0)).toEqual({ ...nothing, cacheWrite5m: FIXED + 200 });
    expect(cache.isCold(0)).toBe(false);
  });

  it("reads what stands unchanged and writes the rest", () => {
    const { send } = sender();
    send([a, b], 0);
    expect(send([a, b, c], 1)).toEqual({ ...nothing, cacheRead: FIXED + 200, cacheWrite5m: 100 });
  });

  it("reads no further than the first change", () => {
    const { send } = sender();
    send([a, b, c], 0);
    expect(send([a, edited, c], 1)).toEqual({ ...nothing, cacheRead: FIXED + 100, cacheWrite5m: 200 });
  });

  it.each([
    ["5m", 5],
    ["1h", 60],
  ] as const)("lives for %s from the start of the last request", (ttl, minutes) => {
    const { cache, send } = sender(ttl);
    send([a], 0);
    expect(send([a], minutes).cacheRead).toBe(FIXED + 100);
    expect(cache.isCold(2 * minutes * MINUTES)).toBe(false);
    expect(cache.isCold(2 * minutes * MINUTES + 1)).toBe(true);
    expect(send([a], 2 * minutes + 1).cacheRead).toBe(0);
  });

  it("bills writes of an hour apart from those of five minutes", () => {
    expect(sender("1h").send([a], 0)).toEqual({ ...nothing, cacheWrite1h: FIXED + 100 });
  });

  it("does not keep a prompt that is too small", () => {
    const { cache, send } = sender("5m", 200);
    expect(send([a], 0)).toEqual({ ...nothing, input: FIXED + 100 });
    expect(cache.isCold(0)).toBe(true);
    expect(send([a, b], 0)).toEqual({ ...nothing, cacheWrite5m: FIXED + 200 });
  });
});
