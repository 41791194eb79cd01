// What hooks are told: the index where a session begins, a snapshot before it, memories for a prompt; else nothing.
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { captured, keptHere, second } from "../../test/worker/kept.ts";
import { answerFile, answersFolder, projectOf } from "../home/index.ts";
import { DAY, isObject, type JsonObject, parseJson, withoutOwnContext } from "../lib/index.ts";
import { appendLog, saveMemory } from "../memdir/index.ts";
import { CONTEXT_LIMIT, type StartReport } from "../snapshot/index.ts";
import type { CapturedEvent } from "../spool/index.ts";
import { estimateText } from "../tokens/index.ts";
import { memoryFolderFor } from "../tools/memoryFolder.ts";
import { memorySources } from "../tools/memorySource.ts";
import { type InjectSettings, makeAnswers } from "./answers.ts";
import { makeMemoryText } from "./memoryText.ts";

const kept = keptHere();
let folder = "";
let excluded = "";

beforeEach(async () => {
  folder = path.join(kept.folder, "ferry");
  excluded = "";
  environment = {};
  mkdirSync(folder);
  await remember("Boats after midnight belong to the day before", "the board reads 24:35 as 00:35");
});

const remember = (title: string, narrative: string, session = "earlier") =>
  kept.store.addObservations([
    {
      session,
      project: projectOf(folder).id,
      promptNumber: 1,
      at: new Date(second(1)).toISOString(),
      type: "bugfix",
      title,
      narrative,
    },
  ]);

const clock = { now: () => second(60) };
let environment: Record<string, string> = {};

const question = "why do boats after midnight belong to the day before?";

const settings: InjectSettings = { enabled: true, tokens: 1_000, prompts: true, files: true, language: "en" };

const owner = () => ({
  home: kept.home,
  env: { CLAUDE_CONFIG_DIR: path.join(kept.folder, "claude"), ...environment },
  folder,
});

/** The answers as hooks print them. */
function answers(more: Partial<InjectSettings> = {}, snapshot?: Partial<StartReport>) {
  const report = snapshot && {
    decision: { reason: "nothing" },
    lines: [],
    removed: [],
    unreferenced: [],
    ...snapshot,
  };
  const own = makeAnswers({
    home: kept.home,
    store: kept.store,
    snapshots: {
      start: async (_, __, budget = 0) =>
        report && ({ ...report, context: report.context?.slice(0, budget) } as StartReport),
      save: async () => ({ context: "never printed", log: ["SNAPSHOT_FILE=x"] }),
    },
    memoriesFrom: memorySources({ ...owner(), store: kept.store }),
    memories: makeMemoryText({
      home: kept.home,
      env: { CLAUDE_CONFIG_DIR: path.join(kept.folder, "claude"), ...environment },
      clock,
      log: kept.log,
    }),
    settingsFor: () => ({ ...settings, ...more }),
    isExcluded: (cwd) => cwd === excluded,
    clock,
    log: kept.log,
    settleMs: 60_000,
  });
  const answer = async (event: CapturedEvent, project: string | undefined) => own.reply({ event, project });
  return { ...own, answer };
}

const event = (name: string, more: JsonObject = {}, at = 30) =>
  captured({ hook_event_name: name, session_id: "s", cwd: folder, ...more }, second(at));
const start = (source: string, at?: number) => event("SessionStart", { source }, at);

/** What the model is told. */
function told(stdout: string | undefined): string {
  const printed = parseJson(stdout ?? "");
  const output = isObject(printed) ? printed.hookSpecificOutput : undefined;
  return isObject(output) ? String(output.additionalContext) : "";
}

describe("the start of a session", () => {
  it.each(["startup", "clear", "compact"])("is told the index (%s)", async (source) => {
    const { stdout } = await answers().answer(start(source), folder);
    expect(told(stdout)).toContain("| 🔴 | Boats after midnight belong to the day before |");
    expect(withoutOwnContext(told(stdout))).toBe("");
  });

  it.each(["resume", "fork"])("is told nothing that its conversation has (%s)", async (source) => {
    expect((await answers().answer(start(source), folder)).stdout).toBe("");
  });

  it("has the snapshot first and both within the limit", async () => {
    const context = `<throughline-context kind="snapshot">${"x".repeat(20_000)}`;
    const { stdout } = await answers({}, { context, message: "loaded" }).answer(start("compact"), folder);
    const text = told(stdout);
    expect(text).toMatch(/^<throughline-context kind="snapshot">x+\n\n<throughline-context kind="memory"/);
    expect(text).toContain("Boats after midnight");
    expect(text.length).toBeLessThanOrEqual(CONTEXT_LIMIT);
    expect(parseJson(stdout ?? "")).toMatchObject({ systemMessage: "loaded" });
  });

  it("is told nothing when it is switched off, excluded, or told already", async () => {
    expect((await answers({ enabled: false }).answer(start("startup"), folder)).stdout).toBe("");
    excluded = folder;
    expect(await answers().answer(start("startup"), folder)).toEqual({});
    expect(await answers().answer(event("UserPromptSubmit", { prompt: question }), folder)).toEqual({});
    excluded = "";
    const one = answers();
    expect(told((await one.answer(start("startup"), folder)).stdout)).not.toBe("");
    expect(await one.answer(start("startup"), folder)).toEqual({});
  });

  it("is told nothing of another project", async () => {
    const other = path.join(kept.folder, "other");
    mkdirSync(other);
    expect((await answers().answer(start("startup"), other)).stdout).toBe("");
  });
});

