// What survives a compaction in the real CLI: the snapshot, its reference, and what the next request and session are told.

import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { vaultFolder } from "../../src/home/index.ts";
import { HOUR, isObject } from "../../src/lib/index.ts";
import { openVault } from "../../src/vault/index.ts";
import {
  type ApiRequest,
  compaction,
  on,
  prompted,
  type Scenario,
  say,
  summary,
  tool,
  use,
} from "../scripted-api/index.ts";
import { until } from "../until.ts";
import type { ClaudeRun } from "./drive.ts";
import { type Throughline, throughlineIn } from "./throughline.ts";
import { hasClaude, openWorld, type World } from "./world.ts";

const rules = "# Rules of the project\n\nKeep it small.\n";
const MARK = "TEMP_COMPACT_SNAPSHOT_START";

function work(folder: string): Scenario {
  const file = path.join(folder, "notes.txt");
  return [
    on(
      prompted("build the parser"),
      use(tool("Write", { file_path: file, content: "first line\n" }), {
        text: "I will write the notes first.",
      }),
      use([tool("Bash", { command: "echo hello" }), tool("Read", { file_path: file })]),
      say("The parser is built."),
    ),
    on(prompted("go on"), use(tool("Bash", { command: "echo more" })), say("went on")),
    on(prompted("something new"), say("new indeed")),
    on(compaction, summary("There were notes.")),
  ];
}

interface Scene {
  readonly world: World;
  readonly throughline: Throughline;
  /** The project that the agent works in. */
  readonly project: string;
}

async function scene(folder?: string): Promise<Scene> {
  const world = await openWorld();
  const throughline = throughlineIn(world);
  await throughline.must("install", "--yes");
  const project = folder === undefined ? world.work : path.join(world.work, folder);
  mkdirSync(project, { recursive: true });
  writeFileSync(path.join(project, "CLAUDE.md"), rules);
  world.api.play(work(project));
  return { world, throughline, project };
}

const page = ({ project }: Scene): string => readFileSync(path.join(project, "CLAUDE.md"), "utf8");

function snapshots({ project }: Scene): string[] {
  const folder = path.join(project, ".claude");
  const names = existsSync(folder) ? readdirSync(folder) : [];
  return names.filter((name) => name.startsWith("compact-snapshot-")).map((name) => path.join(folder, name));
}

const wholeText = (request: ApiRequest | undefined): string => JSON.stringify(request?.body ?? {});

/** The requests of a turn that a person's words opened. */
const requestsOf = ({ world }: Scene, words: string): ApiRequest[] =>
  world.api.requests.filter((request) => request.kind === "message" && request.prompt.includes(words));

const digest = /throughline-context kind=\\"snapshot\\"/;

/** What the CLI showed the user on behalf of hooks. */
const shown = (run: ClaudeRun): string => JSON.stringify(run.events);

/** Everything Node does in a run, hooks and worker, happens so many milliseconds later. */
function later(ms: number): Record<string, string> {
  const shift = path.resolve(import.meta.dirname, "../../scripts/start/shiftedClock.cjs");
  return { NODE_OPTIONS: `--require ${shift}`, SHIFT_MS: String(ms) };
}

async function compacted(given: Scene): Promise<string> {
  const run = await given.world.claude({ prompts: ["build the parser", "/compact"], cwd: given.project });
  await given.throughline.settle();
  expect([run.exitCode, run.stderr, snapshots(given).length]).toEqual([0, "", 1]);
  return run.sessions[0] ?? "";
}

