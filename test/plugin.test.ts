// The plugin's files say what the code says.
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { hookTable, pluginCommands, pluginHooks } from "../src/install/index.ts";
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

  it("has the slash commands that `throughline install` adds, by its own names", () => {
    const folder = path.join(root, "plugin", "commands");
    const there = readdirSync(folder).map((name) => [name, readFileSync(path.join(folder, name), "utf8")]);
    expect(new Map(there as [string, string][])).toEqual(
      new Map([...pluginCommands].sort(([one], [other]) => one.localeCompare(other))),
    );
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