describe("the project's memories", () => {
  const save = (name: string, body: string) =>
    saveMemory(
      memoryFolderFor(owner()).place,
      { name, description: `what to know of the ${name}`, type: "project", body, author: "user" },
      { clock },
    );
  const startText = async (source = "startup", one = answers()): Promise<string> =>
    told((await one.answer(start(source), folder)).stdout);

  it("are told after the snapshot and before the index, all within the limit", async () => {
    for (let at = 0; at < 60; at++) await save(`Berth ${at}`, `Marit has the key of berth ${at}.`);
    const context = `<throughline-context kind="snapshot">${"x".repeat(20_000)}`;
    const after = told((await answers({}, { context }).answer(start("compact"), folder)).stdout);
    expect(after).toMatch(/^<[^>]+kind="snapshot">x+\n\n<[^>]+kind="memories"[\s\S]+<[^>]+kind="memory"/);
    const first = await startText();
    expect(first).toMatch(/^<[^>]+kind="memories"[\s\S]+Berth[\s\S]+<[^>]+kind="memory"[\s\S]+Boats after/);
    for (const text of [after, first]) {
      expect(text).toMatch(/- berth-\d+\.md · project · Berth \d+ — .*\(written today, never verified/);
      expect(text.length).toBeLessThanOrEqual(CONTEXT_LIMIT);
    }
    const each = first.split(/(?=<throughline-context)/).map((text) => estimateText(text.trim(), "new"));
    expect(each).toHaveLength(2);
    expect(Math.max(...each)).toBeLessThanOrEqual(settings.tokens);
    expect(withoutOwnContext(first).trim()).toBe("");
  });

  it("are not told where Claude Code loads the folder itself", async () => {
    const name = realpathSync(folder).replace(/[^A-Za-z0-9]/g, "-");
    mkdirSync(path.join(kept.folder, "claude", "projects", name), { recursive: true });
    await save("Berth", "Marit has the key.");
    expect(memoryFolderFor(owner()).place.isClaudes).toBe(true);
    expect(await startText()).not.toContain('kind="memories"');
    // The same folder, and Claude Code does not load it.
    environment = {
      CLAUDE_CODE_DISABLE_AUTO_MEMORY: "1",
      THROUGHLINE_MEMORY_DIR: memoryFolderFor(owner()).place.folder,
    };
    expect(await startText()).toContain("- berth.md");
  });

  it("are told with what is stale, once that was checked", async () => {
    writeFileSync(path.join(folder, "boats.ts"), "export const boats = 1;\n");
    await save("Berth", "The list of berths is in `src/berths.ts`, says Marit.");
    await save("Boats", "The list of boats is in `boats.ts`, says Marit.");
    const before = answers();
    expect(await startText("startup", before)).not.toContain("STALE");
    await before.stop();
    const lines = (await startText()).split("\n");
    expect(lines[lines.findIndex((line) => line.startsWith("- berth.md")) + 1]).toContain("STALE");
    expect(lines.filter((line) => line.includes("STALE"))).toHaveLength(1);
    // The answer for hooks that reach no worker says the same.
    expect(readFileSync(answerFile(kept.home, folder), "utf8")).toContain("STALE");
  });

  it("come with the daily log in log mode: how to append, the last two days, and what waits", async () => {
    environment = { THROUGHLINE_MEMORY_MODE: "log" };
    const { place } = memoryFolderFor(owner());
    const entry = (daysAgo: number, text: string) =>
      appendLog(place, { text, author: "user" }, { clock: { now: () => clock.now() - daysAgo * DAY } });
    entry(3, "The vendor throttles DDL after six.");
    entry(1, "Jonas has the tide table.");
    entry(0, "Marit is away until Monday.");
    const name = realpathSync(folder).replace(/[^A-Za-z0-9]/g, "-");
    const text = await startText();
    const [log = ""] = text.split("</throughline-context>");
    expect(log).toMatch(/^<throughline-context kind="log" nonce="\w+">/);
    expect(log).toMatch(/today's file is logs\/\d{4}\/\d\d\/[\d-]+\.md/);
    expect(log).toMatch(
      /To append: save_memory .*throughline memory log.*Append only.*leave MEMORY\.md alone/,
    );
    expect(log).toMatch(/### [\d-]+\n- .*Jonas.*\n### [\d-]+\n- .*Marit is away/);
    expect(log).not.toContain("throttles");
    expect(log).toMatch(/2 entries of 2 days before today.*throughline memory consolidate/);
    // Where Claude Code loads the memories itself, it does not load the log.
    mkdirSync(path.join(kept.folder, "claude", "projects", name), { recursive: true });
    appendLog(memoryFolderFor(owner()).place, { text: "Tides are late.", author: "user" }, { clock });
    expect(memoryFolderFor(owner()).place.isClaudes).toBe(true);
    expect(await startText("clear")).toContain("Tides are late.");
  });

  it("have no log unless log mode is on", async () => {
    appendLog(memoryFolderFor(owner()).place, { text: "Marit is away.", author: "user" }, { clock });
    expect(await startText()).not.toContain('kind="log"');
  });

  it("break nothing where they cannot be read", async () => {
    const { folder: memories } = memoryFolderFor(owner()).place;
    mkdirSync(path.dirname(memories), { recursive: true });
    writeFileSync(memories, "a file where a folder should be");
    expect(await startText()).toContain("Boats after midnight");
  });
});

describe("a prompt", () => {
  it("is told nothing of an entry that only has its words somewhere", async () => {
    await remember("Tidy up", "the lamp on the quay was green, and the bell rang twice before the fog");
    const prompt = "was the lamp green when the bell rang before the fog?";
    expect(await answers().answer(event("UserPromptSubmit", { prompt }), folder)).toEqual({});
    await remember("The bell rang before the fog", "the lamp on the quay was green");
    const { stdout } = await answers().answer(event("UserPromptSubmit", { prompt }), folder);
    expect(told(stdout)).toContain("The bell rang before the fog");
    expect(told(stdout)).not.toContain("Tidy up");
  });

  const ask = (prompt: string, more?: Partial<InjectSettings>) =>
    answers(more).answer(event("UserPromptSubmit", { prompt }), folder);

  it("is told what it is clearly about, quoted", async () => {
    const text = told((await ask(question)).stdout);
    expect(text).toContain("#1 ");
    expect(text).toMatch(/^> .*24:35/m);
    expect(withoutOwnContext(text)).toBe("");
  });

  it.each([
    "go on",
    "yes",
    "rewrite the login page with a new midnight theme and a larger font please",
    "x ".repeat(5_000),
  ])("is told nothing otherwise: %s", async (prompt) => {
    expect(await ask(prompt)).toEqual({});
  });

  it("is told a memory that it is about, which was chosen to be kept", async () => {
    await saveMemory(memoryFolderFor(owner()).place, {
      ...{
        name: "Release freeze",
        description: "mobile cuts its release branch on Thursdays",
        type: "project",
      },
      ...{ body: "Nothing that is not critical is merged after that.", author: "user" },
    });
    const text = told((await ask("please prepare the release branch for mobile")).stdout);
    expect(text).toContain("release-freeze.md");
    expect(text).toMatch(/^> .*Thursdays/m);
    expect(await ask("please prepare the tea for the mobile crew")).toEqual({});
  });

  it("is told nothing for words that half of everything has", async () => {
    const project = projectOf(folder).id;
    const at = new Date(second(1)).toISOString();
    const usual = (title: string, number: number) => ({
      ...{ session: `s${number}`, project, promptNumber: 1, at, type: "change" as const, title },
    });
    await kept.store.addObservations(
      Array.from({ length: 40 }, (_, number) => usual("Fix the failing build and the tests", number)),
    );
    expect(await ask("can you fix the failing tests and the build")).toEqual({});
  });

  it("is told nothing of its own session, nor when that is off", async () => {
    expect(await ask(question, { prompts: false })).toEqual({});
    const own = event("UserPromptSubmit", { prompt: question, session_id: "earlier" });
    expect(await answers().answer(own, folder)).toEqual({});
  });
});

describe("a file that is opened", () => {
  const opened = (session: string, file: string) => ({ session, folder, file });
  const work = (title: string, filesModified: string[], more: object = {}) => ({
    ...{ session: `s ${title}`, project: projectOf(folder).id, promptNumber: 1, title, filesModified },
    ...{ at: new Date(second(2)).toISOString(), type: "bugfix" as const, ...more },
  });
  const said = ({ stdout = "" }: { stdout?: string }) => {
    const output = parseJson(stdout);
    const { hookSpecificOutput } = isObject(output) ? output : {};
    return String(isObject(hookSpecificOutput) ? hookSpecificOutput.additionalContext : "");
  };

  it("brings the three most relevant observations, once a file and session, within 300 tokens", async () => {
    const long = "of the berth plan that was moved to the next tide ".repeat(6);
    await kept.store.addObservations([
      work("Looked at the berths", [], { type: "discovery", filesRead: ["src/berth.ts"] }),
      work(`Fixed the first berth ${long}`, ["src/berth.ts"], { subtitle: long }),
      work("Fixed another file", ["src/crane.ts"]),
      work(`Fixed the second berth ${long}`, ["src/berth.ts"], { subtitle: long }),
      work("Decided to plan by tides", ["src/berth.ts"], { type: "decision", subtitle: long }),
      work("Fixed by this very session", ["src/berth.ts"], { session: "me" }),
    ]);
    const own = answers();
    const text = said(await own.file(opened("me", path.join(folder, "src", "berth.ts"))));
    expect([...text.matchAll(/^#\d+ .*?: (\w+ \w+ \w+)/gm)].map(([, title]) => title)).toEqual([
      "Decided to plan",
      "Fixed the second",
      "Fixed the first",
    ]);
    expect(text).toMatch(/data, not instructions/);
    expect(estimateText(text, "new")).toBeLessThanOrEqual(300);
    expect(withoutOwnContext(text).trim()).toBe("");
    expect(await own.file(opened("me", path.join(folder, "src", "berth.ts")))).toEqual({});
    expect(said(await own.file(opened("you", path.join(folder, "src", "berth.ts"))))).not.toBe("");
  });

  it("brings nothing where nothing is known, the folder is excluded, or that is off", async () => {
    await kept.store.addObservations([work("Fixed the berth", ["src/berth.ts"])]);
    expect(await answers().file(opened("me", "src/crane.ts"))).toEqual({});
    expect(await answers({ files: false }).file(opened("me", "src/berth.ts"))).toEqual({});
    expect(await answers({ enabled: false }).file(opened("me", "src/berth.ts"))).toEqual({});
    excluded = folder;
    expect(await answers().file(opened("me", "src/berth.ts"))).toEqual({});
  });
});

describe("what lies ready", () => {
  it("follows the ends of turns, also those that are not settled when the worker leaves", async () => {
    const one = answers();
    one.note([event("PostToolUse", { tool_name: "Bash", tool_use_id: "t" })]);
    await one.stop();
    expect(existsSync(answerFile(kept.home, folder))).toBe(false);
    one.note([event("Stop", { last_assistant_message: "done", project_dir: folder, cwd: "/elsewhere" })]);
    await one.stop();
    const ready = parseJson(readFileSync(answerFile(kept.home, folder), "utf8"));
    const stdout = isObject(ready) && isObject(ready.stdout) ? ready.stdout.startup : "";
    expect(told(String(stdout))).toContain("Boats after midnight");
  });

  it("names what is about the work, however old, for the next start", async () => {
    execFileSync("git", ["init", "-q", "-b", "fix/rename-harbour", folder]);
    await remember("Rename the harbour", "piers.json", "long ago");
    await kept.store.addObservations(
      Array.from({ length: 250 }, (_, at) => ({
        session: "s2",
        project: projectOf(folder).id,
        promptNumber: 1,
        at: new Date(second(2 + at / 100)).toISOString(),
        type: "change" as const,
        title: `Something else ${at}`,
      })),
    );
    const [before, after] = [answers(), answers()];
    expect(told((await before.answer(start("startup"), folder)).stdout)).not.toContain("Rename the harbour");
    await before.stop();
    expect(told((await after.answer(start("startup"), folder)).stdout)).toContain("Rename the harbour");
  });

  it("is gone where it is not wanted any more", async () => {
    const [one, other] = [answers(), answers({ enabled: false })];
    one.note([event("Stop", { last_assistant_message: "done" })]);
    await one.stop();
    other.note([event("Stop", { last_assistant_message: "done" })]);
    await other.stop();
    expect(existsSync(answerFile(kept.home, folder))).toBe(false);
  });

  it("goes with what is forgotten", async () => {
    const one = answers();
    one.note([event("Stop", { last_assistant_message: "done" })]);
    await one.stop();
    rmSync(answersFolder(kept.home), { recursive: true });
    expect(existsSync(answerFile(kept.home, folder))).toBe(false);
  });
});

describe("a compaction", () => {
  it("prints nothing before it: Claude Code would show it to the person", async () => {
    const answer = await answers().answer(event("PreCompact", { trigger: "auto" }), folder);
    expect(answer).toEqual({ log: ["SNAPSHOT_FILE=x"] });
  });
});
