// Capture on the mods lane: what the hooks would have kept, each event once, whatever becomes of the worker or the lane.
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { runtimeFile, workerStateFile } from "../../src/home/index.ts";
import { delegate, delegated, on, prompted, type Scenario, say, tool, use } from "../scripted-api/index.ts";
import type { RunningClaude } from "./drive.ts";
import { modsScene, type Scene } from "./modsSession.ts";
import type { Kept } from "./throughline.ts";
import { hasClaude } from "./world.ts";

const echo = (words: string) => use(tool("Bash", { command: `echo ${words}` }));

const calls = (kept: Kept): string[] =>
  kept.events
    .filter(({ kind }) => kind === "tool" || kind === "tool-failure")
    .map(({ payload }) => String(payload.tool_use_id))
    .sort();

const made = ({ world }: Scene): string[] => world.api.calls.map(({ id }) => id).sort();

const lanes = (kept: Kept): string[] => [...new Set(kept.events.map(({ lane }) => String(lane)))].sort();

function kinds(kept: Kept): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { kind } of kept.events) counts[kind] = (counts[kind] ?? 0) + 1;
  return counts;
}

describe.skipIf(!hasClaude)("a session on the mods lane", () => {
  it("is kept as by hooks, each event once and all of them by the mod", async () => {
    const missing = (folder: string): string => path.join(folder, "missing.txt");
    const here = await modsScene([]);
    const { world, throughline } = here;
    world.api.play([
      on(delegated("COUNT THE FILES"), echo("one"), say("one file")),
      on(
        prompted("begin"),
        use([tool("Bash", { command: "echo hello" }), tool("Bash", { command: "exit 3" })]),
        use(tool("Read", { file_path: missing(world.work) })),
        use(delegate("COUNT THE FILES")),
        say("all done"),
      ),
      on(prompted("go on"), echo("more"), say("went on")),
    ]);
    const run = await world.claude({ prompts: ["begin", "/clear", "go on"] });
    expect([run.exitCode, run.answers, run.stderr]).toEqual([0, ["all done", "", "went on"], ""]);
    const kept = await throughline.settle();
    expect(lanes(kept)).toEqual(["mods"]);
    expect(calls(kept)).toEqual(made(here));
    expect(kinds(kept)).toEqual({
      "session-start": 2,
      prompt: 2,
      tool: 4,
      "tool-failure": 2,
      "subagent-stop": 1,
      stop: 2,
      "session-end": 2,
    });
    expect(kept.sessions.map(({ status }) => status)).toEqual(["completed", "completed"]);
  });

  it("that is switched to hooks and back loses and doubles nothing", async () => {
    const turn: Scenario = [];
    const here = await modsScene(turn);
    const { world, throughline } = here;
    const choose = (lane: string) => async (): Promise<void> => {
      await throughline.must("config", "set", "lane", lane);
      await sleep(1_100);
    };
    const some = (name: string) => Array.from({ length: 3 }, (_, at) => echo(`${name}${at}`));
    world.api.play([
      on(
        prompted("begin"),
        ...some("a"),
        { ...echo("b"), before: choose("hooks") },
        ...some("c"),
        { ...echo("d"), before: choose("mods") },
        ...some("e"),
        say("done"),
      ),
    ]);
    const run = await world.claude({ prompt: "begin" });
    expect([run.exitCode, run.answers]).toEqual([0, ["done"]]);
    const kept = await throughline.settle();
    expect(calls(kept)).toEqual(made(here));
    expect(kinds(kept)).toEqual({ "session-start": 1, prompt: 1, tool: 11, stop: 1, "session-end": 1 });
    expect(lanes(kept)).toEqual(["hooks", "mods"]);
  });

  it("that is killed loses nothing that its transcript has", async () => {
    const here = await modsScene([]);
    const { world, throughline } = here;
    let agent: RunningClaude | undefined;
    const kill = (): void => agent?.kill("SIGKILL");
    const many = use(Array.from({ length: 20 }, (_, at) => tool("Bash", { command: `echo ${at}` })));
    world.api.play([on(prompted("begin"), many, echo("last"), { ...say("never"), before: kill })]);
    agent = world.start({ prompt: "begin" });
    expect((await agent.ended).signal).toBe("SIGKILL");
    const kept = await throughline.settle();
    expect(calls(kept)).toEqual(made(here));
  });

  it("is the hooks' where THROUGHLINE_LANE says so", async () => {
    const here = await modsScene(work());
    const run = await here.world.claude({ prompt: "begin", env: { THROUGHLINE_LANE: "hooks" } });
    expect([run.exitCode, run.answers, run.stderr]).toEqual([0, ["done"], ""]);
    const kept = await here.throughline.settle();
    expect([lanes(kept), calls(kept)]).toEqual([["hooks"], made(here)]);
  });

  it("is left alone while THROUGHLINE_DISABLE is set, or capture is paused", async () => {
    const here = await modsScene([
      on(prompted("begin"), use(tool("Bash", { command: "seq 1 2000" })), say("done")),
    ]);
    const { world, throughline } = here;
    await world.claude({ prompt: "begin", env: { THROUGHLINE_DISABLE: "1" } });
    await throughline.must("pause");
    await world.claude({ prompt: "begin" });
    const shown = world.api.requests.flatMap(({ results }) => results.map(({ text }) => text.length));
    expect(shown.length).toBeGreaterThanOrEqual(2);
    expect(Math.min(...shown)).toBeGreaterThan(8_000);
    await throughline.must("resume");
    expect((await throughline.settle()).events).toEqual([]);
  });
});

