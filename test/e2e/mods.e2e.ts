// The mods lane in the real CLI: results within the budget from the first request on, compactions with Claude's own summary.
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { isObject, parseJson } from "../../src/lib/index.ts";
import {
  type ApiRequest,
  anything,
  compaction,
  delegate,
  delegated,
  on,
  prompted,
  say,
  summary,
  tool,
  use,
} from "../scripted-api/index.ts";
import { transcriptsIn } from "./drive.ts";
import { brokenPrefixes } from "./lanes.ts";
import { type Scene, modsScene as scene } from "./modsSession.ts";
import { hasClaude } from "./world.ts";

/** What the model was shown for a call, in the first request that carries it. */
function firstResult({ world }: Scene, at: number): string {
  const id = world.api.calls[at]?.id ?? "";
  const carrying = world.api.requests.find(({ results }) => results.some((result) => result.id === id));
  return carrying?.results.find((result) => result.id === id)?.text ?? "";
}

const textOf = (request: ApiRequest | undefined): string => JSON.stringify(request?.messages ?? []);

describe.skipIf(!hasClaude)("a large result on the mods lane", () => {
  it("is a preview with path and handle in the first request, and both give the whole text", async () => {
    const here = await scene([
      on(prompted("begin"), use(tool("Bash", { command: "seq 1 60000" })), say("done")),
    ]);
    const run = await here.world.claude({ prompt: "begin" });
    expect([run.exitCode, run.answers, run.stderr]).toEqual([0, ["done"], ""]);
    const shown = firstResult(here, 0);
    const file = /saved to: (\S+)/.exec(shown)?.[1] ?? "";
    const handle = /recall (tl:\w+)/.exec(shown)?.[1] ?? "";
    const whole = Array.from({ length: 60_000 }, (_, at) => at + 1).join("\n");
    expect(readFileSync(file, "utf8").trimEnd()).toBe(whole);
    expect((await here.throughline.must("recall", handle)).out.trimEnd()).toBe(whole);
    expect(shown.length).toBeLessThan(2_000);
  });

  it("comes back to the model by Read of the path, and by the tool recall", async () => {
    const command = 'for n in $(seq 1 900); do echo "entry $n of the log"; done';
    let shown = "";
    const here = await scene([
      on(prompted("begin"), use(tool("Bash", { command }))),
      {
        matches: ({ results }) => results.some(({ text }) => text.includes("saved to: ")),
        replies: [
          {
            get calls() {
              shown = firstResult(here, 0);
              const handle = /recall (tl:\w+)/.exec(shown)?.[1] ?? "";
              const file = /saved to: (\S+)/.exec(shown)?.[1] ?? "";
              return [
                tool("mcp__throughline__recall", { handle, lines: "500-501" }),
                tool("Read", { file_path: file, offset: 700, limit: 2 }),
              ];
            },
          },
        ],
      },
      on(anything, say("done")),
    ]);
    const allowed = ["--allowedTools", "Bash,Read,mcp__throughline__recall"];
    const run = await here.world.claude({ prompt: "begin", args: allowed });
    expect([run.exitCode, run.answers, run.stderr]).toEqual([0, ["done"], ""]);
    expect(shown).toContain("Output too large");
    const recalled = firstResult(here, 1);
    expect([499, 500, 501, 502].map((n) => recalled.includes(`entry ${n} of the log`))).toEqual([
      false,
      true,
      true,
      false,
    ]);
    expect(firstResult(here, 2)).toContain("entry 700 of the log");
  });

  it("of a subagent is left to Claude Code", async () => {
    const command = "seq 1 2000";
    const here = await scene([
      on(delegated("COUNT"), use(tool("Bash", { command })), say("counted")),
      on(prompted("begin"), use(delegate("COUNT")), use(tool("Bash", { command })), say("done")),
    ]);
    await here.world.claude({ prompt: "begin" });
    const whole = Array.from({ length: 2_000 }, (_, at) => at + 1).join("\n");
    expect(firstResult(here, 1)).toBe(whole);
    expect(firstResult(here, 2)).toContain("Output too large");
  });
});

/** Makes the CLI compact before the next request. */
const full = { usage: { input_tokens: 195_000 } };
const smallWindow = { CLAUDE_CODE_AUTO_COMPACT_WINDOW: "100000" };

/** A window that is half full: time to compute a summary ahead, where Claude Code does that. */
const half = { usage: { input_tokens: 60_000 } };

/** Claude Code computes summaries ahead where its service has switched that on; the settings say from how many tokens. */
function aheadOfTime({ world }: Scene): string {
  const known = path.join(world.home, ".claude.json");
  const before = existsSync(known) ? parseJson(readFileSync(known, "utf8")) : {};
  const switches = { cachedGrowthBookFeatures: { tengu_sepia_moth: true } };
  writeFileSync(known, JSON.stringify({ ...(isObject(before) ? before : {}), ...switches }));
  const settings = path.join(world.home, "ahead.json");
  writeFileSync(settings, JSON.stringify({ precomputeArmTokens: 50_000 }));
  return settings;
}

