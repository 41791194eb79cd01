// The setting `models` and the model table understand each other.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect, it } from "vitest";
import { loadConfig } from "../src/config/index.ts";
import { lookupModel, type ModelOverrides, modelTable } from "../src/tokens/index.ts";

it("takes every field of a model in the table, and a model of one's own", () => {
  const folder = mkdtempSync(path.join(tmpdir(), "throughline-models-"));
  try {
    const [first] = modelTable;
    const { id: _id, assumed: _assumed, ...fields } = lookupModel(first?.id ?? "");
    const given = { mine: { ...fields, like: "claude-opus-5-5" } };
    const { values } = loadConfig({
      home: { config: folder, data: folder, state: folder },
      cwd: folder,
      env: { THROUGHLINE_MODELS: JSON.stringify(given) },
    });
    const overrides: ModelOverrides = values.models;
    expect(overrides).toEqual(given);
    expect(lookupModel("mine", overrides)).toMatchObject({ id: "mine", ...fields });
    expect(lookupModel(values.model)).toBeDefined();
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
