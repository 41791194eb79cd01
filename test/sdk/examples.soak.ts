// The examples as a user runs them: from the packed tarball, 300 turns (THROUGHLINE_TURNS changes that), killed and resumed twice.
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { createContext } from "../../src/sdk/index.ts";
import { temporaryFolder } from "../fixtures/transcript/session.ts";
import { type ApiRequest, type ScriptedApi, startScriptedApi, tool } from "../scripted-api/index.ts";
import { longWork, promptOf, readPart } from "./longWork.ts";
import { compileIn, projectWithPackage } from "./packed.ts";

const folder = temporaryFolder();
const TURNS = Number(process.env.THROUGHLINE_TURNS ?? 300);
const WINDOW = 200_000;
const CALLS = 4;
const FILES = 900;
const examples = ["agent", "stream", "toolRunner"];
const hosts = ["nanoclaw"];

let project = "";
beforeAll(() => {
  project = path.join(folder.path, "consumer");
  projectWithPackage(project, ["@anthropic-ai/sdk", "@anthropic-ai/claude-agent-sdk", "zod"]);
  mkdirSync(path.join(project, "parts"));
  for (let at = 0; at < FILES; at++)
    writeFileSync(path.join(project, "parts", `${at}.txt`), readPart({ part: at, page: at % 5 }));
});

it("compiles every example strictly", () => {
  const files = (names: readonly string[]) => names.map((name) => `${name}.ts`);
  expect(compileIn(project, files(examples))).toBe("");
  // The Agent SDK's own dependencies name types of a browser.
  expect(compileIn(project, files(hosts), { lib: ["es2023", "dom"] })).toBe("");
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

/** The folder of a session: the only project there is. */
function sessionFolder(session: string): string {
  const projects = path.join(project, ".agent", "projects");
  return path.join(projects, readdirSync(projects)[0] ?? "", session);
}

/** What another process would send for the conversation as a killed one left it: prepared on a copy, as nothing else happens. */
async function preparedAgain(session: string, { body }: ApiRequest): Promise<readonly unknown[]> {
  const copy = path.join(folder.path, `copy-${session}-${String(Math.random()).slice(2)}`);
  cpSync(path.join(project, ".agent"), copy, { recursive: true });
  const context = createContext({
    session,
    folder: copy,
    project: path.basename(path.dirname(sessionFolder(session))),
    summaries: false,
  });
  const { request } = await context.prepare({
    model: String(body.model),
    messages: context.history(),
    system: body.system as string,
    tools: body.tools as object[],
  });
  rmSync(copy, { recursive: true });
  return request.messages;
}

const compactionsOf = (session: string) =>
  readFileSync(path.join(sessionFolder(session), "ledger.jsonl"), "utf8").split('"replace-prefix"').length -
  1;

describe.each(examples)("examples/%s.ts", (example) => {
  it.each(["claude-haiku-4-5", "claude-opus-4-5"])(`runs ${TURNS} turns on %s`, async (model) => {
    let child: ChildProcess | undefined;
    const session = `${example}-${model}`;
    const kills = [
      { turn: Math.round(TURNS * 0.37), step: 2 },
      { turn: Math.round(TURNS * 0.73), step: 0 },
    ];
    const killedAt: { readonly turn: number; readonly request: ApiRequest }[] = [];
    const api = await startScriptedApi({
      enforce: { window: WINDOW },
      scenario: longWork({
        calls: CALLS,
        sentences: 90,
        thinks: model !== "claude-haiku-4-5",
        recallsEvery: 10,
        call: (turn, step) => tool("read_file", { path: `parts/${(turn * CALLS + step) % FILES}.txt` }),
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
        expect(bare(await preparedAgain(session, killed.request))).toBe(bare(killed.request.messages));
        from = killed.turn + 1;
      }
      expect(killedAt).toHaveLength(2);
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