/** As long as what agents think aloud in an hour: there is something to sum up. */
const musings = (name: string): string =>
  Array.from(
    { length: 150 },
    (_, at) => `${name} thought ${at}: the ferry leaves at ${at % 24} o'clock.`,
  ).join("\n");

/** Steps of a turn; the last one fills the window. */
const steps = (name: string, count: number) =>
  Array.from({ length: count }, (_, at) =>
    use(tool("Bash", { command: `echo ${name}-${at} found in src/${name}${at}.ts` }), {
      text: musings(`${name}-${at}`),
      ...(at === count - 1 ? full : {}),
    }),
  );

/** What a window must hold that the CLI has not compacted itself. */
const announced = {
  environment: /# Environment/,
  tools: /deferred tools are now available/,
  agents: /Available agent types/,
  skills: /skills are available/,
  instructions: /Never touch the harbour/,
};

const missingIn = (request: ApiRequest | undefined): string[] =>
  Object.entries(announced).flatMap(([name, words]) =>
    words.test(JSON.stringify(request?.body)) ? [] : [name],
  );

const ofSubagents = ({ agent }: ApiRequest): boolean => agent !== undefined;

const mainRequests = ({ world }: Scene): ApiRequest[] =>
  world.api.requests.filter(({ kind, agent }) => kind === "message" && agent === undefined);

/** The window has what the digest of the snapshot would tell once more. */
const digest = /throughline-context kind=\\"snapshot\\"/;

function expectWhole(request: ApiRequest | undefined, words: readonly string[]): void {
  const text = textOf(request);
  for (const word of ["This session is being continued", ...words]) expect(text).toContain(word);
  expect(missingIn(request)).toEqual([]);
  expect(request?.violations).toEqual([]);
}

/** What reads recorded sessions reads this one: each message is told once, though the transcript has some of them twice. */
async function expectReadable({ world, throughline }: Scene, session: string): Promise<void> {
  const file = transcriptsIn(world.home).get(session) ?? "";
  for (const command of ["window", "replay"]) await throughline.must(command, file);
  const { out: edits } = await throughline.must("ledger", session);
  expect(edits).toMatch(/autocompact +host/);
  const { out: archive } = await throughline.must("archive", "show", session);
  const told = (words: string): number => archive.split(words).length;
  expect(told("alpha-8 found")).toBe(told("alpha-1 found"));
  expect(told("This session is being continued")).toBe(1);
}

/** Claude's own summary of a compaction, as the scripted model writes it. */
const OWN = [
  "1. Primary Request and Intent:\n   CLAUDE'S OWN SUMMARY of the work",
  "7. Pending Tasks:\n   - Update the callers",
  "8. Current Work:\n   Reading what was found.",
].join("\n\n");
const writesSummary = on(compaction, summary(OWN), summary(OWN), summary(OWN));

const askedTimes = ({ world }: Scene, times: number): void =>
  expect(world.api.requests.filter(({ kind }) => kind === "compaction")).toHaveLength(times);

