// A session whose requests are edited, by either carrier, against an API that enforces what the real one does.
import { chmodSync, writeFileSync } from "node:fs";
import path from "node:path";
import { expect, inject } from "vitest";
import { type Message, textOf } from "../../src/messages/index.ts";
import {
  type ApiRequest,
  type Reply,
  type Responder,
  type Scenario,
  type ScriptedApiOptions,
  tool,
  use,
} from "../scripted-api/index.ts";
import { type ClaudeOptions, type ClaudeRun, startClaude } from "./drive.ts";
import { modsScene, rules } from "./modsSession.ts";
import { type Throughline, throughlineIn } from "./throughline.ts";
import { openWorld, type World } from "./world.ts";

export const cliFile = path.resolve(import.meta.dirname, "../../dist/cli.js");

/** A busy machine answers late: the deadline has tests of its own. */
export const patient = { THROUGHLINE_LIVE_DEADLINE_MS: "10000" };

/** With the variable of the other tests Claude Code refuses requests that a mod has edited. */
const carrierEnv = { mod: { ...patient, CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "" }, proxy: patient };

export type Carrier = keyof typeof carrierEnv;
export const carriers: readonly Carrier[] = ["mod", "proxy"];

/** A program that is `throughline run claude`, for what starts `claude`. */
export function wrapped({ home }: World): string {
  const file = path.join(home, "claude-through-proxy");
  writeFileSync(file, `#!/bin/sh\nexec ${process.execPath} ${cliFile} run ${inject("claudeBinary")} "$@"\n`);
  chmodSync(file, 0o755);
  return file;
}

type Run = Pick<ClaudeOptions, "prompt" | "prompts" | "args" | "env" | "timeout">;

export interface LiveSession {
  readonly world: World;
  readonly throughline: Throughline;
  /** The client's program, and what its environment has besides. */
  readonly binary: string;
  readonly env: Readonly<Record<string, string>>;
  claude(run: Run): Promise<ClaudeRun>;
}

const enforced: ScriptedApiOptions = { enforce: { window: 200_000, bindsThinking: true } };

export async function liveSession(
  carrier: Carrier,
  scenario: Scenario | Responder = [],
  api: ScriptedApiOptions = enforced,
): Promise<LiveSession> {
  const { world, throughline } = carrier === "mod" ? await modsScene([], api) : await proxyScene(api);
  world.api.play(scenario);
  const binary = carrier === "mod" ? inject("claudeBinary") : wrapped(world);
  const env = carrierEnv[carrier];
  const { sandbox, home, work: cwd } = world;
  return {
    ...{ world, throughline, binary, env },
    claude: (run) =>
      startClaude({
        ...{ binary, sandbox, home, cwd, timeout: 120_000, ...run },
        env: { ...env, ...run.env },
      }).ended,
  };
}

async function proxyScene(api: ScriptedApiOptions): Promise<Pick<LiveSession, "world" | "throughline">> {
  const world = await openWorld(api);
  const throughline = throughlineIn(world);
  writeFileSync(path.join(world.work, "CLAUDE.md"), rules);
  await throughline.must("install", "--lane", "hooks", "--yes");
  await throughline.must("worker", "start");
  return { world, throughline };
}

/** Prints so many lines of a log. */
export const log = (at: number, count = 200): Reply =>
  use(
    tool("Bash", {
      command: `for n in $(seq 1 ${count}); do echo "log ${at} line $n: nothing to see"; done`,
    }),
    { text: `Log ${at} is next.` },
  );

export const resultsIn = (messages: readonly Message[]): string[] =>
  messages.flatMap(({ content }) =>
    typeof content === "string"
      ? []
      : content.filter(({ type }) => type === "tool_result").map((block) => textOf(block.content)),
  );

/** What an input carries in what is sent, whatever the limits of the other levels are. */
export const TAG = /\[id:(\w{6})\]/;
export const tagged = (words: string): RegExp => new RegExp(`${words}\\\\n${TAG.source}`);
export const sentIn = (request: ApiRequest | undefined): string => JSON.stringify(request?.messages ?? []);
export const tagIn = (request: ApiRequest | undefined, words: string): string =>
  tagged(words).exec(sentIn(request))?.[1] ?? "";

export const mainRequests = ({ api }: World): ApiRequest[] =>
  api.requests.filter(({ kind, agent }) => kind === "message" && agent === undefined);

/** A message as the cache goes by it: without breakpoints, and a lone text as a block. */
const withoutMarks = (message: Message): string =>
  JSON.stringify({
    ...message,
    content:
      typeof message.content === "string" ? [{ type: "text", text: message.content }] : message.content,
  }).replaceAll(/,"cache_control":\{[^}]*\}/g, "");

/** Every request begins with the messages of the one before, as they were sent. */
export function expectPrefixes(requests: readonly ApiRequest[]): void {
  requests.forEach(({ messages }, at) => {
    const before = requests[at - 1]?.messages ?? [];
    expect(messages.slice(0, before.length).map(withoutMarks)).toEqual(before.map(withoutMarks));
  });
}

/** Nothing that the real API would have refused. */
export function expectAccepted({ api }: World): void {
  expect(api.refusals.map(({ message }) => message)).toEqual([]);
  expect(api.requests.flatMap(({ violations }) => violations)).toEqual([]);
}