const big = "seq 1 2000";

const bigCall = () => use(tool("Bash", { command: big }));

/** A turn with a result over the budget, and more after it. */
const work = (): Scenario => [on(prompted("begin"), bigCall(), echo("x"), echo("y"), say("done"))];

/** The same, with something that happens once the mod has come to rely on the worker. */
const hangingWork = (before: () => void): Scenario => [
  on(prompted("begin"), echo("a"), { ...bigCall(), before }, echo("y"), say("done")),
];

/** A request that is neither answered nor ended would hold Claude Code back for longer than this. */
const NOT_HELD_BACK_MS = 29_000;

/** Plain Claude Code: the result whole, every event kept, and a word in `doctor`. */
async function expectPlain(here: Scene, trouble: RegExp): Promise<void> {
  const run = await here.world.claude({ prompt: "begin", timeout: NOT_HELD_BACK_MS });
  expect([run.timedOut, run.exitCode, run.answers, run.stderr]).toEqual([false, 0, ["done"], ""]);
  const shown = here.world.api.requests.flatMap(({ results }) => results.map(({ text }) => text));
  expect(shown).toContain(Array.from({ length: 2_000 }, (_, at) => at + 1).join("\n"));
  for (const command of ["doctor", "status"])
    expect((await here.throughline.run(command)).out, command).toMatch(trouble);
}

const NONSENSE_PORT = 45_678;

/** Stops the worker and keeps hooks from starting another. Gives the way back. */
async function withoutWorker({ throughline }: Scene): Promise<() => void> {
  await throughline.must("worker", "stop");
  const file = runtimeFile(throughline.home);
  const before = readFileSync(file, "utf8");
  // A program that is there and ends at once: for one that is gone, a hook looks for another.
  writeFileSync(file, before.replace(/"node": ?"[^"]*"/, '"node":"/bin/false"'));
  expect(readFileSync(file, "utf8")).toContain("/bin/false");
  return () => writeFileSync(file, before);
}

describe.skipIf(!hasClaude)("on the mods lane, when the worker", () => {
  it.each([
    ["hangs", work, true],
    ["begins to hang in the middle of a turn", hangingWork, false],
  ])("%s, the session goes on as plain Claude Code", async (_, scenario, isFromTheBeginning) => {
    const here = await modsScene([]);
    const hang = (): void => expect(here.throughline.signalWorker("SIGSTOP")).toBe(true);
    here.world.api.play(scenario(hang));
    if (isFromTheBeginning) hang();
    try {
      await expectPlain(here, /did not answer within \d+ ms/);
    } finally {
      here.throughline.signalWorker("SIGCONT");
    }
    const kept = await here.throughline.settle();
    expect(calls(kept)).toEqual(made(here));
    expect(kinds(kept)).toMatchObject({ "session-start": 1, prompt: 1, tool: 3, stop: 1, "session-end": 1 });
  });

  it("is gone and cannot be started, the session goes on as plain Claude Code", async () => {
    const here = await modsScene(work());
    const putBack = await withoutWorker(here);
    await expectPlain(here, /no worker answers/);
    putBack();
    expect(calls(await here.throughline.settle())).toEqual(made(here));
  });

  it("answers what makes no sense, the session goes on as plain Claude Code", async () => {
    const here = await modsScene(work());
    const putBack = await withoutWorker(here);
    const { sandbox, work: cwd } = here.world;
    const answering = `require("http").createServer((q, s) => q.resume().on("end", () => s.end("<html>")))`;
    sandbox.spawn([process.execPath, "-e", `${answering}.listen(${NONSENSE_PORT}, "127.0.0.1")`], {
      cwd,
      env: {},
      stdio: "ignore",
    });
    const state = { pid: 0, version: "0.0.0", socket: "", port: NONSENSE_PORT, startedAt: "" };
    writeFileSync(workerStateFile(here.throughline.home), JSON.stringify(state));
    await expectPlain(here, /makes no sense/);
    rmSync(workerStateFile(here.throughline.home), { force: true });
    putBack();
    expect(calls(await here.throughline.settle())).toEqual(made(here));
  });
});
