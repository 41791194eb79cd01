// The same as a Claude Code plugin: the CLI finds nothing wrong with it, and it captures what the settings' hooks do.
import { once } from "node:events";
import { existsSync } from "node:fs";
import path from "node:path";
import { text } from "node:stream/consumers";
import { describe, expect, inject, it } from "vitest";
import { workerStateFile } from "../../src/home/index.ts";
import { isObject } from "../../src/lib/index.ts";
import { on, prompted, say, tool, use } from "../scripted-api/index.ts";
import { until } from "../until.ts";
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

async function installPlugin(world: World): Promise<void> {
  for (const args of [
    ["plugin", "marketplace", "add", root],
    ["plugin", "install", "throughline@throughline"],
  ])
    expect(await claudeCommand(world, ...args)).toMatchObject({ code: 0 });
}

/** The tools of the last request. */
function toolsOf(world: World): string[] {
  const tools = world.api.requests.at(-1)?.body.tools;
  return Array.isArray(tools) ? tools.flatMap((one) => (isObject(one) ? [String(one.name)] : [])) : [];
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

  it("works alone when Claude Code installs it from the marketplace: captures, starts a worker, has tools and commands", async () => {
    const world = await openWorld();
    const throughline = throughlineIn(world);
    await installPlugin(world);
    world.api.play([on(prompted("begin"), use(tool("Bash", { command: "echo hello" })), say("done"))]);
    // Without our Node on the PATH.
    const run = await world.claude({ prompt: "begin", env: { PATH: "/bin" } });
    expect([run.exitCode, run.answers, run.stderr]).toEqual([0, ["done"], ""]);
    expect(toolsOf(world)).toContain("mcp__plugin_throughline_throughline__search");
    await until(
      () => existsSync(workerStateFile(throughline.home)),
      "the worker that the session has started",
    );
    const asked = world.api.requests.length;
    const status = await world.claude({ prompt: "/throughline:remember deploys need two reviews" });
    expect(JSON.stringify(status.events)).toContain("saved deploys-need-two-reviews.md");
    expect(world.api.requests).toHaveLength(asked);
    const kept = await throughline.settle();
    const [first] = kept.sessions;
    const kinds = kept.events.filter(({ session }) => session === run.sessions[0]).map(({ kind }) => kind);
    expect([first === undefined, kinds.sort()]).toEqual([false, wholeSession]);
    expect((await throughline.run("doctor")).out).toContain("no problems found");
  }, 120_000);

  it("steps aside for an installation, which says that it does", async () => {
    const world = await openWorld();
    const throughline = throughlineIn(world);
    await installPlugin(world);
    const { out } = await throughline.must("install", "--yes");
    expect(out).toContain("the plugin is enabled too");
    world.api.play([on(prompted("begin"), say("done"))]);
    const run = await world.claude({ prompt: "begin" });
    expect([run.exitCode, run.answers, run.stderr]).toEqual([0, ["done"], ""]);
    expect(toolsOf(world).filter((name) => name.endsWith("__search"))).toEqual(["mcp__throughline__search"]);
    const kept = await throughline.settle();
    expect(kept.events.map(({ kind }) => kind).sort()).toEqual([
      "prompt",
      "session-end",
      "session-start",
      "stop",
    ]);
  }, 120_000);

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
