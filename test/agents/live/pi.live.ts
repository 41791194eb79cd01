// The real pi with our extension: captured once, told what is known, large results as previews, a compaction of ours, removed without a trace.
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { expect, it } from "vitest";
import { isObject, parseJson } from "../../../src/lib/index.ts";
import type { RedactedEvent } from "../../../src/store/index.ts";
import { spooled } from "../../e2e/throughline.ts";
import { describeAgent } from "../pinned.ts";
import { type AgentWorld, openAgentWorld, warmWorker } from "../world.ts";
import { pi, piFolder, writePiHome } from "./homes.ts";

const install = (world: AgentWorld) => world.throughline.must("install", "--agent", "pi", "--yes");
const kindsOf = (events: readonly RedactedEvent[]) => events.map(({ kind }) => kind).sort();

function sessionText(world: AgentWorld): string {
  const sessions = path.join(piFolder(world), "sessions");
  const files = readdirSync(sessions, { recursive: true, encoding: "utf8" });
  const file = files.find((name) => name.endsWith(".jsonl")) ?? "";
  return readFileSync(path.join(sessions, file), "utf8");
}

describeAgent("pi", (program) => {
  it("captures every event once, a failed command as failed, and a session that is taken up again", async () => {
    const world = await openAgentWorld();
    writePiHome(world);
    await install(world);
    world.model.script({ run: "echo tool-ran; exit 3" }, { say: "The command failed with 3." });
    await pi(world, program, "-p", "run the tool");
    world.model.script({ run: "echo fine" }, { say: "It works now." });
    await pi(world, program, "-c", "-p", "again");
    const { events, sessions, prompts } = await world.throughline.settle();
    expect(sessions).toMatchObject([{ client: "pi", model: "scripted", status: "completed" }]);
    expect(prompts.map(({ promptText }) => promptText)).toEqual(["run the tool", "again"]);
    const [once, again] = ["tool-failure", "tool"].map((tool) => [
      ...["session-start", "prompt", tool, "stop", "session-end"],
    ]);
    expect(kindsOf(events)).toEqual([...(once ?? []), ...(again ?? [])].sort());
    const failure = events.find(({ kind }) => kind === "tool-failure");
    expect(failure?.payload).toMatchObject({ tool_name: "Bash", error: "Exit code 3\ntool-ran" });
    await world.throughline.must("import", "--quiet");
    expect(kindsOf((await world.throughline.settle()).events)).toEqual(kindsOf(events));
  });

  it("is told what is known of the project, and stores nothing of what it was told", async () => {
    const world = await openAgentWorld();
    writePiHome(world);
    await install(world);
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
    await warmWorker(world);
    await pi(world, program, "-p", "what is the retry queue called");
    expect(world.model.requests[0]?.text).toContain("LAMPREY");
    expect(world.model.requests[0]?.text).toContain("throughline-context");
    const { events } = await world.throughline.settle();
    expect(JSON.stringify(events)).not.toContain("LAMPREY");
  });

  it("shows a large result as a preview from its first request on, and recalls every byte of it", async () => {
    const world = await openAgentWorld();
    writePiHome(world);
    await install(world);
    await world.throughline.must("worker", "start");
    const lines = Array.from({ length: 1_500 }, (_, at) => `${at} the quick BROWNTROUT ${at * 7919}`);
    writeFileSync(path.join(world.work, "big.txt"), lines.join("\n"));
    world.model.script({ run: "cat big.txt" }, { say: "Seen." });
    await pi(world, program, "-p", "print the file");
    const first = world.model.requests[1]?.text ?? "";
    const handle = /tl:[0-9a-f]+/.exec(first)?.[0] ?? "";
    expect(handle).not.toBe("");
    expect(first).not.toContain(lines[700]);
    expect(sessionText(world)).toContain(lines[700]);
    world.model.script(
      { call: "throughline_recall", input: { handle, pattern: "BROWNTROUT 5543300" } },
      { say: "There it is." },
    );
    await pi(world, program, "-c", "-p", "which line has 5543300");
    expect(world.model.requests.at(-2)?.text).toContain(handle);
    expect(world.model.requests.at(-1)?.text).toContain(lines[700]);
    // What was sent before stays as it was sent.
    const messages = (at: number) => {
      const body = parseJson(world.model.requests.at(at)?.text ?? "");
      return isObject(body) && Array.isArray(body.messages) ? body.messages : [];
    };
    expect(messages(-2).slice(0, 4)).toEqual(messages(1).slice(0, 4));
  });

  it("compacts a full window itself, and a compaction of pi's has our words", async () => {
    const world = await openAgentWorld();
    writePiHome(world, 30_000, {
      compaction: { enabled: true, reserveTokens: 4_000, keepRecentTokens: 1_000 },
    });
    await install(world);
    await world.throughline.must("worker", "start");
    const steps = Array.from({ length: 6 }, (_, at) => ({
      run: `seq ${at}000 ${at}900`,
      tokens: 3_000 * (at + 1),
    }));
    world.model.script(...steps, { say: "All numbers are printed.", tokens: 29_000 }, { say: "Done." });
    await pi(world, program, "-p", "print many numbers, the code word is GRAYLING");
    await pi(world, program, "-c", "-p", "go on");
    const entry = sessionText(world)
      .split("\n")
      .map((line) => parseJson(line))
      .find((row) => isObject(row) && row.type === "compaction");
    expect(entry).toMatchObject({ fromHook: true, summary: expect.stringContaining("GRAYLING") });
    expect(world.model.requests.at(-1)?.text).toContain("GRAYLING");
    const { events } = await world.throughline.settle();
    expect(kindsOf(events)).toContain("pre-compact");
    expect(events.filter(({ kind }) => kind === "post-compact")).toHaveLength(1);
  });

  it("loses nothing while no worker can run", async () => {
    const world = await openAgentWorld();
    writePiHome(world);
    await install(world);
    const runtime = path.join(world.throughline.home.state, "runtime.json");
    const whole = readFileSync(runtime, "utf8");
    const worker = { node: "/bin/false", script: import.meta.filename };
    writeFileSync(runtime, JSON.stringify({ ...JSON.parse(whole), worker }));
    world.model.script({ run: "echo fine" }, { say: "It works." });
    await pi(world, program, "-p", "run it");
    expect(spooled(world.throughline.home)).toHaveLength(5);
    writeFileSync(runtime, whole);
    const { events } = await world.throughline.settle();
    expect(kindsOf(events)).toEqual(["prompt", "session-end", "session-start", "stop", "tool"]);
  });

  it("runs as before where the package is gone, and leaves no trace when it is uninstalled", async () => {
    const world = await openAgentWorld();
    writePiHome(world);
    await install(world);
    const file = path.join(piFolder(world), "extensions", "throughline.ts");
    const text = readFileSync(file, "utf8");
    writeFileSync(file, text.replaceAll("dist/plugins", "dist/gone"));
    expect(await pi(world, program, "-p", "hello")).toContain("All is done.");
    writeFileSync(file, text);
    await world.throughline.must("uninstall", "--yes", "--purge-data");
    expect(existsSync(path.dirname(file))).toBe(false);
  });
});
