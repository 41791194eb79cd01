// The live window by the mod: what the API gets from the real Claude Code, whose transcript keeps the originals.
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { type Message, textOf } from "../../src/messages/index.ts";
import {
  type ApiRequest,
  anything,
  compaction,
  delegate,
  delegated,
  on,
  type Reply,
  say,
  summary,
  tool,
  use,
} from "../scripted-api/index.ts";
import { modsScene, type Scene } from "./modsSession.ts";
import { hasClaude } from "./world.ts";

/**
 * As a person has it: with the variable of the other tests Claude Code refuses requests that a mod has edited. A busy
 * machine answers late: the deadline has tests of its own.
 */
const env = { CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "", THROUGHLINE_LIVE_DEADLINE_MS: "10000" };

/** Prints so many lines of a log. */
const log = (at: number, count = 700): Reply =>
  use(
    tool("Bash", {
      command: `for n in $(seq 1 ${count}); do echo "log ${at} line $n: nothing to see"; done`,
    }),
    { text: `Log ${at} is next.` },
  );

/** The tag that an input carries in what is sent, whatever the limits of the other levels are. */
const tagged = (words: string): RegExp => new RegExp(`${words}\\\\n\\[id:\\w{6}\\]`);

const resultsIn = (messages: readonly Message[]): string[] =>
  messages.flatMap(({ content }) =>
    typeof content === "string"
      ? []
      : content.filter(({ type }) => type === "tool_result").map((block) => textOf(block.content)),
  );

const mainRequests = ({ world }: Scene): ApiRequest[] =>
  world.api.requests.filter(({ kind, agent }) => kind === "message" && agent === undefined);

const transcripts = ({ world }: Scene): string =>
  readdirSync(path.join(world.home, ".claude/projects"), { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".jsonl"))
    .map((name) => readFileSync(path.join(world.home, ".claude/projects", name), "utf8"))
    .join("\n");

/** Every request begins with the messages of the one before, as they were sent. */
function expectPrefixes(requests: readonly ApiRequest[]): void {
  const withoutMarks = (message: Message) =>
    JSON.stringify({
      ...message,
      content:
        typeof message.content === "string" ? [{ type: "text", text: message.content }] : message.content,
    }).replaceAll(/,"cache_control":\{[^}]*\}/g, "");
  requests.forEach(({ messages }, at) => {
    const before = requests[at - 1]?.messages ?? [];
    expect(messages.slice(0, before.length).map(withoutMarks)).toEqual(before.map(withoutMarks));
  });
}

describe.skipIf(!hasClaude)("a session with the live window", () => {
  it("is edited in its requests and not in its transcript, and can be resumed", async () => {
    const scene = await modsScene([on(anything, log(1), log(2), say("done"), log(3), say("done again"))]);
    const first = await scene.world.claude({ prompt: "go through the logs", env });
    expect(first.answers).toEqual(["done"]);
    const [session = ""] = first.sessions;
    const second = await scene.world.claude({ prompt: "and the last one", args: ["--resume", session], env });
    expect(second.answers).toEqual(["done again"]);
    const requests = mainRequests(scene);
    expect(resultsIn(requests.at(-1)?.messages ?? [])).toHaveLength(3);
    expect(JSON.stringify(requests[0]?.messages)).toMatch(tagged("go through the logs"));
    expect(JSON.stringify(requests.at(-1)?.messages)).toMatch(tagged("and the last one"));
    expect(transcripts(scene)).toContain("log 3 line 150: nothing to see");
    expect(transcripts(scene)).not.toContain("[id:");
    expectPrefixes(requests);
    expect(requests.flatMap(({ violations }) => violations)).toEqual([]);
  }, 180_000);

  it("goes on with the same prefix when the worker is killed", async () => {
    const scene = await modsScene([]);
    const kill = { before: () => void scene.throughline.signalWorker("SIGKILL") };
    scene.world.api.play([on(anything, log(1), log(2), { ...log(3), ...kill }, log(4), say("done"))]);
    const run = await scene.world.claude({ prompt: "go through the logs", env });
    expect(run.answers).toEqual(["done"]);
    expect(JSON.stringify(mainRequests(scene).at(-1)?.messages)).toMatch(tagged("go through the logs"));
    expectPrefixes(mainRequests(scene));
  }, 180_000);

  it("gives a subagent a window of its own, and Claude Code's own compaction the edits in force", async () => {
    const scene = await modsScene([
      on(compaction, summary("They read the logs.")),
      on(delegated("READ THE LOG"), log(7), say("nothing in it")),
      on(anything, log(1), use(delegate("READ THE LOG")), say("done"), say("went on")),
    ]);
    const run = await scene.world.claude({
      prompts: ["go through the logs", "/compact", "go on"],
      env,
    });
    expect(run.answers.at(-1)).toBe("went on");
    const { requests } = scene.world.api;
    const inAgent = requests.filter(({ agent }) => agent !== undefined).at(-1);
    expect(JSON.stringify(inAgent?.messages)).toMatch(tagged("READ THE LOG"));
    const summing = requests.find(({ kind }) => kind === "compaction");
    expect(JSON.stringify(summing?.messages)).toMatch(tagged("go through the logs"));
    expect(requests.flatMap(({ violations }) => violations)).toEqual([]);
  }, 180_000);

  it("is compacted in the words of its own model, with all that a compaction of Claude Code's own raises", async () => {
    const scene = await modsScene([]);
    const { world, throughline } = scene;
    // A window so small that forty short results fill it.
    await throughline.must("config", "set", "compaction.buffer", "36000");
    const steps = Array.from({ length: 40 }, (_, at) => log(at, 70));
    world.api.play([
      on(
        ({ news }) => news.includes("ANSWER IN PLAIN TEXT ONLY"),
        say("<summary>Words of the model.</summary>"),
      ),
      on(anything, ...steps, say("done")),
    ]);
    const window = { CLAUDE_CODE_AUTO_COMPACT_WINDOW: "100000" };
    const run = await world.claude({ prompt: "go through the logs", env: { ...env, ...window } });
    expect(run.answers).toEqual(["done"]);
    const requests = mainRequests(scene);
    const asked = requests.findIndex(({ news }) => news.includes("ANSWER IN PLAIN TEXT ONLY"));
    // Asked on the conversation as it was sent, so that the cache has it.
    expectPrefixes(requests.slice(asked - 1, asked + 1));
    const compacted = requests.findIndex(
      ({ bytes }, at) => at > asked + 1 && bytes < (requests[at - 1]?.bytes ?? 0) * 0.6,
    );
    const after = JSON.stringify(requests[compacted]?.messages);
    expect(after).toContain("Words of the model.");
    expect(after).toContain("Never touch the harbour.");
    expect(after).toContain("# Environment");
    expect(world.api.requests.filter(({ kind }) => kind === "compaction")).toEqual([]);
    expect(world.api.requests.flatMap(({ violations }) => violations)).toEqual([]);
    const { events } = await throughline.settle();
    expect(events.map(({ kind }) => kind)).toEqual(expect.arrayContaining(["pre-compact", "post-compact"]));
    expect(readdirSync(path.join(world.work, ".claude")).join()).toContain("compact-snapshot-");
  }, 180_000);

  it("is left alone where Claude Code withholds its credential from edited requests", async () => {
    const scene = await modsScene([on(anything, log(1), say("done"))]);
    const run = await scene.world.claude({ prompt: "go through the logs" });
    expect(run.answers).toEqual(["done"]);
    expect(JSON.stringify(mainRequests(scene).at(-1)?.messages)).not.toContain("[id:");
  }, 120_000);
});
