// The plugin's files say what the code says.
import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { bundles, hookTable, pluginHooks } from "../src/install/index.ts";
import { capturedHooks } from "../src/spool/index.ts";

const root = path.resolve(import.meta.dirname, "..");
const json = (name: string) => JSON.parse(readFileSync(path.join(root, name), "utf8"));

describe("the plugin", () => {
  it("has the version of the package", () => {
    expect(json("plugin/.claude-plugin/plugin.json").version).toBe(json("package.json").version);
  });

  it("has the hooks that `throughline install` writes, by its own paths", () => {
    expect(json("plugin/hooks/hooks.json")).toEqual(pluginHooks());
  });

  it("holds every program that its hooks run, once it is built", () => {
    const missing = bundles.filter((name) => !existsSync(path.join(root, "plugin", "hooks", `${name}.cjs`)));
    expect(missing).toEqual([]);
  });

  it("is what the marketplace offers", () => {
    const { name, plugins } = json(".claude-plugin/marketplace.json");
    expect(name).toBe("throughline");
    expect(plugins).toMatchObject([{ name: "throughline", source: "./plugin" }]);
  });
});

describe("the table of hooks", () => {
  it("has every event that is captured", () => {
    expect(hookTable.map(({ event }) => event)).toEqual(Object.keys(capturedHooks));
  });
});
