// A session of the real CLI is kept whole: every prompt, every tool call and every end, once.
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { readIfThere } from "../../src/lib/index.ts";
import {
  anything,
  compaction,
  delegate,
  delegated,
  on,
  prompted,
  type Scenario,
  say,
  summary,
  tool,
  use,
} from "../scripted-api/index.ts";
import { until } from "../until.ts";
import { transcriptsIn } from "./drive.ts";
import { type Kept, type Throughline, throughlineIn } from "./throughline.ts";
import { hasClaude, openWorld, type World } from "./world.ts";

/** Tools of each kind, in parallel and alone, two that fail, and a subagent with a tool of its own. */
function work(folder: string): Scenario {
  const file = path.join(folder, "notes.txt");
  return [
    on(delegated("COUNT THE FILES"), use(tool("Bash", { command: "ls | wc -l" })), say("one file")),
    on(
      prompted("begin"),
      use(tool("Write", { file_path: file, content: "first line\n" })),
      use([
        tool("Bash", { command: "echo hello" }),
        tool("Read", { file_path: file }),
        tool("Bash", { command: "exit 3" }),
      ]),
      use(tool("Read", { file_path: path.join(folder, "missing.txt") })),
      use(delegate("COUNT THE FILES")),
      say("all done"),
    ),
    on(prompted("go on"), use(tool("Bash", { command: "echo more" })), say("went on")),
    on(compaction, summary("There were notes.")),
  ];
}

async function installedWorld(): Promise<{ world: World; throughline: Throughline }> {
  const world = await openWorld();
  const throughline = throughlineIn(world);
  await throughline.must("install", "--yes");
  world.api.play(work(world.work));
  return { world, throughline };
}

const eventsOf = (kept: Kept, session: string | undefined) =>
  kept.events.filter((event) => event.session === session);

function kindsOf(kept: Kept, session: string | undefined): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { kind } of eventsOf(kept, session)) counts[kind] = (counts[kind] ?? 0) + 1;
  return counts;
}

/** Ids of the calls in the database, of all that ended well and badly. */
const keptCalls = (kept: Kept) =>
  kept.events
    .filter(({ kind }) => kind === "tool" || kind === "tool-failure")
    .map(({ payload }) => String(payload.tool_use_id))
    .sort();

const madeCalls = (world: World) => world.api.calls.map(({ id }) => id).sort();

