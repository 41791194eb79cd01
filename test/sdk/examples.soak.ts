// The examples as a user runs them: from the packed tarball, 300 turns, killed and resumed twice.
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { temporaryFolder } from "../fixtures/transcript/session.ts";
import { type ApiRequest, type ScriptedApi, startScriptedApi, tool } from "../scripted-api/index.ts";
import { longWork, promptOf, readPart } from "./longWork.ts";
import { compileIn, projectWithPackage } from "./packed.ts";

const folder = temporaryFolder();
const TURNS = 300;
const WINDOW = 200_000;
const CALLS = 4;
const FILES = 900;
const examples = ["agent", "stream", "toolRunner"];

let project = "";
beforeAll(() => {
  project = path.join(folder.path, "consumer");
  projectWithPackage(project, ["@anthropic-ai/sdk"]);
  mkdirSync(path.join(project, "parts"));
  for (let at = 0; at < FILES; at++)
    writeFileSync(path.join(project, "parts", `${at}.txt`), readPart({ part: at, page: at % 5 }));
});

it("compiles every example strictly", () => {
  expect(
    compileIn(
      project,
      examples.map((name) => `${name}.ts`),
    ),
  ).toBe("");
});

const bare = (value: unknown) =>
  JSON.stringify(value, (key, field) => (key === "cache_control" ? undefined : field));

/** Runs an example from a turn on until it has answered the last one, or is killed. */
function start(api: ScriptedApi, example: string, model: string, from: number): ChildProcess {
  const child = spawn(process.execPath, [path.join("out", `${example}.js`), `${example}-${model}`], {
    cwd: project,
    env: { PATH: process.env.PATH, ANTHROPIC_BASE_URL: api.url, ANTHROPIC_API_KEY: "k", AGENT_MODEL: model },
    stdio: ["pipe", "ignore", "inherit"],
  });
  const turns = Array.from({ length: TURNS - from + 1 }, (_, at) => promptOf(from + at));
  child.stdin?.on("error", () => undefined);
  child.stdin?.end(`${turns.join("\n")}\n`);
  return child;
}

describe.each(examples)("examples/%s.ts", (example) => {
  it.each(["claude-haiku-4-5", "claude-opus-4-5"])("runs 300 turns on %s", async (model) => {
    let child: ChildProcess | undefined;
    const kills = [
      { turn: 110, step: 2 },
      { turn: 220, step: 0 },
    ];
    const killedAt: ApiRequest[] = [];
    const api = await startScriptedApi({
      enforce: { window: WINDOW },
      scenario: longWork({
        calls: CALLS,
        thinks: model !== "claude-haiku-4-5",
        recallsEvery: 10,
        call: (turn, step) => tool("read_file", { path: `parts/${(turn * CALLS + step) % FILES}.txt` }),
        before(request, turn, step) {
          const [next] = kills;
          if (!next || turn !== next.turn || step !== next.step) return;
          kills.shift();
          killedAt.push(request);
          child?.kill("SIGKILL");
        },
      }),
    });
    try {
      for (let from = 1; from <= TURNS; from = (killedAt.length === 1 ? 110 : 220) + 1) {
        const runs = killedAt.length;
        child = start(api, example, model, from);
        const [code] = await once(child, "exit");
        if (killedAt.length === runs) {
          expect(code).toBe(0);
          break;
        }
      }
      expect(api.refusals.map(({ message }) => message)).toEqual([]);
      expect(killedAt).toHaveLength(2);
      for (const killed of killedAt) {
        const resumed = api.requests[killed.index + 1];
        expect(bare(resumed?.messages.slice(0, killed.messages.length))).toBe(bare(killed.messages));
      }
      const summaries = api.requests.filter(
        ({ body, news }) => body.compaction || news.includes("<analysis>"),
      );
      console.log(example, model, api.requests.length, "requests", summaries.length, "summaries", api.cache);
      expect(summaries.length).toBeGreaterThanOrEqual(5);
    } finally {
      child?.kill("SIGKILL");
      await api.close();
    }
  });
});
