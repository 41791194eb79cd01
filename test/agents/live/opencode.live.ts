// The real OpenCode with Throughline installed into it: captured once, told what is known, its window ours, its compaction too.
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { expect, it } from "vitest";
import { isObject, parseJson } from "../../../src/lib/index.ts";
import { openForeign, type RedactedEvent } from "../../../src/store/index.ts";
import { spooled } from "../../e2e/throughline.ts";
import { describeAgent } from "../pinned.ts";
import { type AgentWorld, openAgentWorld, warmWorker } from "../world.ts";
import { openCode, openCodeFolder, writeOpenCodeHome } from "./homes.ts";

const databaseOf = ({ home }: AgentWorld) => path.join(home, ".local", "share", "opencode", "opencode.db");

const install = (world: AgentWorld) => world.throughline.must("install", "--agent", "opencode", "--yes");
const kindsOf = (events: readonly RedactedEvent[]) => events.map(({ kind }) => kind).sort();

function messagesIn(world: AgentWorld, at: number) {
  const body = parseJson(world.model.requests.at(at)?.text ?? "");
  return isObject(body) && Array.isArray(body.messages) ? body.messages : [];
}

describeAgent("opencode", (program) => {
  it("captures every event once, a failed command as failed, and a session that is taken up again", async () => {
    const world = await openAgentWorld();
    writeOpenCodeHome(world, program);
    await install(world);
    world.model.script({ run: "echo tool-ran; exit 3" }, { say: "The command failed with 3." });
    await openCode(world, program, "run the tool");
    world.model.script({ run: "echo fine" }, { say: "It works now." });
    await openCode(world, program, "-c", "again");
    const { events, sessions, prompts } = await world.throughline.settle();
    expect(sessions).toMatchObject([{ client: "opencode", model: "scripted", status: "completed" }]);
    expect(prompts.map(({ promptText }) => promptText)).toEqual([
      expect.stringContaining("run the tool"),
      "again",
    ]);
    const [once, again] = ["tool-failure", "tool"].map((tool) => [
      ...["session-start", "prompt", tool, "stop", "session-end"],
    ]);
    expect(kindsOf(events)).toEqual([...(once ?? []), ...(again ?? [])].sort());
    const failure = events.find(({ kind }) => kind === "tool-failure");
    expect(failure?.payload).toMatchObject({ tool_name: "Bash", error: "Exit code 3\ntool-ran\n" });
  });

  it("is told what is known of the project, and stores nothing of what it was told", async () => {
    const world = await openAgentWorld();
    writeOpenCodeHome(world, program);
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
    await openCode(world, program, "what is the retry queue called");
    expect(world.model.requests[0]?.text).toContain("LAMPREY");
    expect(world.model.requests[0]?.text).toContain("throughline-context");
    const { events } = await world.throughline.settle();
    expect(JSON.stringify(events)).not.toContain("LAMPREY");
  });

  it("shows a large result as a preview from its first request on, and recalls every byte of it", async () => {
    const world = await openAgentWorld();
    writeOpenCodeHome(world, program);
    await install(world);
    await world.throughline.must("worker", "start");
    const lines = Array.from({ length: 1_000 }, (_, at) => `${at} the quick BROWNTROUT ${at * 7919}`);
    writeFileSync(path.join(world.work, "big.txt"), lines.join("\n"));
    world.model.script({ run: "cat big.txt" }, { say: "Seen." });
    await openCode(world, program, "print the file");
    const first = world.model.requests[1]?.text ?? "";
    // The instructions of our server name handles, too.
    const handle = /tl:[0-9a-f]+/.exec(JSON.stringify(messagesIn(world, 1).slice(1)))?.[0] ?? "";
    expect(handle).not.toBe("");
    expect(first).not.toContain(lines[700]);
    const database = await openForeign(databaseOf(world));
    expect(database.values("part", "data").join("\n")).toContain(lines[700]);
    database.close();
    world.model.script(
      { call: "throughline_recall", input: { handle, pattern: "BROWNTROUT 5543300" } },
      { say: "There it is." },
    );
    await openCode(world, program, "-c", "which line has 5543300");
    expect(world.model.requests.at(-2)?.text).toContain(handle);
    expect(world.model.requests.at(-1)?.text).toContain(lines[700]);
    // What was sent before stays as it was sent.
    expect(messagesIn(world, -2).slice(1, 4)).toEqual(messagesIn(world, 1).slice(1, 4));
  });

  it("has our words in a compaction of OpenCode's own", async () => {
    const world = await openAgentWorld();
    writeOpenCodeHome(world, program, 40_000);
    await install(world);
    await world.throughline.must("worker", "start");
    const steps = Array.from({ length: 6 }, (_, at) => ({ run: `seq ${at + 1}000 ${at + 1}900` }));
    const printed = { say: "All numbers are printed.", tokens: 39_500 };
    world.model.script(...steps, printed, { say: "WORDS OF THE MODEL" });
    await openCode(world, program, "print numbers, the code word is GRAYLING");
    await openCode(world, program, "-c", "go on");
    const last = world.model.requests.at(-1)?.text ?? "";
    expect(last).toContain("GRAYLING");
    expect(last).not.toContain("WORDS OF THE MODEL");
  });

  it("loses nothing while no worker can run", async () => {
    const world = await openAgentWorld();
    writeOpenCodeHome(world, program);
    await install(world);
    const runtime = path.join(world.throughline.home.state, "runtime.json");
    const whole = readFileSync(runtime, "utf8");
    const worker = { node: "/bin/false", script: import.meta.filename };
    writeFileSync(runtime, JSON.stringify({ ...JSON.parse(whole), worker }));
    world.model.script({ run: "echo fine" }, { say: "It works." });
    await openCode(world, program, "run it");
    expect(spooled(world.throughline.home)).toHaveLength(5);
    writeFileSync(runtime, whole);
    const { events } = await world.throughline.settle();
    expect(kindsOf(events)).toEqual(["prompt", "session-end", "session-start", "stop", "tool"]);
  });

  it("runs as before where the package is gone, and leaves no trace when it is uninstalled", async () => {
    const world = await openAgentWorld();
    writeOpenCodeHome(world, program);
    await install(world);
    const file = path.join(openCodeFolder(world), "plugin", "throughline.js");
    const text = readFileSync(file, "utf8");
    writeFileSync(file, text.replaceAll("dist/plugins", "dist/gone"));
    expect(await openCode(world, program, "hello")).toContain("All is done.");
    writeFileSync(file, text);
    await world.throughline.must("uninstall", "--yes", "--purge-data");
    expect(existsSync(path.dirname(file))).toBe(false);
  });
});