describe.skipIf(!hasClaude)("a session", () => {
  it("with tools, failures and a subagent is in the database, each event once", async () => {
    const { world, throughline } = await installedWorld();
    const run = await world.claude({ prompt: "begin" });
    expect({ code: run.exitCode, answers: run.answers, err: run.stderr }).toEqual({
      code: 0,
      answers: ["all done"],
      err: "",
    });
    const kept = await throughline.settle();
    const [session] = run.sessions;
    expect(keptCalls(kept)).toEqual(madeCalls(world));
    expect(kindsOf(kept, session)).toEqual({
      "session-start": 1,
      prompt: 1,
      tool: 5,
      "tool-failure": 2,
      "subagent-stop": 1,
      stop: 1,
      "session-end": 1,
    });
    expect(kept.sessions).toMatchObject([
      { claudeSessionId: session, status: "completed", promptCounter: 1 },
    ]);
    expect(kept.prompts).toMatchObject([{ promptText: "begin", promptNumber: 1, claudeSessionId: session }]);
    const inAgent = kept.events.filter(({ kind, agent }) => kind === "tool" && agent !== undefined);
    expect(inAgent.map(({ payload }) => payload.tool_input)).toMatchObject([{ command: "ls | wc -l" }]);
  });

  it("that is resumed keeps its id, and its prompts go on counting", async () => {
    const { world, throughline } = await installedWorld();
    const first = await world.claude({ prompt: "begin" });
    const [session = ""] = first.sessions;
    const second = await world.claude({ prompt: "go on", args: ["--resume", session] });
    expect([second.sessions, second.answers]).toEqual([[session], ["went on"]]);
    const kept = await throughline.settle();
    expect(keptCalls(kept)).toEqual(madeCalls(world));
    expect(kindsOf(kept, session)).toMatchObject({
      "session-start": 2,
      prompt: 2,
      stop: 2,
      "session-end": 2,
    });
    expect(kept.prompts.map(({ promptText, promptNumber }) => [promptNumber, promptText])).toEqual([
      [1, "begin"],
      [2, "go on"],
    ]);
    expect(kept.sessions).toMatchObject([{ status: "completed", promptCounter: 2 }]);
  });

  it("that is cleared goes on under a new id, and both are complete", async () => {
    const { world, throughline } = await installedWorld();
    const run = await world.claude({ prompts: ["begin", "/clear", "go on"] });
    expect(run.answers).toEqual(["all done", "", "went on"]);
    expect(run.sessions).toHaveLength(2);
    const kept = await throughline.settle();
    const [before, after] = run.sessions;
    expect(keptCalls(kept)).toEqual(madeCalls(world));
    expect(kindsOf(kept, before)).toMatchObject({ prompt: 1, "session-end": 1 });
    expect(kindsOf(kept, after)).toMatchObject({ "session-start": 1, prompt: 1, tool: 1, "session-end": 1 });
    expect(kept.sessions.map(({ status, promptCounter }) => [status, promptCounter])).toEqual([
      ["completed", 1],
      ["completed", 1],
    ]);
  });

  it("that the user compacts begins anew, and prints nothing of ours", async () => {
    const { world, throughline } = await installedWorld();
    const run = await world.claude({ prompts: ["begin", "/compact", "go on"] });
    const kept = await throughline.settle();
    const [session] = run.sessions;
    const counts = { prompt: 2, "session-start": 2, "session-end": 1, "post-compact": 1 };
    expect(kindsOf(kept, session)).toMatchObject(counts);
    const compacted = kept.events.find(({ kind }) => kind === "post-compact");
    expect(compacted?.payload).toMatchObject({ trigger: "manual", compact_summary: "There were notes." });
    expect(JSON.stringify(world.api.requests.at(-1)?.body)).not.toContain("completed successfully");
    expect(keptCalls(kept)).toEqual(madeCalls(world));
  });

  it("that compacts by itself keeps the compaction, with its summary", async () => {
    const { world, throughline } = await installedWorld();
    const step = (tokens: number) =>
      use(tool("Bash", { command: "echo a step" }), { usage: { input_tokens: tokens } });
    world.api.play([
      on(compaction, summary("There were notes.")),
      on(anything, ...[1, 2, 3, 4].map(() => step(20_000)), step(195_000), say("all done")),
    ]);
    const env = { CLAUDE_CODE_AUTO_COMPACT_WINDOW: "100000" };
    const run = await world.claude({ prompt: "begin", env });
    const kept = await throughline.settle();
    const [session] = run.sessions;
    expect(kindsOf(kept, session)).toMatchObject({ "pre-compact": 1, "post-compact": 1 });
    const [compacted] = kept.events.filter(({ kind }) => kind === "post-compact");
    expect(compacted?.payload.compact_summary).toContain("There were notes.");
    expect(keptCalls(kept)).toEqual(madeCalls(world));
  });

  it("keeps a command that becomes a prompt, and not one that Claude Code carries out itself", async () => {
    const { world, throughline } = await installedWorld();
    const commands = path.join(world.work, ".claude", "commands");
    mkdirSync(commands, { recursive: true });
    writeFileSync(path.join(commands, "greet.md"), "Say hello to $ARGUMENTS.\n");
    await world.claude({ prompts: ["/greet them all", "/context", "go on"] });
    const kept = await throughline.settle();
    expect(kept.prompts.map(({ promptText }) => promptText)).toEqual(["/greet them all", "go on"]);
  });

  it("whose ends no hook reports is ended all the same, each time", async () => {
    const { world, throughline } = await installedWorld();
    const file = path.join(world.home, ".claude", "settings.json");
    const { hooks, ...settings } = JSON.parse(readFileSync(file, "utf8"));
    const { SessionEnd: _, ...others } = hooks;
    writeFileSync(file, JSON.stringify({ ...settings, hooks: others }));
    const first = await world.claude({ prompt: "begin" });
    const [session = ""] = first.sessions;
    await world.claude({ prompt: "go on", args: ["--resume", session] });
    const kept = await throughline.settle();
    const ends = eventsOf(kept, session).filter(({ kind }) => kind === "session-end");
    expect(ends.map(({ payload }) => [payload.reason, payload.prompt_id])).toEqual(
      eventsOf(kept, session)
        .filter(({ kind }) => kind === "prompt")
        .map(({ payload }) => ["gone", payload.prompt_id]),
    );
    expect(kept.sessions).toMatchObject([{ status: "completed", promptCounter: 2 }]);
  });

  it("that is killed keeps what happened until then, and can be resumed", async () => {
    const { world, throughline } = await installedWorld();
    const forever = new Promise<void>(() => undefined);
    world.api.play([
      on(prompted("begin"), use(tool("Bash", { command: "echo hello" })), say("", { before: () => forever })),
      on(prompted("go on"), say("went on")),
    ]);
    const running = world.start({ prompt: "begin" });
    const { session = "" } = await world.api.seen(({ results }) => results.length > 0);
    // Claude Code writes a result down after it was sent. Without it, a resumed session has a call that never ended.
    await until(
      () => readIfThere(transcriptsIn(world.home).get(session) ?? "")?.includes('"tool_result"'),
      "the result in the transcript",
    );
    running.kill("SIGKILL");
    expect(await running.ended).toMatchObject({ signal: "SIGKILL" });
    const interrupted = await throughline.settle();
    expect(kindsOf(interrupted, session)).toEqual({
      "session-start": 1,
      prompt: 1,
      tool: 1,
      "session-end": 1,
    });
    const resumed = await world.claude({ prompt: "go on", args: ["--resume", session] });
    expect(resumed.answers).toEqual(["went on"]);
    const kept = await throughline.settle();
    expect(keptCalls(kept)).toEqual(madeCalls(world));
    expect(kept.sessions).toMatchObject([{ promptCounter: 2, status: "completed" }]);
  });
});

describe.skipIf(!hasClaude)("two sessions at once", () => {
  it("are kept apart", async () => {
    const { world, throughline } = await installedWorld();
    const runs = await Promise.all([
      world.claude({ prompt: "begin" }),
      world.claude({ prompts: ["go on", "begin"] }),
    ]);
    const kept = await throughline.settle();
    expect(keptCalls(kept)).toEqual(madeCalls(world));
    for (const { sessions } of runs) {
      const [session] = sessions;
      const own = world.api.calls.filter((call) => call.session === session).map(({ id }) => id);
      expect(keptCalls({ ...kept, events: eventsOf(kept, session) })).toEqual(own.sort());
      expect(kindsOf(kept, session)).toMatchObject({ "session-start": 1, "session-end": 1 });
    }
    expect(kept.sessions.map(({ promptCounter }) => promptCounter).sort()).toEqual([1, 2]);
  });
});
