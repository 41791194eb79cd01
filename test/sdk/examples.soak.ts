// The examples as a user runs them: from the packed tarball, 300 turns (THROUGHLINE_TURNS changes that), killed and resumed twice.
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { blocksOf } from "../../src/messages/index.ts";
import { temporaryFolder } from "../fixtures/transcript/session.ts";
import { type ApiRequest, type ScriptedApi, startScriptedApi, tool } from "../scripted-api/index.ts";
import { longWork, promptOf, readPart } from "./longWork.ts";
import { compileIn, projectWithPackage } from "./packed.ts";

const folder = temporaryFolder();
const TURNS = Number(process.env.THROUGHLINE_TURNS ?? 300);
const FILES = 900;
const examples = ["agent", "stream", "toolRunner", "aiSdk"];

let project = "";
beforeAll(() => {
  project = path.join(folder.path, "consumer");
  projectWithPackage(project, [
    "@anthropic-ai/sdk",
    "@anthropic-ai/claude-agent-sdk",
    "ai",
    "@ai-sdk/anthropic",
    "zod",
  ]);
  mkdirSync(path.join(project, "parts"));
  for (let at = 0; at < FILES; at++)
    writeFileSync(path.join(project, "parts", `${at}.txt`), readPart({ part: at, page: at % 5 }));
});

it("compiles every example strictly", () => {
  const files = (names: readonly string[]) => names.map((name) => `${name}.ts`);
  expect(compileIn(project, files(["agent", "stream", "toolRunner"]))).toBe("");
  // The declarations of these packages need others that they do not install.
  expect(compileIn(project, files(["aiSdk", "nanoclaw"]), { skipLibCheck: true })).toBe("");
});

const bare = (value: unknown) =>
  JSON.stringify(value, (key, field) => (key === "cache_control" ? undefined : field));

/** Runs an example from a turn on until it has answered the last one, or is killed. */
function start(api: ScriptedApi, example: string, model: string, from: number): ChildProcess {
  const child = spawn(process.execPath, [path.join("out", `${example}.js`), `${example}-${model}`], {
    cwd: project,
    env: {
      PATH: process.env.PATH,
      // The AI SDK wants the version in it.
      ANTHROPIC_BASE_URL: `${api.url}${example === "aiSdk" ? "/v1" : ""}`,
      ANTHROPIC_API_KEY: "k",
      AGENT_MODEL: model,
    },
    stdio: ["pipe", "ignore", "inherit"],
  });
  const turns = Array.from({ length: TURNS - from + 1 }, (_, at) => promptOf(from + at));
  child.stdin?.on("error", () => undefined);
  child.stdin?.end(`${turns.join("\n")}\n`);
  return child;
}

/** The folder of a session: the only project there is. */
function sessionFolder(session: string): string {
  const projects = path.join(project, ".agent", "projects");
  return path.join(projects, readdirSync(projects)[0] ?? "", session);
}

/** Blocks with their roles: a client may put messages of one role together, which is the same to the API. */
const blocksIn = ({ messages }: ApiRequest) =>
  messages.flatMap((message) => blocksOf(message).map((block) => `${message.role} ${bare(block)}`));

const compactionsOf = (session: string) =>
  readFileSync(path.join(sessionFolder(session), "ledger.jsonl"), "utf8").split('"replace-prefix"').length -
  1;

interface Regime {
  readonly model: string;
  readonly window: number;
  /** Calls of a turn, and sentences of its answer: enough for the window to fill five times. */
  readonly calls: number;
  readonly sentences: number;
}

/** One model of each regime of thinking; the last binds it, and has a window that takes long to fill. */
const regimes: readonly Regime[] = [
  { model: "claude-haiku-4-5", window: 200_000, calls: 4, sentences: 90 },
  { model: "claude-opus-4-5", window: 200_000, calls: 4, sentences: 90 },
  { model: "claude-opus-5-5", window: 1_000_000, calls: 1, sentences: 900 },
];

describe.each(examples)("examples/%s.ts", (example) => {
  it.each(regimes)(`runs ${TURNS} turns on $model`, async ({ model, window, calls, sentences }) => {
    let child: ChildProcess | undefined;
    const session = `${example}-${model}`;
    const kills = [
      { turn: Math.round(TURNS * 0.37), step: calls - 1 },
      { turn: Math.round(TURNS * 0.73), step: 0 },
    ];
    const killedAt: { readonly turn: number; readonly request: ApiRequest }[] = [];
    const api = await startScriptedApi({
      enforce: { window, bindsThinking: model === "claude-opus-5-5" },
      scenario: longWork({
        calls,
        sentences,
        thinks: model !== "claude-haiku-4-5",
        recallsEvery: 10,
        call: (turn, step) => tool("read_file", { path: `parts/${(turn * calls + step) % FILES}.txt` }),
        before(request, turn, step) {
          const [next] = kills;
          if (!next || turn !== next.turn || step !== next.step) return;
          kills.shift();
          killedAt.push({ turn, request });
          child?.kill("SIGKILL");
        },
      }),
    });
    try {
      for (let from = 1; ; ) {
        const before = killedAt.length;
        child = start(api, example, model, from);
        const [code] = await once(child, "exit");
        const killed = killedAt[before];
        if (!killed) {
          expect(code).toBe(0);
          break;
        }
        from = killed.turn + 1;
      }
      expect(killedAt).toHaveLength(2);
      // Each resumed process begins with the bytes that the killed one has sent.
      for (const { turn, request } of killedAt) {
        const next = api.requests.find(({ news }) => news.includes(promptOf(turn + 1)));
        const sent = blocksIn(request);
        expect(next && blocksIn(next).slice(0, sent.length)).toEqual(sent);
      }
      expect(api.refusals.map(({ message }) => message)).toEqual([]);
      console.log(
        example,
        model,
        api.requests.length,
        "requests",
        compactionsOf(session),
        "compactions",
        api.cache,
      );
      if (TURNS >= 300) expect(compactionsOf(session)).toBeGreaterThanOrEqual(5);
    } finally {
      child?.kill("SIGKILL");
      await api.close();
    }
  });
});
