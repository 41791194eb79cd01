// Every setting has a fitting control, and the typed value is the one that is sent.
import { describe, expect, it } from "vitest";
import { settings } from "../../../../src/config/index.ts";
import { texts } from "../../texts/index.ts";
import { controlFor, fieldText, groupOf, parseField } from "./settingRow.tsx";

describe("the control of a setting", () => {
  it.each([
    ["true or false", { kind: "switch" }],
    ["auto | en | zh", { kind: "choice", choices: ["auto", "en", "zh"] }],
    [
      "CLAUDE.md | CLAUDE.local.md | off",
      { kind: "choice", choices: ["CLAUDE.md", "CLAUDE.local.md", "off"] },
    ],
    ["a whole number from 0 to 65535", { kind: "number", isWhole: true, least: 0, most: 65_535 }],
    ["a number from 0.01", { kind: "number", isWhole: false, least: 0.01 }],
    ["a list of text", { kind: "list" }],
    ["a list of text that is not empty", { kind: "list" }],
    ["text that is not empty", { kind: "text" }],
    ["an object", { kind: "json" }],
    ["something new", { kind: "json" }],
  ])("for %j", (allowed, control) => {
    expect(controlFor(allowed)).toEqual(control);
  });

  it("is a plain one for every setting but the table of models", () => {
    const odd = settings.filter(({ allowed }) => controlFor(allowed).kind === "json").map(({ key }) => key);
    expect(odd).toEqual(["models"]);
  });

  it("shows a default and reads the same value back", () => {
    for (const { allowed, defaultValue } of settings) {
      const control = controlFor(allowed);
      expect(parseField(fieldText(defaultValue, control), control)).toEqual(defaultValue);
    }
  });

  it("cannot read what is no value", () => {
    expect(parseField("12x", { kind: "number", isWhole: true })).toBeUndefined();
    expect(parseField("{", { kind: "json" })).toBeUndefined();
    expect(parseField(" a \n\n b", { kind: "list" })).toEqual(["a", "b"]);
  });
});

describe("the settings in words", () => {
  it("have a title for every group", () => {
    const groups = new Set(settings.map(({ key }) => groupOf(key)));
    for (const language of ["en", "zh"] as const) {
      expect([...groups].filter((group) => !(group in texts[language].settings.groups))).toEqual([]);
    }
  });
});
