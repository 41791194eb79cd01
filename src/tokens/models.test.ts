// Names, prices and the worked examples a person can check by hand.
import { describe, expect, it } from "vitest";
import { ThroughlineError } from "../lib/index.ts";
import type { Usage } from "../messages/index.ts";
import { cost, findModel, lookupModel, modelAliases, modelTable, priceFor } from "./models.ts";

const nothing: Usage = { input: 0, cacheRead: 0, cacheWrite5m: 0, cacheWrite1h: 0, output: 0 };

describe("model names", () => {
  it.each([
    ["claude-opus-4-5-20251101", "claude-opus-4-5"],
    ["claude-opus-4-6[1m]", "claude-opus-4-6"],
    ["us.anthropic.claude-sonnet-4-5-20250929-v1:0", "claude-sonnet-4-5"],
    ["anthropic/claude-opus-4.5", "claude-opus-4-5"],
    ["claude-haiku-4-5@20251001", "claude-haiku-4-5"],
    ["bedrock/eu.anthropic.claude-opus-5-5", "claude-opus-5-5"],
    ["claude-3-7-sonnet-latest", "claude-3-7-sonnet"],
    ["Claude-Fable-5-1", "claude-fable-5-1"],
    ["opus", "claude-opus-5-5"],
  ])("%s is %s", (name, id) => {
    expect(lookupModel(name).id).toBe(id);
  });

  it("does not take a longer version for a shorter one", () => {
    expect(lookupModel("claude-opus-4-20250514").id).toBe("claude-opus-4");
    expect(findModel("claude-opus-4-9")).toBeUndefined();
  });

  it("reads the suffix for the large window", () => {
    expect(lookupModel("claude-sonnet-4-5").window).toBe(200_000);
    expect(lookupModel("claude-sonnet-4-5[1m]").window).toBe(1_000_000);
  });

  it("an unknown name is an error with the nearest id and the setting that helps", () => {
    const failure = (): unknown => lookupModel("claude-opuss-4-6");
    expect(failure).toThrow(ThroughlineError);
    try {
      failure();
    } catch (error) {
      expect(error).toMatchObject({ code: "unknown-model" });
      expect((error as ThroughlineError).fix).toContain("claude-opus-4-6");
      expect((error as ThroughlineError).fix).toContain("models.claude-opuss-4-6.like");
    }
  });

  it("every alias leads into the table, and every id is found by itself", () => {
    for (const id of Object.values(modelAliases)) expect(findModel(id)?.id).toBe(id);
    for (const model of modelTable) expect(findModel(model.id)).toEqual(model);
  });
});

describe("overrides", () => {
  it("change single fields of a known model", () => {
    const model = lookupModel("claude-opus-4-6-20260101", { "claude-opus-4-6": { window: 300_000 } });
    expect(model.window).toBe(300_000);
    expect(model.maxOutput).toBe(128_000);
  });

  it("of a model hold for the short names that stand for it", () => {
    const overrides = { "claude-haiku-5-5": { window: 300_000 } };
    expect(lookupModel("haiku", overrides)).toMatchObject({ id: "claude-haiku-5-5", window: 300_000 });
  });

  it("make a new model like a known one", () => {
    const model = lookupModel("local-model", { "local-model": { like: "claude-haiku-4-5", window: 32_000 } });
    expect(model).toMatchObject({ id: "local-model", window: 32_000, tokenizer: "old" });
  });

  it("do not make an unknown model known without a model to be like", () => {
    expect(findModel("local-model", { "local-model": { window: 32_000 } })).toBeUndefined();
    const misspelt = { "local-model": { like: "claude-hiku-4-5" } };
    expect(findModel("local-model", misspelt)).toBeUndefined();
    expect(() => lookupModel("local-model", misspelt)).toThrow('"claude-hiku-4-5" is not in the model table');
  });
});

describe("thinking regimes", () => {
  it.each([
    ["claude-sonnet-4-5", "legacy"],
    ["claude-haiku-4-5", "legacy"],
    ["claude-opus-4-1", "legacy"],
    ["claude-opus-4-5", "keep-all-thinking"],
    ["claude-sonnet-4-6", "keep-all-thinking"],
    ["claude-fable-5", "keep-all-thinking"],
    ["claude-fable-5-1", "append-only"],
    ["claude-opus-5-5", "append-only"],
    ["claude-haiku-5-5", "append-only"],
  ])("%s: %s", (name, regime) => {
    expect(lookupModel(name).thinking).toBe(regime);
  });
});

describe("cost", () => {
  it("adds up input, reads, both kinds of writes and output", () => {
    const usage: Usage = {
      input: 1_000,
      cacheRead: 100_000,
      cacheWrite5m: 2_000,
      cacheWrite1h: 4_000,
      output: 500,
    };
    // 5 + 50 + 12.5 + 40 + 12.5 thousandths of a dollar
    expect(cost(usage, lookupModel("claude-opus-4-6"))).toBeCloseTo(0.12, 10);
  });

  it("reads are cheaper on newer models", () => {
    const read: Usage = { ...nothing, cacheRead: 1_000_000 };
    expect(cost(read, lookupModel("claude-opus-5"))).toBeCloseTo(0.5, 10);
    expect(cost(read, lookupModel("claude-opus-5-5"))).toBeCloseTo(0.2, 10);
    expect(cost(read, lookupModel("claude-fable-5-1"))).toBeCloseTo(0.25, 10);
  });

  it("a prompt above the step pays the higher price for all of it, output too", () => {
    const haiku = lookupModel("claude-haiku-5-5");
    expect(cost({ ...nothing, input: 100_000, output: 1_000 }, haiku)).toBeCloseTo(0.0105, 10);
    expect(cost({ ...nothing, input: 100_001, output: 1_000 }, haiku)).toBeCloseTo(0.0525005, 10);
  });

  it("cached tokens count towards the step", () => {
    const haiku = lookupModel("claude-haiku-5-5");
    expect(cost({ ...nothing, cacheRead: 150_000 }, haiku)).toBeCloseTo(0.0075, 10);
  });

  it("price steps ascend from zero, and a read is never dearer than input", () => {
    for (const model of modelTable) {
      const bounds = model.prices.map((price) => price.above);
      expect(bounds[0]).toBe(0);
      expect(bounds).toEqual([...bounds].sort((a, b) => a - b));
      for (const price of model.prices) expect(price.cacheRead).toBeLessThan(price.input);
      expect(priceFor(model, 0)).toBe(model.prices[0]);
    }
  });
});
