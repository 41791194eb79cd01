// The API's usage object in its older and newer spellings.
import { describe, expect, it } from "vitest";
import { promptTokens, readUsage } from "./usage.ts";

describe("readUsage", () => {
  it("splits cache writes by their lifetime", () => {
    const usage = readUsage({
      input_tokens: 10,
      cache_creation_input_tokens: 300,
      cache_read_input_tokens: 5_000,
      cache_creation: { ephemeral_5m_input_tokens: 100, ephemeral_1h_input_tokens: 200 },
      output_tokens: 7,
    });
    expect(usage).toEqual({ input: 10, cacheRead: 5_000, cacheWrite5m: 100, cacheWrite1h: 200, output: 7 });
  });

  it("takes writes without a lifetime for five-minute ones", () => {
    const usage = readUsage({
      input_tokens: 1,
      cache_creation_input_tokens: 50,
      cache_read_input_tokens: null,
    });
    expect(usage).toEqual({ input: 1, cacheRead: 0, cacheWrite5m: 50, cacheWrite1h: 0, output: 0 });
    expect(usage && promptTokens(usage)).toBe(51);
  });

  it("is undefined for what is no usage", () => {
    expect(readUsage(undefined)).toBeUndefined();
    expect(readUsage({ output_tokens: 5 })).toBeUndefined();
  });
});
