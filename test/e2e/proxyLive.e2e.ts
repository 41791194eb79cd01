// The live window by the proxy: the real Claude Code, the official SDK and the Agent SDK under `throughline run`.
import { spawnSync } from "node:child_process";
import { once } from "node:events";
import { chmodSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { text } from "node:stream/consumers";
import { describe, expect, inject, it } from "vitest";
import { type Message, textOf } from "../../src/messages/index.ts";
import {
  type ApiRequest,
  anything,
  on,
  prompted,
  type Reply,
  say,
  tool,
  use,
} from "../scripted-api/index.ts";
import { until } from "../until.ts";
import { ensureAgentSdk } from "./agentSdk.ts";
import { type ClaudeRun, claudeEnvironment, startClaude, transcriptsIn } from "./drive.ts";
import { throughlineIn } from "./throughline.ts";
import { hasClaude, openWorld, type World } from "./world.ts";

const cliFile = path.resolve(import.meta.dirname, "../../dist/cli.js");
const claude = inject("claudeBinary");
/** A busy machine answers late: the deadline has tests of its own. */
const patient = { THROUGHLINE_LIVE_DEADLINE_MS: "10000" };

/** A program that is `throughline run claude`, for what starts `claude`. */
function wrapped({ home }: World): string {
  const file = path.join(home, "claude-through-proxy");
  writeFileSync(file, `#!/bin/sh\nexec ${process.execPath} ${cliFile} run ${claude} "$@"\n`);
  chmodSync(file, 0o755);
  return file;
}

function through(world: World, run: { prompt: string; args?: string[] }): Promise<ClaudeRun> {
  const { sandbox, home, work: cwd } = world;
  return startClaude({ binary: wrapped(world), sandbox, home, cwd, env: patient, timeout: 120_000, ...run })
    .ended;
}

/** Prints 200 lines of a log. */
const log = (at: number): Reply =>
  use(tool("Bash", { command: `for n in $(seq 1 200); do echo "log ${at} line $n: nothing to see"; done` }), {
    text: `Log ${at} is next.`,
  });

const resultsIn = (messages: readonly Message[]): string[] =>
  messages.flatMap(({ content }) =>
    typeof content === "string"
      ? []
      : content.filter(({ type }) => type === "tool_result").map((block) => textOf(block.content)),
  );

/** What an input carries in what is sent, whatever the limits of the other levels are. */
const TAG = /\[id:\w{6}\]/;
const tagged = (words: string): RegExp => new RegExp(`${words}\\\\n${TAG.source}`);
const sentIn = (request: ApiRequest | undefined): string => JSON.stringify(request?.messages ?? []);

const mainRequests = ({ api }: World): ApiRequest[] =>
  api.requests.filter(({ kind, agent }) => kind === "message" && agent === undefined);

/** Every request begins with the messages of the one before, as they were sent. */
function expectPrefixes(requests: readonly ApiRequest[]): void {
  const withoutMarks = (message: Message): string =>
    JSON.stringify({
      ...message,
      content:
        typeof message.content === "string" ? [{ type: "text", text: message.content }] : message.content,
    }).replaceAll(/,"cache_control":\{[^}]*\}/g, "");
  requests.forEach(({ messages }, at) => {
    const before = requests[at - 1]?.messages ?? [];
    expect(messages.slice(0, before.length).map(withoutMarks)).toEqual(before.map(withoutMarks));
  });
}

describe.skipIf(!hasClaude)("Claude Code under `throughline run`", () => {
  it("is edited in its requests and not in its transcript, and can be resumed", async () => {
    const world = await openWorld();
    await throughlineIn(world).must("worker", "start");
    world.api.play([on(anything, log(1), log(2), say("done"), log(3), say("done again"))]);
    const first = await through(world, { prompt: "go through the logs" });
    expect(first.answers).toEqual(["done"]);
    const [session = ""] = first.sessions;
    const second = await through(world, { prompt: "and the last one", args: ["--resume", session] });
    expect(second.answers).toEqual(["done again"]);
    const requests = mainRequests(world);
    expect(resultsIn(requests.at(-1)?.messages ?? [])).toHaveLength(3);
    expect(sentIn(requests[0])).toMatch(tagged("go through the logs"));
    expect(sentIn(requests.at(-1))).toMatch(tagged("and the last one"));
    const transcript = readFileSync(transcriptsIn(world.home).get(session) ?? "", "utf8");
    expect(transcript).toContain("log 3 line 150: nothing to see");
    expect(transcript).not.toContain("[id:");
    expectPrefixes(requests);
    expect(requests.flatMap(({ violations }) => violations)).toEqual([]);
  }, 240_000);

  it("goes on with the same prefix when the worker is killed", async () => {
    const world = await openWorld();
    const throughline = throughlineIn(world);
    await throughline.must("worker", "start");
    const killing = { before: () => void throughline.signalWorker("SIGKILL") };
    world.api.play([on(anything, log(1), log(2), { ...log(3), ...killing }, log(4), say("done"))]);
    const run = await through(world, { prompt: "go through the logs" });
    expect(run.answers).toEqual(["done"]);
    const requests = mainRequests(world);
    expect(sentIn(requests.at(-1))).toMatch(tagged("go through the logs"));
    expectPrefixes(requests);
  }, 240_000);

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

/** Someone who has used Claude Code before, and trusts the folder. */
function welcome({ home, work }: World, key: string): void {
  const known = {
    hasCompletedOnboarding: true,
    theme: "dark",
    customApiKeyResponses: { approved: [key.slice(-20)] },
    projects: { [work]: { hasTrustDialogAccepted: true, hasCompletedProjectOnboarding: true } },
  };
  writeFileSync(path.join(home, ".claude.json"), JSON.stringify(known));
}

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