describe.skipIf(!hasClaude)("a compaction on the mods lane", () => {
  it("has Claude's own summary, the user's words, the newest messages and all that was announced", async () => {
    const here = await scene([
      writesSummary,
      on(prompted("build the parser"), ...steps("alpha", 9)),
      on(anything, say("all done")),
    ]);
    const run = await here.world.claude({ prompt: "build the parser", env: smallWindow });
    expect([run.exitCode, run.answers, run.stderr]).toEqual([0, ["all done"], ""]);
    askedTimes(here, 1);
    expectWhole(mainRequests(here).at(-1), [
      "CLAUDE'S OWN SUMMARY",
      "user: build the parser",
      "alpha-8 found",
    ]);
    expect(textOf(mainRequests(here).at(-1))).not.toMatch(digest);
    const kept = await here.throughline.settle();
    const kinds = kept.events.map(({ kind, lane }) => `${lane} ${kind}`);
    expect(kinds.filter((kind) => kind.endsWith("-compact")).sort()).toEqual([
      "mods post-compact",
      "mods pre-compact",
    ]);
    expect(kinds.filter((kind) => !kind.startsWith("mods "))).toEqual([]);
    expect(kept.prompts.map(({ promptText }) => promptText)).toEqual(["build the parser"]);
    const [session = ""] = run.sessions;
    await expectReadable(here, session);
  });

  it("can be resumed from, also after a second one, and the second is made of the originals", async () => {
    const here = await scene([
      writesSummary,
      // In the order in which they are asked for: after a compaction a summary speaks in the user's place.
      on(
        anything,
        ...steps("alpha", 9),
        say("parser done"),
        ...steps("beta", 9),
        say("printer done"),
        say("resumed again"),
      ),
    ]);
    const { world } = here;
    const first = await world.claude({ prompt: "build the parser", env: smallWindow });
    const [session = ""] = first.sessions;
    const resume = (prompt: string) =>
      world.claude({ prompt, args: ["--resume", session], env: smallWindow });
    const second = await resume("now the printer");
    expect([first.answers, second.answers]).toEqual([["parser done"], ["printer done"]]);
    const resumed = mainRequests(here).find(({ news }) => news.includes("now the printer"));
    expectWhole(resumed, ["build the parser", "alpha-8 found"]);
    expect(textOf(resumed)).not.toContain("alpha-1 thought 100");
    const third = await resume("and the last thing");
    expect(third.answers).toEqual(["resumed again"]);
    askedTimes(here, 2);
    const last = mainRequests(here).at(-1);
    expectWhole(last, ["build the parser", "now the printer", "beta-8 found", "alpha-0 thought 0"]);
    expect(textOf(last)).not.toContain("beta-1 thought 100");
    expect(textOf(last).split("This session is being continued")).toHaveLength(2);
  });

  it("leaves what is known of earlier sessions, once, also in a session that is resumed", async () => {
    const title = "The pier's clock is four minutes late";
    const here = await scene([
      on(
        prompted("remember it"),
        use(tool("mcp__throughline__save_memory", { text: title, title })),
        say("kept"),
      ),
      writesSummary,
      on(
        anything,
        ...steps("alpha", 9),
        say("one"),
        ...steps("beta", 9),
        say("two"),
        ...steps("gamma", 9),
        say("three"),
      ),
    ]);
    const { world } = here;
    await world.claude({ prompt: "remember it", args: ["--allowedTools", "mcp__throughline__save_memory"] });
    const before = mainRequests(here).length;
    const first = await world.claude({ prompt: "go", env: smallWindow });
    const [session = ""] = first.sessions;
    for (const prompt of ["go on", "and on"])
      await world.claude({ prompt, args: ["--resume", session], env: smallWindow });
    askedTimes(here, 3);
    const own = mainRequests(here).slice(before);
    const told = own.map((request) => textOf(request).split(`| 🔵 | ${title}`).length - 1);
    expect([...new Set(told)]).toEqual([1]);
    expect(brokenPrefixes(own)).toBe(0);
  });

  it("that a person asks for is answered too", async () => {
    const here = await scene([
      writesSummary,
      on(
        prompted("build the parser"),
        ...steps("alpha", 9).map((reply) => ({ ...reply, usage: {} })),
        say("done"),
      ),
      on(anything, say("went on")),
    ]);
    const run = await here.world.claude({
      prompts: ["build the parser", "/compact keep the names", "go on"],
    });
    expect(run.answers).toEqual(["done", "", "went on"]);
    askedTimes(here, 1);
    expectWhole(mainRequests(here).at(-1), ["CLAUDE'S OWN SUMMARY", "build the parser", "go on"]);
    const kept = await here.throughline.settle();
    expect(kept.prompts.map(({ promptText }) => promptText)).toEqual(["build the parser", "go on"]);
  });

  it("of a subagent is left to Claude Code, and the conversation that called it is not", async () => {
    const here = await scene([
      on((request) => compaction(request) && ofSubagents(request), summary("CLAUDE CODE'S OWN SUMMARY")),
      writesSummary,
      on(ofSubagents, ...steps("counted", 9), say("counted it all")),
      on(anything, use(delegate("COUNT")), ...steps("alpha", 9), say("all done")),
    ]);
    const run = await here.world.claude({ prompt: "build the parser", env: smallWindow });
    expect([run.exitCode, run.answers, run.stderr]).toEqual([0, ["all done"], ""]);
    const { requests } = here.world.api;
    expect(requests.filter(compaction).map(ofSubagents)).toEqual([true, false]);
    const subagents = textOf(requests.filter(ofSubagents).at(-1));
    expect(subagents).toContain("CLAUDE CODE'S OWN SUMMARY");
    expect(subagents).not.toContain("throughline-context");
    const last = mainRequests(here).at(-1);
    // What a subagent reported is for Claude's own summary to tell; the scripted one does not.
    expectWhole(last, ["CLAUDE'S OWN SUMMARY", "build the parser", "alpha-8 found"]);
    expect(textOf(last)).not.toContain("CLAUDE CODE'S OWN SUMMARY");
  });

  it("ahead of time is declined, so that one summary is asked for, when it is time", async () => {
    const play = async (env: Readonly<Record<string, string>>) => {
      const here = await scene([
        writesSummary,
        on(
          anything,
          say("done", half),
          ...steps("alpha", 9).map((reply) => ({ ...reply, ...half })),
          say("all done", half),
          say("went on"),
        ),
      ]);
      const run = await here.world.claude({
        prompts: ["build the parser", "now the printer", "/compact", "go on"],
        settings: aheadOfTime(here),
        env: { CLAUDE_CODE_GB_DISK_CACHE_WHEN_TELEMETRY_OFF: "1", ...env },
      });
      expect(run.answers).toEqual(["done", "all done", "", "went on"]);
      return here;
    };
    const plain = await play({ THROUGHLINE_DISABLE: "1" });
    const asked = plain.world.api.requests.filter(compaction);
    // Before the turn was over: it was not requested yet.
    expect(asked.map(({ index }) => index < (mainRequests(plain).at(-2)?.index ?? 0))).toEqual([true]);
    const here = await play({});
    askedTimes(here, 1);
    expectWhole(mainRequests(here).at(-1), ["build the parser", "now the printer", "go on"]);
  });
});
