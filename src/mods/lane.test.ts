// Who takes an event: the mod, or the command hooks.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type Home, resolveHome } from "../home/index.ts";
import { FIRST_VERSION_WITH_MODS, laneChoice, takesMods } from "./lane.ts";

describe("the mod takes events", () => {
  it.each([
    ["hooks", "9.9.9", false],
    ["mods", undefined, true],
    ["mods", "2.0.0", true],
    ["auto", undefined, false],
    ["auto", "2.1.9", false],
    ["auto", FIRST_VERSION_WITH_MODS, true],
    ["auto", "3.0.0", true],
  ] as const)("on the lane %s in Claude Code %s: %s", (choice, version, taken) => {
    expect(takesMods(choice, version)).toBe(taken);
  });
});

describe("the choice", () => {
  let folder: string;
  let home: Home;
  beforeEach(() => {
    folder = mkdtempSync(path.join(tmpdir(), "lane-"));
    home = resolveHome({ env: { THROUGHLINE_HOME: folder }, platform: "linux", homeFolder: folder });
    mkdirSync(home.config, { recursive: true });
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));
  const choose = (text: string): void => writeFileSync(path.join(home.config, "config.jsonc"), text);

  it("is hooks unless the user says otherwise, and follows the file within a second", () => {
    let now = 0;
    const choice = laneChoice(home, {}, () => now);
    expect(choice()).toBe("hooks");
    choose('{"lane": "mods"}');
    expect(choice()).toBe("hooks");
    now = 1_000;
    expect(choice()).toBe("mods");
    choose("{broken");
    now = 2_000;
    expect(choice()).toBe("hooks");
  });

  it("can be made by the environment", () => {
    expect(laneChoice(home, { THROUGHLINE_LANE: "auto" })()).toBe("auto");
  });
});