describe.skipIf(!hasClaude)("a session that is compacted by hand", () => {
  it("leaves a snapshot and a reference, and its next request has the digest", async () => {
    const given = await scene();
    const { world, throughline, project } = given;
    const run = await world.claude({ prompts: ["build the parser", "/compact", "go on"] });
    expect([run.exitCode, run.stderr, run.timedOut]).toEqual([0, "", false]);
    const [file = "", ...others] = snapshots(given);
    expect(others).toEqual([]);
    expect(path.basename(file)).toMatch(/^compact-snapshot-\d{14}\.md$/);
    const text = readFileSync(file, "utf8");
    for (const part of [
      "**Generated**",
      "**Valid for**: 2 hours",
      "**Active Agent**: unknown",
      "**Function**",
    ])
      expect(text).toContain(part);
    for (const part of ["**Core content**: build the parser", "**Related files**", "- notes.txt (written)"])
      expect(text).toContain(part);
    for (const part of ["**Next actions**", "**Key decisions**", "### Turn 1: User\n\nbuild the parser\n"])
      expect(text).toContain(part);
    expect(text).toContain(
      "### Turn 2: Assistant\n\nI will write the notes first.\n\nThe parser is built.\n",
    );
    expect(page(given).startsWith(`\n---\n<!-- ${MARK} -->\n`)).toBe(true);
    expect(page(given)).toContain(`.claude/${path.basename(file)}`);
    expect(page(given).endsWith(`-->\n---\n\n${rules}`)).toBe(true);
    const [asked] = world.api.requests.filter(({ kind }) => kind === "compaction");
    // What the digest tells is told once.
    expect(wholeText(asked)).not.toContain("throughline-context");
    const [next] = requestsOf(given, "go on");
    expect(wholeText(next)).toMatch(digest);
    expect(wholeText(next)).toContain(file);
    // The block and what follows it in CLAUDE.md reach the model: its rules are not read as frontmatter.
    for (const words of ["Temporary context snapshot", "# Rules of the project", "Keep it small."])
      expect(wholeText(next)).toContain(words);
    expect(shown(run)).toMatch(/Throughline kept \d+ KB · recall tl:[0-9a-f]{12}/);
    expect(wholeText(next).match(/asked and answered before the compaction/g)).toHaveLength(1);
    const kept = await throughline.settle();
    expect(JSON.stringify(kept.events)).not.toContain("throughline-context");
    expect(snapshots(given)).toEqual([file]);
    expect(existsSync(path.join(project, ".claude", "settings.json"))).toBe(false);
  });

  it("changes nothing that git tracks, and the next session is told of the snapshot and of the rules", async () => {
    const given = await scene();
    const { world, project } = given;
    const git = (...args: string[]): string =>
      execFileSync("git", ["-c", "user.name=x", "-c", "user.email=x@x", ...args], {
        cwd: project,
        encoding: "utf8",
      });
    git("init", "-q");
    git("add", "CLAUDE.md");
    git("commit", "-qm", "rules");
    await compacted(given);
    // The agent wrote one file.
    expect(git("status", "--porcelain", "-uall")).toBe("?? notes.txt\n");
    expect(page(given)).toBe(rules);
    const local = readFileSync(path.join(project, "CLAUDE.local.md"), "utf8");
    expect(local.startsWith(`\n---\n<!-- ${MARK} -->\n`)).toBe(true);
    await world.claude({ prompts: ["something new"], cwd: project });
    const [next] = requestsOf(given, "something new");
    expect(wholeText(next)).toContain(rules.trim().split("\n")[0]);
    expect(wholeText(next)).toContain(`.claude/${path.basename(snapshots(given)[0] ?? "")}`);
    expect(wholeText(next)).toContain("CLAUDE.local.md");
  });
});

describe.skipIf(!hasClaude)("a session whose worker is killed before it is compacted", () => {
  it("leaves one snapshot all the same", async () => {
    const given = await scene();
    const { world, throughline } = given;
    const kill = (): void => void throughline.signalWorker("SIGKILL");
    world.api.play([
      on(prompted("build the parser"), say("The parser is built.", { before: kill })),
      on(compaction, summary("There were notes.")),
    ]);
    const run = await world.claude({ prompts: ["build the parser", "/compact"] });
    expect([run.exitCode, run.stderr]).toEqual([0, ""]);
    await throughline.settle();
    expect(snapshots(given)).toHaveLength(1);
    expect(readFileSync(snapshots(given)[0] ?? "", "utf8")).toContain("The parser is built.");
    expect(page(given)).toContain(MARK);
  });
});

describe.skipIf(!hasClaude)("a session that compacts by itself", () => {
  it("leaves one snapshot for each compaction", async () => {
    const given = await scene();
    const { world, throughline } = given;
    const step = (number: number, tokens: number) =>
      use(tool("Bash", { command: `echo step ${number}` }), {
        text: `step ${number}`,
        usage: { input_tokens: tokens },
      });
    world.api.play([
      on(compaction, summary("They took steps.")),
      on(
        prompted("take the steps"),
        ...[1, 2, 3, 4].map((number) => step(number, 20_000)),
        step(5, 195_000),
        step(6, 20_000),
        say("done"),
      ),
    ]);
    const run = await world.claude({
      prompt: "take the steps",
      env: { CLAUDE_CODE_AUTO_COMPACT_WINDOW: "100000" },
    });
    expect([run.exitCode, run.stderr]).toEqual([0, ""]);
    const compactions = world.api.requests.filter(({ kind }) => kind === "compaction");
    expect(compactions).toHaveLength(1);
    await throughline.settle();
    const [file = "", ...others] = snapshots(given);
    expect(others).toEqual([]);
    expect(readFileSync(file, "utf8")).toContain("### Turn 1: User\n\ntake the steps\n");
    const after = world.api.requests.find(
      (request) => request.kind === "message" && request.index > (compactions[0]?.index ?? 0),
    );
    expect(wholeText(after)).toMatch(digest);
  });
});

describe.skipIf(!hasClaude)("without the hook before compactions", () => {
  it("the snapshot still appears, and the next request has its digest", async () => {
    const given = await scene();
    const { world, throughline } = given;
    const file = path.join(world.home, ".claude", "settings.json");
    const settings: unknown = JSON.parse(readFileSync(file, "utf8"));
    if (!isObject(settings) || !isObject(settings.hooks)) throw new Error("nothing is installed");
    const { PreCompact: _, ...hooks } = settings.hooks;
    writeFileSync(file, JSON.stringify({ ...settings, hooks }));
    await world.claude({ prompts: ["build the parser", "/compact", "go on"] });
    await throughline.settle();
    expect(snapshots(given)).toHaveLength(1);
    expect(readFileSync(snapshots(given)[0] ?? "", "utf8")).toContain("The parser is built.");
    expect(page(given)).toContain(MARK);
    expect(wholeText(requestsOf(given, "go on")[0])).toMatch(digest);
  });
});

