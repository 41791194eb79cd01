// The two sets of defaults: seed's constants, and names of tools by pattern.
import { describe, expect, it } from "vitest";
import { defaultAttachmentLimits } from "../compact/index.ts";
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

  it.each([seedSettings, thriftySettings])(
    "hold compaction to its limits, as those of $policy do",
    (settings) => {
      expect(settings.autocompact).toMatchObject({
        enabled: true,
        outputReserve: 20_000,
        buffer: 13_000,
        perTurn: 2,
        failures: 3,
      });
      expect(settings.collapse.enabled).toBe(false);
    },
  );

  it("leave attachments all that files and skills may take", () => {
    const { fileTokens, skillTokens } = defaultAttachmentLimits;
    expect(seedSettings.autocompact.attachments).toBe(fileTokens + skillTokens);
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
