// Which words of a text are names, and whether they stand in what is cited.
import { describe, expect, it } from "vitest";
import { isSupported, namesIn } from "./citations.ts";

describe("names in a text", () => {
  it.each([
    ["The retry in src/queue/lease.ts waits 5,000 ms", ["src/queue/lease.ts", "5000"]],
    ["parseClock reads snake_case and Node.js", ["parseClock", "snake_case", "Node.js"]],
    ["Sessions move to Redis. They expire, e.g. at night and/or later", ["Redis"]],
    ["Run `npm test` in CI", ["npm test", "CI"]],
    ["登录页改用 redis 缓存，超时 30 秒", ["redis", "30"]],
    ["Nothing is named here: everything is ordinary", []],
  ])("%s", (text, names) => {
    expect(namesIn(text)).toEqual(names);
  });
});

describe("a text", () => {
  it.each([
    ["The test takes 12 s", "finished in 12 s", true],
    ["The test takes 12 s", "finished in 120 s", false],
    ["It waits 1,000 ms", "wait(1000)", true],
    ["The APIs answer", "the api answers", true],
    ["clock.ts is read", "Read /app/src/Clock.ts", true],
    ["clock.tsx is read", "Read /app/src/clock.ts", false],
  ])("“%s” by “%s”", (text, sources, isSo) => {
    expect(isSupported(text, sources)).toBe(isSo);
  });
});