describe.skipIf(!hasClaude)("a new session", () => {
  it("1 h 59 min later loads, with the worker dead", async () => {
    const given = await scene();
    await compacted(given);
    // What starts a worker is taken away: the hook has to decide alone.
    const runtime = path.join(given.throughline.home.state, "runtime.json");
    const state: unknown = JSON.parse(readFileSync(runtime, "utf8"));
    if (!isObject(state)) throw new Error("hooks know nothing");
    writeFileSync(runtime, JSON.stringify({ ...state, worker: { node: "/nowhere/node", script: "x" } }));
    const run = await given.world.claude({ prompt: "something new", env: later(2 * HOUR - 60_000) });
    expect(wholeText(requestsOf(given, "something new")[0])).toMatch(digest);
    expect(shown(run)).toMatch(/loaded the snapshot · 119 min old/);
    expect(snapshots(given)).toHaveLength(1);
    expect(page(given)).toContain(MARK);
  });

  it("2 h and 1 s later is clean, and the bytes are recallable", async () => {
    const given = await scene();
    const session = await compacted(given);
    const bytes = readFileSync(snapshots(given)[0] ?? "");
    const run = await given.world.claude({ prompt: "something new", env: later(2 * HOUR + 1_000) });
    const [first] = requestsOf(given, "something new");
    expect(wholeText(first)).not.toMatch(digest);
    expect(wholeText(first)).toContain("is void: it is outdated");
    expect(shown(run)).toContain("cleaned up an outdated snapshot");
    expect(snapshots(given)).toEqual([]);
    expect(page(given)).toBe(rules);
    await given.throughline.settle();
    const vault = openVault(vaultFolder(given.throughline.home));
    const found = vault
      .list({ session })
      .filter(({ origins }) => origins.some(({ level }) => level === "snapshot"));
    expect(found).toHaveLength(1);
    expect(Buffer.compare(vault.read(found[0]?.handle ?? ""), bytes)).toBe(0);
    const recalled = await given.throughline.must("recall", found[0]?.handle ?? "");
    expect(recalled.out).toBe(bytes.toString("utf8"));
  });

  it("that begins with /clear is clean, whatever the age", async () => {
    const given = await scene();
    await given.world.claude({ prompts: ["build the parser", "/compact", "/clear", "something new"] });
    expect(wholeText(requestsOf(given, "something new")[0])).not.toMatch(digest);
    await given.throughline.settle();
    expect(snapshots(given)).toEqual([]);
    expect(page(given)).toBe(rules);
  });

  it("that is a fork goes by age", async () => {
    const given = await scene();
    const session = await compacted(given);
    const args = ["--resume", session, "--fork-session"];
    const young = await given.world.claude({ prompt: "something new", args });
    expect(young.sessions).not.toContain(session);
    expect(shown(young)).toContain("loaded the snapshot");
    await given.throughline.settle();
    const old = await given.world.claude({ prompt: "something new", args, env: later(3 * HOUR) });
    expect(shown(old)).toContain("cleaned up an outdated snapshot");
    expect(page(given)).toBe(rules);
  });
});

describe.skipIf(!hasClaude)("in Chinese", () => {
  it("a project and a conversation are kept as they are", async () => {
    const given = await scene("托福 项目");
    await given.throughline.must("config", "set", "locale", "zh");
    given.world.api.play([
      on(prompted("实现记忆存储"), use(tool("Bash", { command: "echo 好" })), say("已经决定采用时序存储。")),
      on(prompted("继续"), say("继续了")),
      on(compaction, summary("做了存储。")),
    ]);
    const run = await given.world.claude({
      prompts: ["实现记忆存储", "/compact", "继续"],
      cwd: given.project,
    });
    expect([run.exitCode, run.stderr]).toEqual([0, ""]);
    await until(() => snapshots(given).length === 1, "the snapshot");
    const text = readFileSync(snapshots(given)[0] ?? "", "utf8");
    for (const part of [
      "# 压缩前上下文快照",
      "**有效期**: 2小时",
      "**核心内容**: 实现记忆存储",
      "## ⚠️ 使用说明",
    ])
      expect(text).toContain(part);
    expect(text).toContain(
      "### Turn 1: User\n\n实现记忆存储\n\n### Turn 2: Assistant\n\n已经决定采用时序存储。\n",
    );
    // What the assistant says by itself is shown, and is no decision of the user's.
    expect(text).toContain("**关键技术决策**:\n- unknown");
    expect(text).toContain("user: 实现记忆存储\n");
    expect(text).toContain("assistant: 已经决定采用时序存储。\n");
    expect(page(given)).toContain("临时上下文快照");
    const [next] = requestsOf(given, "继续");
    expect(wholeText(next)).toMatch(digest);
    expect(wholeText(next)).toContain("托福 项目");
    expect(shown(run)).toMatch(/Throughline 已保留 \d+ KB · recall tl:/);
  });
});
