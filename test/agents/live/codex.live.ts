// The real Codex CLI with Throughline installed into it: captured once, told what is known, restored after a compaction, removed without a trace.
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { expect, it } from "vitest";
import type { RedactedEvent } from "../../../src/store/index.ts";
import { spooled } from "../../e2e/throughline.ts";
import { describeAgent } from "../pinned.ts";
import { type AgentWorld, openAgentWorld } from "../world.ts";
import { codex, codexFolder, writeCodexHome } from "./homes.ts";

const fileOf = (world: AgentWorld, name: string) => path.join(codexFolder(world), name);
const prompt = (words: string) => ["--skip-git-repo-check", words];
const kindsOf = (events: readonly RedactedEvent[]) => events.map(({ kind }) => kind);

describeAgent("codex", (program) => {
  it("captures every event once, and a failed command as failed", async () => {
    const world = await openAgentWorld();
    writeCodexHome(world);
    await world.throughline.must("install", "--agent", "codex", "--yes", "--trust");
    world.model.script({ run: "echo tool-ran; exit 3" }, { say: "The command failed with 3." });
    await codex(world, program, ...prompt("run the tool"));
    world.model.script({ run: "echo fine" }, { say: "It works now." });
    await codex(world, program, "resume", "--last", ...prompt("again"));
    const { events, sessions, prompts } = await world.throughline.settle();
    expect(sessions).toMatchObject([{ client: "codex", model: "scripted", status: "completed" }]);
    expect(prompts.map(({ promptText }) => promptText)).toEqual(["run the tool", "again"]);
    expect(kindsOf(events).sort()).toEqual(
      [
        "session-start",
        "prompt",
        "tool-failure",
        "stop",
        "session-end",
        "session-start",
        "prompt",
        "tool",
        "stop",
        "session-end",
      ].sort(),
    );
    const failure = events.find(({ kind }) => kind === "tool-failure");
    expect(failure?.payload).toMatchObject({ tool_name: "Bash", error: "Exit code 3\ntool-ran\n" });
  });

  it("is told what is known of the project, and stores nothing of what it was told", async () => {
    const world = await openAgentWorld();
    writeCodexHome(world);
    await world.throughline.must("install", "--agent", "codex", "--yes", "--trust");
    await world.throughline.must("worker", "start");
    const memory = [
      "--type",
      "project",
      "--name",
      "Queue",
      "--description",
      "the retry queue is called LAMPREY",
    ];
    await world.throughline.must("memory", "add", ...memory, "--body", "The retry queue is called LAMPREY.");
    await codex(world, program, ...prompt("what is the retry queue called"));
    expect(world.model.requests[0]?.text).toContain("LAMPREY");
    expect(world.model.requests[0]?.text).toContain("throughline-context");
    const { events } = await world.throughline.settle();
    expect(JSON.stringify(events)).not.toContain("LAMPREY");
  });

  it("restores what a compaction removed, at the start that follows it", async () => {
    const world = await openAgentWorld();
    writeCodexHome(world, "model_auto_compact_token_limit = 500");
    await world.throughline.must("install", "--agent", "codex", "--yes", "--trust");
    await world.throughline.must("worker", "start");
    world.model.script(
      { run: "echo GRAYLING", tokens: 900 },
      { say: "Handoff: the tool printed something.", tokens: 40 },
      { say: "Done after the compaction.", tokens: 50 },
    );
    await codex(world, program, ...prompt("print the name of the fish"));
    const after = world.model.requests.at(-1)?.text ?? "";
    expect(after).toContain("Handoff: the tool printed something.");
    expect(after).toMatch(/throughline-context[^>]*>[\s\S]*print the name of the fish/);
    const { events } = await world.throughline.settle();
    const about = events.map(({ kind, payload }) =>
      kind === "session-start" ? `${kind}/${payload.source}` : kind,
    );
    expect(about.sort()).toEqual(
      [
        "session-start/startup",
        "prompt",
        "tool",
        "pre-compact",
        "post-compact",
        "session-start/compact",
        "stop",
        "session-end",
      ].sort(),
    );
    // CLAUDE.md belongs to another agent.
    expect(existsSync(path.join(world.work, "CLAUDE.md"))).toBe(false);
  });

  it("loses nothing while no worker can run, and waits for none", async () => {
    const world = await openAgentWorld();
    writeCodexHome(world);
    await world.throughline.must("install", "--agent", "codex", "--yes", "--trust");
    const runtime = path.join(world.throughline.home.state, "runtime.json");
    const whole = readFileSync(runtime, "utf8");
    writeFileSync(
      runtime,
      JSON.stringify({ ...JSON.parse(whole), worker: { node: "/bin/false", script: import.meta.filename } }),
    );
    world.model.script({ run: "echo fine" }, { say: "It works." });
    await codex(world, program, ...prompt("run it"));
    expect(spooled(world.throughline.home)).toHaveLength(5);
    writeFileSync(runtime, whole);
    const { events } = await world.throughline.settle();
    expect(kindsOf(events).sort()).toEqual(["prompt", "session-end", "session-start", "stop", "tool"]);
  });

  it("tells Claude Code what was done here", async () => {
    const world = await openAgentWorld();
    writeCodexHome(world);
    await world.throughline.must("install", "--agent", "codex", "--yes", "--trust");
    world.model.script(
      { run: "mkdir -p src && echo 'export const queue = 1' > src/lamprey.ts" },
      { say: "I made src/lamprey.ts, which holds the retry queue." },
    );
    await codex(world, program, ...prompt("Make src/lamprey.ts for the retry queue"));
    await world.throughline.settle();
    await world.throughline.must("worker", "start");
    const hook = path.resolve(import.meta.dirname, "../../../dist/hooks/answer.cjs");
    const payload = {
      session_id: "claude-1",
      hook_event_name: "SessionStart",
      source: "startup",
      cwd: world.work,
    };
    const told = await world.run([
      "/bin/sh",
      "-c",
      `echo '${JSON.stringify(payload)}' | "${process.execPath}" "${hook}"`,
    ]);
    expect(told.out).toContain("lamprey.ts");
    const found = await world.throughline.must("search", "retry queue", "--agent", "codex", "--json");
    expect(found.out).toContain("lamprey");
    const elsewhere = await world.throughline.must(
      "search",
      "retry queue",
      "--agent",
      "claude-code",
      "--json",
    );
    expect(elsewhere.out).not.toContain("lamprey");
  });

  it("leaves no trace when it is uninstalled", async () => {
    const world = await openAgentWorld();
    writeCodexHome(world);
    const before = readFileSync(fileOf(world, "config.toml"), "utf8");
    await world.throughline.must("install", "--agent", "codex", "--yes", "--trust");
    expect(readFileSync(fileOf(world, "config.toml"), "utf8")).toContain("trusted_hash");
    await world.throughline.must("uninstall", "--yes", "--purge-data");
    expect(readFileSync(fileOf(world, "config.toml"), "utf8")).toBe(before);
    expect(existsSync(fileOf(world, "hooks.json"))).toBe(false);
  });
});
