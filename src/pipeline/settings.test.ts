// The two sets of defaults: seed's constants, and names of tools by pattern.
import { describe, expect, it } from "vitest";
import { matchesTool, seedSettings, settingsFor, thriftySettings } from "./settings.ts";

describe("the settings of seed", () => {
  it("are the classic constants", () => {
    expect(seedSettings.budget).toMatchObject({ resultLimit: 50_000, messageLimit: 200_000, preview: 2_048 });
    expect(seedSettings.microcompact).toMatchObject({
      keepRecent: 5,
      idle: 60 * 60 * 1_000,
      serverTrigger: 180_000,
      serverClearAtLeast: 140_000,
      tools: ["Read", "Bash", "Grep", "Glob", "WebSearch", "WebFetch", "Edit", "Write"],
    });
  });

  it("are found by name", () => {
    expect(settingsFor("seed")).toBe(seedSettings);
    expect(settingsFor("thrifty")).toBe(thriftySettings);
  });
});

describe("a pattern of tool names", () => {
  it("takes * for any text and everything else literally", () => {
    expect(matchesTool(["mcp__*__get"], "mcp__github__get")).toBe(true);
    expect(matchesTool(["mcp__*__get"], "mcp__github__get_all")).toBe(false);
    expect(matchesTool(["Read"], "NotebookRead")).toBe(false);
    expect(matchesTool(["a.c", "x+"], "abc")).toBe(false);
    expect(matchesTool([], "Read")).toBe(false);
  });
});
