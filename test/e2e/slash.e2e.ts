// Slash commands that an installation adds, typed into the real CLI: answered without a request to the model.
import { existsSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { anything, on, say } from "../scripted-api/index.ts";
import { throughlineIn } from "./throughline.ts";
import { hasClaude, openWorld } from "./world.ts";

describe.skipIf(!hasClaude)("a slash command of ours", () => {
  it("is answered without the model, on both lanes, and others go to it", async () => {
    const world = await openWorld();
    const throughline = throughlineIn(world);
    world.api.play([on(anything, say("the model"))]);
    for (const lane of ["hooks", "mods"]) {
      await throughline.must("install", "--lane", lane, "--yes");
      await throughline.must("worker", "start");
      const said = await world.claude({ prompt: `/remember no deploys on Friday by ${lane}` });
      const shown = await world.claude({ prompt: "/throughline:status" });
      expect(JSON.stringify(said.events)).toContain(`saved no-deploys-on-friday-by-${lane}.md`);
      expect(JSON.stringify(shown.events)).toMatch(/worker +/);
      expect(world.api.requests).toEqual([]);
    }
    const { out } = await throughline.must("memory", "list");
    expect(out).toContain("no-deploys-on-friday-by-mods.md");
    const asked = await world.claude({ prompt: "/throughline:snip the first" });
    expect([asked.answers, world.api.requests.length]).toEqual([["the model"], 1]);
    const commands = path.join(world.home, ".claude", "commands");
    expect(existsSync(commands)).toBe(true);
    await throughline.must("uninstall", "--yes");
    expect(existsSync(commands)).toBe(false);
  }, 240_000);
});
