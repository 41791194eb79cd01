// A folder that the person excluded by hand, with no worker to hear of it: nothing of a real session in it is kept anywhere.
import { existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { runtimeFile } from "../../src/home/index.ts";
import { compaction, on, prompted, say, summary, tool, use } from "../scripted-api/index.ts";
import { throughlineIn } from "./throughline.ts";
import { filesHolding } from "./tree.ts";
import { hasClaude, openWorld, type World } from "./world.ts";

const canary = "canary-of-the-hidden-project";
const folderName = "hidden-project-folder";

/** A session with a prompt, a tool, a compaction and an answer that all hold the canary. */
async function hiddenSession(world: World, cwd: string): Promise<void> {
  world.api.play([
    on(
      prompted(`say ${canary}`),
      use(tool("Bash", { command: `echo ${canary}` })),
      say(`We decided: ${canary}`),
    ),
    on(compaction, summary(`They spoke of ${canary}.`)),
    on(prompted("and now"), say(`now ${canary}`)),
  ]);
  const run = await world.claude({ prompts: [`say ${canary}`, "/compact", "and now"], cwd });
  expect([run.exitCode, run.stderr]).toEqual([0, ""]);
}

describe.skipIf(!hasClaude)("a folder that is excluded by hand while no worker runs", () => {
  it.each([
    ["with the runtime file of before", () => undefined],
    ["with no runtime file", (file: string) => rmSync(file)],
  ])("leaves no trace, %s", async (_, spoil) => {
    const world = await openWorld();
    const throughline = throughlineIn(world);
    await throughline.must("install", "--yes");
    const { home } = throughline;
    const hidden = path.join(world.work, folderName);
    mkdirSync(hidden);
    mkdirSync(home.config, { recursive: true });
    const settings = path.join(home.config, "config.jsonc");
    writeFileSync(settings, `{\n  // by hand\n  "capture": { "exclude": ["${hidden}"], },\n}\n`);
    spoil(runtimeFile(home));
    const traces = (): string[] =>
      [home.data, home.state, hidden].flatMap((folder) => filesHolding(folder, [canary, folderName]));
    // The one place that has to know it: what hooks may go by.
    const outside = (): string[] => traces().filter((name) => !name.startsWith("runtime.json"));
    await hiddenSession(world, hidden);
    expect(outside()).toEqual([]);
    const projects = path.join(world.home, ".claude", "projects");
    await throughline.settle();
    await throughline.run("import", projects, "--quiet");
    await throughline.run("archive", "--all");
    const kept = await throughline.settle();
    expect([kept.events, kept.sessions, kept.prompts]).toEqual([[], [], []]);
    expect(outside()).toEqual([]);
    expect(readdirSync(hidden)).toEqual([]);
    // Not because nothing works: the same session elsewhere is kept.
    world.api.play([on(prompted("an open word"), say("heard"))]);
    await world.claude({ prompt: "an open word" });
    const open = await throughline.settle();
    expect(open.prompts.map(({ promptText }) => promptText)).toEqual(["an open word"]);
    expect(existsSync(runtimeFile(home))).toBe(true);
  });
});
