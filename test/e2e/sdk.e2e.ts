// The Agent SDK with our callback: the conversation is in a file before it is compacted, and nothing else changes.
import { once } from "node:events";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { text } from "node:stream/consumers";
import { beforeAll, describe, expect, inject, it } from "vitest";
import { readMarkdown } from "../../src/archive/index.ts";
import { compaction, on, prompted, say, summary, tool, use } from "../scripted-api/index.ts";
import { type AgentSdk, ensureAgentSdk } from "./agentSdk.ts";
import { claudeEnvironment } from "./drive.ts";
import { throughlineIn } from "./throughline.ts";
import { hasClaude, openWorld, type World } from "./world.ts";

const program = path.join(import.meta.dirname, "sdkAgent.mjs");
const throughlineSdk = path.resolve(import.meta.dirname, "../../dist/sdk.js");
let sdk: AgentSdk = { reason: "not looked for yet" };

beforeAll(async () => {
  if (hasClaude) sdk = await ensureAgentSdk();
  if (hasClaude && "reason" in sdk)
    console.warn(`\nthroughline: the Agent SDK is not tried: ${sdk.reason}\n`);
}, 400_000);

interface Outcome {
  readonly messages: readonly {
    readonly type: string;
    readonly subtype?: string;
    readonly result?: string;
  }[];
  readonly returned: readonly unknown[];
  readonly complaints: string;
}

const prompts = ["begin with the notes", "/compact", "go on"];

async function converse(world: World, archive: object | null, agentHooks?: object): Promise<Outcome> {
  world.api.play([
    on(
      prompted("begin"),
      use(tool("Write", { file_path: path.join(world.work, "notes.txt"), content: "a line\n" })),
      use(tool("Bash", { command: "cat notes.txt" })),
      say("The notes are **written**.\n\n**User**: I never said this"),
    ),
    on(compaction, summary("There were notes.")),
    on(prompted("go on"), say("went on")),
  ]);
  const env = { ...claudeEnvironment(world.home, world.sandbox.port), PATH: process.env.PATH ?? "" };
  const plan = {
    agentSdk: "module" in sdk ? sdk.module : "",
    throughlineSdk,
    cli: inject("claudeBinary"),
    cwd: world.work,
    env,
    archive,
    agentHooks,
    prompts,
  };
  const child = world.sandbox.spawn([process.execPath, program, JSON.stringify(plan)], {
    cwd: world.work,
    env,
    stdio: ["ignore", "pipe", "pipe"],
  });
  const [out, complaints] = await Promise.all([
    child.stdout ? text(child.stdout) : "",
    child.stderr ? text(child.stderr) : "",
    once(child, "exit"),
  ]);
  return { ...JSON.parse(out || "{}"), complaints };
}

/** What the caller sees and what the model is asked, without ids and times. */
function seenBy(world: World, { messages }: Outcome): unknown {
  const asked = world.api.requests.map(({ kind, prompt }) => ({ kind, prompt }));
  return { asked, said: messages.filter(({ type }) => type === "result").map(({ result }) => result) };
}

describe.skipIf(!hasClaude)("query() with archiveOnCompact", () => {
  it("leaves the whole conversation in a file, and answers nothing", async ({ skip }) => {
    if ("reason" in sdk) skip();
    const world = await openWorld();
    const dir = path.join(world.home, "archives");
    const outcome = await converse(world, { dir, group: "family", assistantName: "Andy" });
    expect(outcome).toMatchObject({ returned: [{}], complaints: "" });
    const folder = path.join(dir, "groups", "family", "conversations");
    const files = readdirSync(folder).filter((name) => name.endsWith(".md"));
    expect(files).toEqual([expect.stringMatching(/^\d{4}-\d\d-\d\d-begin-with-the-notes-[0-9a-f]{8}\.md$/)]);
    const { header, parts } = readMarkdown(readFileSync(path.join(folder, files[0] ?? ""), "utf8"));
    expect(header).toMatch(/^# begin with the notes\n\nArchived: \w{3} \d+, \d{4} at /);
    expect(parts.map(({ label }) => label)).toEqual([
      "User",
      "Tool call",
      "Tool result",
      "Tool call",
      "Tool result",
      "Andy",
    ]);
    expect(parts.at(0)?.text).toBe("begin with the notes");
    expect(parts.at(-1)?.text).toBe("The notes are **written**.\n\n**User**: I never said this");
  });

  it("changes nothing for the caller when the disk refuses", async ({ skip }) => {
    if ("reason" in sdk) skip();
    const [plain, failing] = [await openWorld(), await openWorld()];
    const without = await converse(plain, null);
    // A file where the folder should be: nothing below it can be written.
    const dir = path.join(failing.home, "no-folder");
    writeFileSync(dir, "");
    const outcome = await converse(failing, { dir });
    expect(outcome.returned).toEqual([{}]);
    expect(outcome.complaints).toMatch(/^archive: .*ENOTDIR|^archive: .*EEXIST/);
    expect(seenBy(failing, outcome)).toEqual(seenBy(plain, without));
  });
});

describe.skipIf(!hasClaude)("query() with agentHooks", () => {
  it("captures the session once, gives it context, and archives it before it is compacted", async ({
    skip,
  }) => {
    if ("reason" in sdk) skip();
    const world = await openWorld();
    const throughline = throughlineIn(world);
    // The worker of an installation answers and takes in; the agent itself loads no settings.
    await throughline.must("install", "--yes");
    const archive = path.join(world.home, "conversations");
    const outcome = await converse(world, null, {
      archive: { path: archive, content: "conversation" },
      env: { HOME: world.home },
    });
    expect(outcome.complaints).toBe("");
    const kept = await throughline.settle();
    expect(kept.sessions).toHaveLength(1);
    expect(kept.prompts.map(({ promptText }) => promptText)).toEqual(
      expect.arrayContaining(["begin with the notes", "go on"]),
    );
    const tools = kept.events.filter(({ kind }) => kind === "tool");
    expect(tools).toHaveLength(2);
    const kinds = new Set(kept.events.map(({ kind }) => kind));
    for (const kind of ["session-start", "stop", "pre-compact"]) expect(kinds).toContain(kind);
    expect(readdirSync(archive).filter((name) => name.endsWith(".md"))).toHaveLength(1);
  });
});
