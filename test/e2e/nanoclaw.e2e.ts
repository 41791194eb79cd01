// examples/nanoclaw.ts on the real Agent SDK: groups with sessions of their own, resumed by a later process, archived before a compaction.
import { once } from "node:events";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { text } from "node:stream/consumers";
import { build } from "esbuild";
import { beforeAll, describe, expect, inject, it } from "vitest";
import { compaction, on, prompted, say, summary } from "../scripted-api/index.ts";
import { type AgentSdk, ensureAgentSdk } from "./agentSdk.ts";
import { claudeEnvironment } from "./drive.ts";
import { hasClaude, openWorld, type World } from "./world.ts";

const root = path.resolve(import.meta.dirname, "../..");
let sdk: AgentSdk = { reason: "not looked for yet" };

beforeAll(async () => {
  if (hasClaude) sdk = await ensureAgentSdk();
}, 400_000);

/** The example as one file, with its two imports resolved as an installation would. */
async function builtExample(world: World): Promise<string> {
  const outfile = path.join(world.home, "nanoclaw.mjs");
  const places = {
    "@anthropic-ai/claude-agent-sdk": "module" in sdk ? sdk.module : "",
    "throughline/sdk": path.join(root, "dist/sdk.js"),
  };
  await build({
    entryPoints: [path.join(root, "examples/nanoclaw.ts")],
    outfile,
    bundle: true,
    format: "esm",
    platform: "node",
    plugins: [
      {
        name: "installed",
        setup: ({ onResolve }) =>
          onResolve({ filter: /^(?:@anthropic-ai|throughline)\// }, ({ path: name }) => ({
            path: places[name as keyof typeof places],
            external: true,
          })),
      },
    ],
  });
  return outfile;
}

/** Runs the host over these lines, in a process of its own. */
async function host(world: World, file: string, groups: string, lines: readonly string[]) {
  const env = {
    ...claudeEnvironment(world.home, world.sandbox.port),
    PATH: process.env.PATH ?? "",
    GROUPS: groups,
    CLAUDE: inject("claudeBinary"),
  };
  const child = world.sandbox.spawn([process.execPath, file], {
    cwd: world.work,
    env,
    stdio: ["pipe", "pipe", "pipe"],
  });
  child.stdin?.end(`${lines.join("\n")}\n`);
  const [out, complaints] = await Promise.all([
    child.stdout ? text(child.stdout) : "",
    child.stderr ? text(child.stderr) : "",
    once(child, "exit"),
  ]);
  return { out, complaints };
}

describe.skipIf(!hasClaude)("a host with groups", () => {
  it("resumes each group's own session, stores its id, and archives a group before it is compacted", async ({
    skip,
  }) => {
    if ("reason" in sdk) skip();
    const world = await openWorld();
    const groups = path.join(world.work, "groups");
    const sessions = () => JSON.parse(readFileSync(path.join(groups, "sessions.json"), "utf8"));
    world.api.play([
      on(prompted("weekly report"), say("The report is **written**.")),
      on(prompted("recipe"), say("Boil the water.")),
      on(compaction, summary("There was a report.")),
      on(prompted("go on"), say("It goes on.")),
    ]);
    const file = await builtExample(world);
    const first = await host(world, file, groups, ["main: make a weekly report", "family: a recipe"]);
    expect(first).toEqual({
      out: "main: The report is **written**.\nfamily: Boil the water.\n",
      complaints: "",
    });
    const before = sessions();
    expect(Object.keys(before)).toEqual(["main", "family"]);
    expect(before.main).not.toBe(before.family);

    const second = await host(world, file, groups, ["main: /compact", "main: go on"]);
    expect(second.complaints).toBe("");
    expect(second.out).toContain("main: It goes on.");
    // The compaction has read what the first process said: its session was resumed, under the id that was stored.
    const asked = world.api.requests.find((request) => compaction(request));
    expect(JSON.stringify(asked?.messages)).toContain("The report is **written**.");
    expect(sessions()).toEqual({ ...before, main: expect.stringMatching(/^[0-9a-f-]{36}$/) });
    expect(sessions().family).toBe(before.family);
    const folder = path.join(groups, "main", "conversations");
    const archives = readdirSync(folder).filter((name) => name.endsWith(".md"));
    expect(archives).toEqual([expect.stringMatching(/^\d{4}-\d\d-\d\d-make-a-weekly-report\.md$/)]);
    const archived = readFileSync(path.join(folder, archives[0] ?? ""), "utf8");
    expect(archived).toMatch(/^# make a weekly report\n\nArchived: \w{3} \d+, \d{4} at /);
    expect(archived).toContain("**User**: make a weekly report");
    expect(archived).toContain("**Andy**: The report is **written**.");
    expect(existsSync(path.join(groups, "family", "conversations"))).toBe(false);
  });
});
