// The live window by the proxy: the real Claude Code, the official SDK and the Agent SDK under `throughline run`.
import { spawnSync } from "node:child_process";
import { once } from "node:events";
import path from "node:path";
import { text } from "node:stream/consumers";
import { describe, expect, it } from "vitest";
import { anything, on, prompted, say, tool, use } from "../scripted-api/index.ts";
import { until } from "../until.ts";
import { ensureAgentSdk } from "./agentSdk.ts";
import { claudeEnvironment } from "./drive.ts";
import {
  cliFile,
  log,
  mainRequests,
  patient,
  resultsIn,
  sentIn,
  TAG,
  tagged,
  wrapped,
} from "./liveSession.ts";
import { welcome } from "./terminal.ts";
import { throughlineIn } from "./throughline.ts";
import { hasClaude, openWorld } from "./world.ts";

describe.skipIf(!hasClaude)("Claude Code under `throughline run`", () => {
  it("works in a terminal, and leaves it when it ends", async ({ skip }) => {
    if (spawnSync("tmux", ["-V"]).status !== 0) skip("tmux is not installed");
    const world = await openWorld();
    world.api.play([on(anything, say("Hello from the script."))]);
    const base = claudeEnvironment(world.home, world.sandbox.port);
    const env: Record<string, string> = { ...base, TERM: "xterm-256color" };
    welcome(world, base.ANTHROPIC_API_KEY ?? "");
    const tmux = async (...args: string[]): Promise<string> => {
      const child = world.sandbox.spawn(["tmux", "-S", path.join(world.home, "t"), ...args], {
        cwd: world.work,
        env,
        stdio: ["ignore", "pipe", "pipe"],
      });
      const [out] = await Promise.all([child.stdout ? text(child.stdout) : "", once(child, "exit")]);
      return out;
    };
    const shows = (words: string): Promise<boolean> =>
      until(async () => (await tmux("capture-pane", "-p")).includes(words), words, { everyMs: 300 });
    await tmux("new-session", "-d", "-x", "120", "-y", "40", "sh");
    await tmux("send-keys", `${wrapped(world)} --permission-mode default; echo left with $?`, "Enter");
    await shows("for shortcuts");
    await tmux("send-keys", "say hello");
    await shows("say hello");
    await tmux("send-keys", "Enter");
    await shows("Hello from the script.");
    await tmux("send-keys", "C-c");
    await tmux("send-keys", "C-c");
    await shows("left with 0");
    await tmux("kill-server");
    expect(mainRequests(world).length).toBeGreaterThan(0);
  }, 240_000);

  it("answers the Agent SDK", async ({ skip }) => {
    const sdk = await ensureAgentSdk();
    if ("reason" in sdk) return skip(sdk.reason);
    const world = await openWorld();
    await throughlineIn(world).must("worker", "start");
    world.api.play([on(anything, log(1), say("done"))]);
    const env = {
      ...claudeEnvironment(world.home, world.sandbox.port),
      ...patient,
      PATH: process.env.PATH ?? "",
    };
    const plan = {
      agentSdk: sdk.module,
      throughlineSdk: path.resolve(import.meta.dirname, "../../dist/sdk.js"),
      cli: wrapped(world),
      cwd: world.work,
      env,
      archive: null,
      prompts: ["go through the log"],
    };
    const program = path.join(import.meta.dirname, "sdkAgent.mjs");
    const child = world.sandbox.spawn([process.execPath, program, JSON.stringify(plan)], {
      cwd: world.work,
      env,
      stdio: ["ignore", "pipe", "inherit"],
    });
    const [out] = await Promise.all([child.stdout ? text(child.stdout) : "", once(child, "exit")]);
    expect(JSON.parse(out).messages.at(-1)).toMatchObject({ type: "result", result: "done" });
    expect(sentIn(mainRequests(world).at(-1))).toMatch(tagged("go through the log"));
  }, 240_000);
});

describe.skipIf(!hasClaude)("the official SDK under `throughline run`", () => {
  it("creates, streams and runs tools, with the conversation edited in its requests", async () => {
    const world = await openWorld();
    const throughline = throughlineIn(world, patient);
    await throughline.must("worker", "start");
    const calls = [use(tool("log", { at: 1 })), use(tool("log", { at: 2 }))];
    world.api.play([
      on(prompted("create one"), say("created")),
      on(prompted("stream one"), say("streamed")),
      on(prompted("by hand"), ...calls, say("looped")),
      on(anything, ...calls, say("ran tools")),
    ]);
    const env = {
      ...patient,
      ANTHROPIC_BASE_URL: `http://127.0.0.1:${world.sandbox.port}`,
      ANTHROPIC_API_KEY: "none",
    };
    const program = path.join(import.meta.dirname, "sdkClient.mjs");
    const child = world.sandbox.spawn([process.execPath, cliFile, "run", process.execPath, program], {
      cwd: world.work,
      env: { PATH: "/usr/bin:/bin", HOME: world.home, ...env },
      stdio: ["ignore", "pipe", "inherit"],
    });
    const [out] = await Promise.all([child.stdout ? text(child.stdout) : "", once(child, "exit")]);
    expect(JSON.parse(out)).toEqual({
      created: "created",
      streamed: "streamed",
      ran: "ran tools",
      looped: "looped",
    });
    const last = world.api.requests.at(-1);
    expect(resultsIn(last?.messages ?? [])).toHaveLength(2);
    expect(sentIn(last)).toMatch(TAG);
    // The tool runner has the API hold its conversation: its requests pass as they came.
    const threads = world.api.requests.filter(({ body }) => body.thread !== undefined);
    expect(threads.length).toBeGreaterThan(1);
    expect(threads.map(sentIn).join()).not.toMatch(TAG);
  }, 240_000);
});
