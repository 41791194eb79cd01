// The same as a Claude Code plugin: the CLI finds nothing wrong with it, and it captures what the settings' hooks do.
import { once } from "node:events";
import path from "node:path";
import { text } from "node:stream/consumers";
import { describe, expect, inject, it } from "vitest";
import { on, prompted, say, tool, use } from "../scripted-api/index.ts";
import { claudeEnvironment } from "./drive.ts";
import { throughlineIn } from "./throughline.ts";
import { hasClaude, openWorld, type World } from "./world.ts";

const root = path.resolve(import.meta.dirname, "../..");
const plugin = path.join(root, "plugin");

/** A command of the CLI that is no session. */
async function claudeCommand(
  world: World,
  ...args: readonly string[]
): Promise<{ code: number; out: string }> {
  const child = world.sandbox.spawn([inject("claudeBinary"), ...args], {
    cwd: world.work,
    env: claudeEnvironment(world.home, world.sandbox.port),
    stdio: ["ignore", "pipe", "inherit"],
  });
  const [out, [code]] = await Promise.all([child.stdout ? text(child.stdout) : "", once(child, "exit")]);
  return { code, out };
}

const wholeSession = ["session-start", "prompt", "tool", "stop", "session-end"].sort();

describe.skipIf(!hasClaude)("the plugin", () => {
  it.each([
    ["plugin", plugin],
    ["marketplace", root],
    ["mod", path.join(plugin, "mods")],
  ])("validates without a warning (%s)", async (_, folder) => {
    const { code, out } = await claudeCommand(await openWorld(), "plugin", "validate", folder);
    expect(out).toMatch(/passed/i);
    expect(out).not.toMatch(/warning|error/i);
    expect(code).toBe(0);
  });

  it("has a mod whose own tests pass in the engine", async () => {
    const { code, out } = await claudeCommand(await openWorld(), "plugin", "test", path.join(plugin, "mods"));
    expect(out).toMatch(/^ [1-9]\d* pass$/m);
    expect(out).toMatch(/^ 0 fail$/m);
    expect(code).toBe(0);
  });

  it("captures a session when Claude Code installs it from the marketplace", async () => {
    const world = await openWorld();
    for (const args of [
      ["plugin", "marketplace", "add", root],
      ["plugin", "install", "throughline@throughline"],
    ])
      expect(await claudeCommand(world, ...args)).toMatchObject({ code: 0 });
    world.api.play([on(prompted("begin"), use(tool("Bash", { command: "echo hello" })), say("done"))]);
    const run = await world.claude({ prompt: "begin" });
    expect([run.exitCode, run.answers, run.stderr]).toEqual([0, ["done"], ""]);
    const kept = await throughlineIn(world).settle();
    expect(kept.events.map(({ kind }) => kind).sort()).toEqual(wholeSession);
  });

  it("beside installed hooks doubles nothing", async () => {
    const world = await openWorld();
    const throughline = throughlineIn(world);
    await throughline.must("install", "--yes");
    world.api.play([on(prompted("begin"), use(tool("Bash", { command: "echo hello" })), say("done"))]);
    const run = await world.claude({ prompt: "begin", args: ["--plugin-dir", plugin] });
    expect([run.exitCode, run.answers, run.stderr]).toEqual([0, ["done"], ""]);
    const kept = await throughline.settle();
    // Beginnings and ends have no id of their own and are told apart by the second: two hooks may see two seconds.
    const named = kept.events.map(({ kind }) => kind).filter((kind) => !/^session-/.test(kind));
    expect(named.sort()).toEqual(["prompt", "stop", "tool"]);
    expect(kept.prompts).toHaveLength(1);
    expect(kept.sessions).toHaveLength(1);
  });
});
