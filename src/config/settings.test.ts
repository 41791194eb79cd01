// The catalogue that the schema gives.
import { describe, expect, it } from "vitest";
import { environmentName, flagName, placeOf, settings } from "./settings.ts";

describe("settings", () => {
  it("have a one-line description, a default and words for what is allowed", () => {
    for (const { key, description, defaultValue, allowed } of settings) {
      expect(description, key).toMatch(/^[^\n]{10,}\.$/);
      expect(defaultValue, key).toBeDefined();
      expect(allowed, key).not.toBe("");
    }
  });

  it("have environment names of their own", () => {
    const names = settings.map(({ env }) => env);
    expect(new Set(names).size).toBe(names.length);
    for (const taken of ["THROUGHLINE_HOME", "THROUGHLINE_DEBUG", "THROUGHLINE_SUITE"]) {
      expect(names).not.toContain(taken);
    }
  });

  it("are named in the environment and on the command line after their key", () => {
    expect(environmentName("pipeline.toolResultLimit")).toBe("THROUGHLINE_PIPELINE_TOOL_RESULT_LIMIT");
    expect(flagName("pipeline.toolResultLimit")).toBe("--tool-result-limit");
    expect(flagName("model")).toBe("--model");
  });

  it("say what they allow", () => {
    const allowed = Object.fromEntries(settings.map((setting) => [setting.key, setting.allowed]));
    expect(allowed).toMatchObject({
      locale: "auto | en | zh",
      model: "text that is not empty",
      models: "an object",
      "vault.maxBytes": "a whole number from 0",
    });
  });
});

describe("placeOf", () => {
  it("lets a model's id hold dots", () => {
    expect(placeOf("models.gpt-4.1").path).toEqual(["models", "gpt-4.1"]);
    expect(placeOf("models.gpt-4.1.window").path).toEqual(["models", "gpt-4.1", "window"]);
    expect(placeOf("replay.ttl").path).toEqual(["replay", "ttl"]);
  });

  it.each([
    ["polcy", /did you mean policy\?/],
    ["vualt.maxBytes", /did you mean vault\.maxBytes\?/],
    ["retentionDays", /did you mean vault\.retentionDays\?/],
    ["vault", /vault is a group/],
    ["models.", /unknown setting/],
    ["policy.seed", /unknown setting policy\.seed/],
    ["constructor", /unknown setting constructor/],
    ["", /unknown setting/],
  ])("refuses %j", (key, message) => {
    expect(() => placeOf(key)).toThrow(message);
  });
});
