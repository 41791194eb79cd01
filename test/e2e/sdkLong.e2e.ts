// A long session on the Agent SDK from the packed tarball, with every hook of ours: killed and resumed twice, against an API
// that enforces its rules. THROUGHLINE_AGENT_TURNS=300 runs it at full length.
import { once } from "node:events";
import { cpSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { text } from "node:stream/consumers";
import { beforeAll, describe, expect, inject, it } from "vitest";
import { errorText } from "../../src/lib/index.ts";
import { blocksOf } from "../../src/messages/index.ts";
import { temporaryFolder } from "../fixtures/transcript/session.ts";
import { type ApiRequest, say, summary, tool } from "../scripted-api/index.ts";
import { longWork, promptOf, readPart } from "../sdk/longWork.ts";
import { projectWithPackage } from "../sdk/packed.ts";
import { until } from "../until.ts";
import { claudeEnvironment, transcriptsIn } from "./drive.ts";
import { throughlineIn } from "./throughline.ts";
import { hasClaude, openWorld, type World } from "./world.ts";

const TURNS = Number(process.env.THROUGHLINE_AGENT_TURNS ?? 4);
const WINDOW = 200_000;
const folder = temporaryFolder();
const project = path.join(folder.path, "agent");

let problem = "";

beforeAll(() => {
  if (!hasClaude) return;
  try {
    projectWithPackage(project, ["@anthropic-ai/claude-agent-sdk", "zod"]);
    cpSync(path.join(import.meta.dirname, "sdkLongAgent.mjs"), path.join(project, "agent.mjs"));
  } catch (error) {
    problem = errorText(error);
    console.warn(`\nthroughline: the Agent SDK is not tried from the tarball: ${problem}\n`);
  }
}, 400_000);

interface Run {
  readonly code: number | null;
  readonly complaints: string;
}

interface Way {
  readonly model: string;
  /** With every hook of ours and the worker; otherwise Claude Code alone. */
  readonly hooked: boolean;
  /** Claude Code is told the window, and compacts before it is full. Otherwise it waits with this model for a refusal. */
  readonly knowsWindow: boolean;
}

async function runAgent(world: World, from: number, { model, hooked, knowsWindow }: Way): Promise<Run> {
  const file = (name: string) => path.join(world.home, name);
  const resume = from > 1 ? readFileSync(file("session"), "utf8") : undefined;
  const env = {
    ...claudeEnvironment(world.home, world.sandbox.port),
    PATH: process.env.PATH ?? "",
    ...(knowsWindow && { CLAUDE_CODE_AUTO_COMPACT_WINDOW: String(WINDOW) }),
  };
  const plan = {
    ...{ cli: inject("claudeBinary"), cwd: world.work, env, resume, model },
    ...{ sessionFile: file("session"), log: file("answers") },
    ...(hooked && { archive: file("conversations") }),
    prompts: Array.from({ length: TURNS - from + 1 }, (_, at) => promptOf(from + at)),
  };
  const child = world.sandbox.spawn(
    [process.execPath, path.join(project, "agent.mjs"), JSON.stringify(plan)],
    { cwd: project, env, stdio: ["ignore", "ignore", "pipe"] },
  );
  const [complaints, [code]] = await Promise.all([
    child.stderr ? text(child.stderr) : "",
    once(child, "exit"),
  ]);
  return { code, complaints };
}

/** What was said, without breakpoints and without what the client adds to a message for itself. */
const said = ({ messages }: ApiRequest) =>
  messages.flatMap((message) =>
    blocksOf(message).map((block) =>
      JSON.stringify([message.role, block], (key, value) => (key === "cache_control" ? undefined : value)),
    ),
  );

/** Not one of the client's own, such as for a title. */
const isOfSession = ({ kind, prompt, body }: ApiRequest) =>
  kind === "message" && prompt.startsWith("[turn ") && Array.isArray(body.tools) && body.tools.length > 0;

/** Whether the transcript has the calls whose results a request brings. */
function isWritten(world: World, { results }: ApiRequest) {
  const written = [...transcriptsIn(world.home).values()].map((file) => readFileSync(file, "utf8"));
  return results.every(({ id }) => written.some((text) => text.includes(`"id":"${id}"`)));
}

interface LongRun {
  readonly world: World;
  readonly throughline: ReturnType<typeof throughlineIn>;
  /** The request that was under way at each kill. */
  readonly killedAt: readonly { readonly turn: number; readonly request: ApiRequest }[];
  readonly refused: readonly string[];
  readonly compactions: number;
}

/**
 * Turns after a compaction in which the agent is killed. Claude Code compacts anew when it is resumed before an answer has told
 * it the size of the compacted window, and of course when that is nearly full again.
 */
const KILLED_AFTER = { least: 2, most: 6 };

/** All prompts in one session, killed and resumed twice. */
async function runLong(way: Way): Promise<LongRun> {
  const kills = [Math.round(TURNS * 0.37), Math.round(TURNS * 0.73)];
  const killedAt: { readonly turn: number; readonly request: ApiRequest }[] = [];
  const world = await openWorld({ enforce: { window: WINDOW } });
  let [turnNow, compactedIn] = [0, Number.NaN];
  const isBetweenCompactions = () => {
    const passed = turnNow - compactedIn;
    return Number.isNaN(passed) || (passed >= KILLED_AFTER.least && passed <= KILLED_AFTER.most);
  };
  const parts = path.join(world.work, "parts");
  mkdirSync(parts);
  for (let at = 0; at < 300; at++)
    writeFileSync(path.join(parts, `${at}.txt`), readPart({ part: at, page: at % 5 }));
  const work = longWork({
    calls: 1,
    sentences: 300,
    call: (turn) => tool("Read", { file_path: path.join(parts, `${turn % 300}.txt`) }),
    async before(request, turn, step) {
      turnNow = turn;
      if (turn < (kills[0] ?? Number.POSITIVE_INFINITY) || step !== 1 || !isBetweenCompactions()) return;
      kills.shift();
      killedAt.push({ turn, request });
      // Claude Code writes its transcript behind its requests; what it has not written is not there when it is resumed.
      await until(() => isWritten(world, request), "the call in the transcript");
      // The agent, its CLI, hooks that run, and the worker.
      for (const pid of world.sandbox.processes()) process.kill(pid, "SIGKILL");
    },
  });
  world.api.play((request) => {
    if (request.kind === "compaction") {
      compactedIn = turnNow;
      return summary(`as of request ${request.index}`);
    }
    return isOfSession(request) ? work(request) : say("Parts of a service");
  });
  const throughline = throughlineIn(world);
  if (way.hooked) await throughline.must("install", "--yes");
  for (let from = 1; ; ) {
    const before = killedAt.length;
    const run = await runAgent(world, from, way);
    const killed = killedAt[before];
    if (!killed) {
      expect(run).toEqual({ code: 0, complaints: "" });
      break;
    }
    from = killed.turn + 1;
  }
  expect(killedAt).toHaveLength(2);
  const refused = world.api.refusals.map(({ message }) => message);
  const compactions = world.api.requests.filter(({ kind }) => kind === "compaction").length;
  console.log(
    `Agent SDK, ${way.model}, ${way.hooked ? "with hooks" : "plain"}: ${TURNS} turns,`,
    `${world.api.requests.length} requests, ${compactions} compactions, ${refused.length} refused`,
  );
  return { world, throughline, killedAt, refused, compactions };
}

describe.skipIf(!hasClaude)("query() with agentHooks, for long", () => {
  it(`answers ${TURNS} prompts, killed and resumed twice, and no request is refused`, {
    timeout: 3_600_000,
  }, async ({ skip }) => {
    if (problem !== "") skip();
    const { world, throughline, killedAt, refused, compactions } = await runLong({
      ...{ model: "claude-opus-4-6", hooked: true, knowsWindow: true },
    });
    expect(refused).toEqual([]);
    const answers = readFileSync(path.join(world.home, "answers"), "utf8").trim().split("\n");
    expect(answers.every((line) => line.startsWith("success "))).toBe(true);
    expect(answers).toHaveLength(TURNS - 2);
    for (const { turn, request } of killedAt) {
      const next = world.api.requests.find(
        (other) => isOfSession(other) && other.news.includes(promptOf(turn + 1)),
      );
      // A resumed process begins with the bytes that the killed one has sent; the last result may not have been recorded yet.
      const sent = said(request).slice(0, -1);
      expect(next && said(next).slice(0, sent.length)).toEqual(sent);
    }
    const kept = await throughline.settle();
    const prompts = new Set(kept.prompts.map(({ promptText }) => promptText));
    const lost = Array.from({ length: TURNS }, (_, at) => promptOf(at + 1)).filter(
      (one) => !prompts.has(one),
    );
    expect(lost).toEqual([]);
    expect(kept.prompts).toHaveLength(TURNS);
    expect(kept.sessions).toHaveLength(1);
    if (TURNS < 300) return;
    expect(compactions).toBeGreaterThanOrEqual(5);
    const archives = readdirSync(path.join(world.home, "conversations"));
    expect(archives.filter((name) => name.endsWith(".md"))).toHaveLength(1);
  });

  it.skipIf(TURNS < 300)(
    "is refused no more often than Claude Code alone where that waits for refusals",
    {
      timeout: 7_200_000,
    },
    async ({ skip }) => {
      if (problem !== "") skip();
      const [ours, plain] = [
        await runLong({ model: "claude-haiku-4-5", hooked: true, knowsWindow: false }),
        await runLong({ model: "claude-haiku-4-5", hooked: false, knowsWindow: false }),
      ];
      expect(plain.refused.length).toBeGreaterThan(0);
      for (const { refused } of [ours, plain])
        expect(refused.filter((message) => !message.startsWith("prompt is too long"))).toEqual([]);
      expect(ours.refused.length).toBeLessThanOrEqual(plain.refused.length);
    },
  );
});
