// Installing and uninstalling around the real CLI: what was there before is there afterwards, byte for byte.
import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { on, prompted, say, tool, use } from "../scripted-api/index.ts";
import { throughlineIn } from "./throughline.ts";
import { changedPaths, lostPaths, treeOf } from "./tree.ts";
import { hasClaude, openWorld, type World } from "./world.ts";

const settingsOfAUser = `{
    // what I like
    "model": "opus",
    "hooks": {
        "PostToolUse": [{ "matcher": "Bash", "hooks": [{ "type": "command", "command": "true" }] }]
    },
}
`.replace("    },\n}", "    }\n}");

/** Homes as people have them: before Claude Code ever ran, and with settings of their own. */
const homes: readonly [string, (home: string) => void][] = [
  ["an empty home", () => undefined],
  [
    "a home with settings and hooks of the user's own",
    (home) => {
      mkdirSync(path.join(home, ".claude"), { mode: 0o755 });
      writeFileSync(path.join(home, ".claude", "settings.json"), settingsOfAUser.replace(/ *\/\/.*\n/, ""));
      writeFileSync(path.join(home, ".bashrc"), "export A=1\n");
    },
  ],
  [
    "a home with settings on one line and no end of line",
    (home) => {
      mkdirSync(path.join(home, ".claude"));
      writeFileSync(path.join(home, ".claude", "settings.json"), '{"theme":"dark"}');
    },
  ],
];

const ours = /^\.(config|local\/share|local\/state)(\/throughline(\/|$)|$)|^\.local(\/(share|state))?$/;
const claudes = /^\.(claude\.json|claude(\/|$)|cache(\/|$)|npm(\/|$))|^\.local\/share\/claude(\/|$)/;

async function session(world: World): Promise<void> {
  world.api.play([on(prompted("begin"), use(tool("Bash", { command: "echo hello" })), say("done"))]);
  const run = await world.claude({ prompt: "begin" });
  expect([run.exitCode, run.answers, run.stderr]).toEqual([0, ["done"], ""]);
}

describe.skipIf(!hasClaude).each(homes)("in %s", (_, furnish) => {
  it("install and uninstall leave every byte as it was", async () => {
    const world = await openWorld();
    furnish(world.home);
    const before = treeOf(world.home);
    const throughline = throughlineIn(world);
    await throughline.must("install", "--yes");
    expect(treeOf(world.home)).not.toEqual(before);
    await throughline.must("uninstall", "--yes");
    expect(treeOf(world.home)).toEqual(before);
    expect(world.sandbox.processes()).toEqual([]);
  });

  it("after a session only Claude Code's own files and our data remain, and no process", async () => {
    const world = await openWorld();
    furnish(world.home);
    const before = treeOf(world.home);
    const throughline = throughlineIn(world);
    await throughline.must("install", "--yes");
    await session(world);
    await throughline.must("uninstall", "--yes");
    expect(world.sandbox.processes()).toEqual([]);
    const after = treeOf(world.home);
    expect(lostPaths(before, after)).toEqual([]);
    const changed = changedPaths(before, after);
    expect(changed.filter((name) => !ours.test(name) && !claudes.test(name))).toEqual([]);
    expect(changed).not.toContain(".claude/settings.json");
    // A session after that belongs to Claude Code alone.
    const quiet = Object.entries(after).filter(([name]) => ours.test(name));
    await session(world);
    expect(Object.entries(treeOf(world.home)).filter(([name]) => ours.test(name))).toEqual(quiet);
  });

  it("after a session and a purge nothing of ours remains", async () => {
    const world = await openWorld();
    furnish(world.home);
    const before = treeOf(world.home);
    const throughline = throughlineIn(world);
    await throughline.must("install", "--yes");
    await session(world);
    await throughline.must("uninstall", "--yes", "--purge-data");
    const changed = changedPaths(before, treeOf(world.home));
    expect(changed.filter((name) => !claudes.test(name))).toEqual([]);
    expect(world.sandbox.processes()).toEqual([]);
  });
});
