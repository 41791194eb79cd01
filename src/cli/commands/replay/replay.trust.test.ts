// A messy tree of transcripts: what can be repaired is, the rest is left out by name, and the others are done.
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { cliFile, commandLine } from "../../../../test/commandLine.ts";
import { hopeless, repairable } from "../../../../test/fixtures/transcript/damage.ts";
import { ClaudeRows } from "../../../../test/fixtures/transcript/session.ts";
import { replayFolder } from "../../../home/index.ts";
import { check, type Message } from "../../../messages/index.ts";
import compactFamily from "../compact.ts";
import transcriptFamily from "../transcript.ts";
import replayFamily from "./replay.ts";

const terminal = commandLine();
beforeEach(() => {
  vi.stubEnv("THROUGHLINE_HOME", terminal.homeFolder);
});
afterEach(() => {
  vi.unstubAllEnvs();
});

/** Several turns with thinking, parallel calls and prose. */
function soundSession(turns = 4): Buffer {
  const rows = new ClaudeRows();
  for (let turn = 1; turn <= turns; turn++) {
    rows.user(`please do part ${turn}`);
    rows.assistant(`a${turn}`, { type: "thinking", thinking: "first this", signature: "c2ln" });
    const calls = [1, 2].map((at) => [`t${turn}-${at}`, rows.call(`a${turn}`, `t${turn}-${at}`)] as const);
    for (const [tool, parentUuid] of calls) rows.result(tool, { parentUuid });
    rows.say(`b${turn}`, `Part ${turn} is done.`);
  }
  return Buffer.from(rows.rows.map((row) => `${JSON.stringify(row)}\n`).join(""));
}

interface Replayed {
  readonly sessions: readonly { readonly session: string; readonly policy: string }[];
  readonly leftOut: readonly { readonly file: string; readonly reason: string }[];
  readonly undone: number;
}

const { compact } = compactFamily;
const { replay: replayCommand } = replayFamily;
const { window: windowCommand } = transcriptFamily;

const dataOf = async (command: typeof compact, ...args: string[]): Promise<unknown> =>
  (await command.run([...args, "--json"], "throughline")).data;
/** As a user types it, without a process of its own. */
const jsonOf = async (...args: string[]): Promise<unknown> =>
  JSON.parse((await terminal.runInProcess([...args, "--json"])).out);
const nameOf = (damage: string): string => damage.replaceAll(" ", "-");

describe("damaged transcripts", () => {
  it("are replayed where they can be repaired, and left out by name where not", async () => {
    const whole = soundSession();
    for (const [name, damage] of Object.entries({ ...repairable, ...hopeless }))
      terminal.write(`tree/${nameOf(name)}.jsonl`, damage(whole));
    const folder = path.join(terminal.folder, "tree");
    const { sessions, leftOut, undone } = (await dataOf(
      replayCommand,
      folder,
      "--policy",
      "seed,thrifty",
      "--jobs",
      "2",
    )) as Replayed;
    expect(undone).toBe(0);
    expect([...new Set(sessions.map(({ session }) => session))].sort()).toEqual(
      Object.keys(repairable).map(nameOf).sort(),
    );
    for (const { reason } of leftOut) expect(reason).toMatch(/\w{2}/);
    expect(leftOut.map(({ file }) => path.basename(file, ".jsonl")).sort()).toEqual(
      Object.keys(hopeless).map(nameOf).sort(),
    );
  });

  it.each(Object.entries(repairable))("can be compacted and shown when one %s", async (_name, damage) => {
    const file = terminal.write("session.jsonl", damage(soundSession()));
    for (const command of [compact, windowCommand]) {
      const { messages } = (await dataOf(command, file)) as { messages: Message[] };
      const open = check(messages, { allowPrefill: true }).filter(
        ({ code }) => code !== "tool-use-unanswered",
      );
      expect(open).toEqual([]);
      expect(JSON.stringify(messages)).toMatch(/part \d|t\d-\d/);
    }
  });

  it("keep everything that was said before an interruption, and say what was repaired", async () => {
    const damage = repairable["ends with thinking behind text"] ?? ((whole: Buffer) => whole);
    const file = terminal.write("session.jsonl", damage(soundSession()));
    const { messages } = (await jsonOf("window", file)) as { messages: Message[] };
    expect(messages.at(-1)).toEqual({ role: "assistant", content: [{ type: "text", text: "So" }] });
    expect((await terminal.runInProcess(["window", file])).out).toMatch(
      /repair message \d+: left out thinking/,
    );
    expect((await terminal.runInProcess(["compact", file])).out).toMatch(
      /repaired +message \d+: left out thinking/,
    );
  });

  it("that lost their beginning keep the rest behind a note", async () => {
    const file = terminal.write(
      "session.jsonl",
      soundSession()
        .toString("utf8")
        .replace(/^[^\n]*\n/, ""),
    );
    const { messages, lost_beginning } = (await jsonOf("window", file)) as {
      messages: Message[];
      lost_beginning: boolean;
    };
    expect(lost_beginning).toBe(true);
    expect(JSON.stringify(messages[0])).toContain(
      "the beginning of this conversation is not in its transcript",
    );
    expect(JSON.stringify(messages)).toContain("output of t1-1");
  });
});

/** Claude Code's tree with everything in it that is found on real machines. */
function messyTree(): string {
  const whole = soundSession();
  const tree = path.join(terminal.folder, ".claude", "projects");
  const at = (name: string): string => path.join(tree, name);
  terminal.write(".claude/projects/-home-a/one.jsonl", whole);
  terminal.write(".claude/projects/-home-a/one/subagents/agent-x.jsonl", whole);
  terminal.write(".claude/projects/-home-a/one/tool-results/big.jsonl", whole);
  terminal.write(".claude/projects/-home-a/agent-old.jsonl", whole);
  terminal.write(".claude/projects/-home-a/empty.jsonl", "");
  terminal.write(".claude/projects/-home-a/notes.txt", "no transcript");
  terminal.write(".claude/projects/-home-b/two.jsonl", soundSession(2));
  terminal.write(".claude/projects/-home-b/binary.jsonl", Buffer.alloc(9_000, 7).fill(0, 10, 4_000));
  terminal.write(".claude/projects/-home-b/folder.jsonl/three.jsonl", soundSession(3));
  terminal.write(".claude/projects/.hidden/secret.jsonl", whole);
  terminal.write(`.claude/projects/${"deep/".repeat(12)}lost.jsonl`, whole);
  symlinkSync("nowhere.jsonl", at("-home-b/dangling.jsonl"));
  symlinkSync("circle.jsonl", at("-home-b/circle.jsonl"));
  symlinkSync(tree, at("-home-b/loop"));
  symlinkSync(at("-home-a/one.jsonl"), at("-home-b/again.jsonl"));
  spawnSync("mkfifo", [at("-home-b/pipe.jsonl")]);
  return tree;
}

describe("a messy tree", () => {
  it("is searched below, each session once, and what is no session is named with its reason", async () => {
    const tree = messyTree();
    const { code, out, err } = await terminal.runInProcess(["replay", tree, "--policy", "append-only"]);
    expect(code).toBe(0);
    expect(out).toMatch(/^append-only +100\.0 %/m);
    const lines = err.trim().split("\n").sort();
    const named = lines.map((line) => line.replace(`skipped ${tree}/`, ""));
    expect(named).toEqual([
      "-home-a/empty.jsonl: no answered request with usage",
      "-home-b/binary.jsonl: holds binary data, not lines of JSON.",
      "-home-b/circle.jsonl: a link that leads to itself",
      "-home-b/dangling.jsonl: a link that leads nowhere",
      "-home-b/pipe.jsonl: not a file",
      `${"deep/".repeat(9).slice(0, -1)}: deeper than 8 folders; name it to search it`,
    ]);
    const { sessions, leftOut } = (await jsonOf("replay", tree, "--policy", "append-only")) as Replayed;
    expect(sessions.map(({ session }) => session)).toEqual(["one", "three", "two"]);
    expect(leftOut).toHaveLength(named.length);
  });

  it("is found from the home folder too, and a subagent's file by its name", async () => {
    const tree = messyTree();
    const from = async (place: string): Promise<string[]> =>
      ((await jsonOf("replay", place, "--policy", "append-only")) as Replayed).sessions.map(
        (one) => one.session,
      );
    expect(await from(terminal.folder)).toEqual(["one", "three", "two"]);
    expect(await from(path.join(tree, "-home-a", "agent-old.jsonl"))).toEqual(["agent-old"]);
  });

  it("can be imported, archived and previewed without a word of failure for the rest", async () => {
    const tree = messyTree();
    const env = { HOME: terminal.folder, CLAUDE_CONFIG_DIR: path.join(terminal.folder, ".claude") };
    const preview = await terminal.runInProcess(["import", tree, "--dry-run", "--json"], env);
    expect(preview.code).toBe(0);
    const { done, passedOver } = JSON.parse(preview.out) as {
      done: { file: string }[];
      passedOver: { file: string; problem?: string }[];
    };
    expect(done.map(({ file }) => path.basename(file)).sort()).toEqual([
      "agent-old.jsonl",
      "one.jsonl",
      "three.jsonl",
      "two.jsonl",
    ]);
    expect(passedOver.map(({ file }) => path.basename(file)).sort()).toEqual([
      "binary.jsonl",
      "circle.jsonl",
      "dangling.jsonl",
      "deep",
      "empty.jsonl",
      "pipe.jsonl",
    ]);
    const archived = await terminal.runInProcess(["archive", "--all", "--json"], env);
    expect(archived.code).toBe(4);
    const report = JSON.parse(archived.out) as { archived: { transcript: string }[]; failed: object[] };
    expect(report.archived.map(({ transcript }) => path.basename(transcript)).sort()).toEqual([
      "empty.jsonl",
      "one.jsonl",
      "three.jsonl",
      "two.jsonl",
    ]);
    expect(report.failed).toHaveLength(5);
  });

  it("does without what its user may not read", ({ skip }) => {
    // Root may read everything: another user tries then, in a folder that is not below one of root's.
    const nobody = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {};
    const folder = mkdtempSync("/tmp/throughline-unreadable-");
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    const tree = path.join(folder, "tree");
    for (const name of ["a/one.jsonl", "a/locked.jsonl", "locked/two.jsonl"]) {
      mkdirSync(path.dirname(path.join(tree, name)), { recursive: true });
      writeFileSync(path.join(tree, name), soundSession());
    }
    chmodSync(folder, 0o777);
    chmodSync(path.join(tree, "a", "locked.jsonl"), 0);
    chmodSync(path.join(tree, "locked"), 0);
    const { status, stdout, error } = spawnSync(
      process.execPath,
      [cliFile, "replay", tree, "--policy", "append-only", "--json"],
      {
        cwd: folder,
        env: terminal.environment({ THROUGHLINE_HOME: path.join(folder, "home") }),
        encoding: "utf8",
        ...nobody,
      },
    );
    chmodSync(path.join(tree, "locked"), 0o700);
    if (error !== undefined) skip("no other user can run the command here");
    expect(status).toBe(0);
    const { sessions, leftOut } = JSON.parse(stdout) as Replayed;
    expect(sessions.map(({ session }) => session)).toEqual(["one"]);
    expect(leftOut.map(({ file }) => path.relative(tree, file)).sort()).toEqual(["a/locked.jsonl", "locked"]);
  });

  it("that holds nothing to replay is refused in one sentence", async () => {
    const folder = path.dirname(terminal.write("none/x.txt", ""));
    expect(await terminal.runInProcess(["replay", folder])).toMatchObject({
      code: 1,
      err: expect.stringContaining(`no .jsonl file in ${folder}`),
    });
    terminal.write("none/a.jsonl", "");
    terminal.write("none/b.jsonl", "\n");
    expect((await terminal.runInProcess(["replay", folder])).err).toMatch(
      /skipped [^\n]*a\.jsonl.*none of 2 files is a session/s,
    );
  });
});

describe("Ctrl-C", () => {
  it("prints what is done so far, and the same command goes on from there", async () => {
    const whole = soundSession(30);
    const command = ["replay", "many", "--policy", "seed,thrifty"];
    for (let at = 0; at < 8; at++)
      terminal.write(`many/s${at}.jsonl`, whole.toString("utf8").replaceAll("part 1", `part ${at}`));
    const kept = (): string[] =>
      existsSync(replayFolder(terminal.home)) ? readdirSync(replayFolder(terminal.home)) : [];
    const child = spawn(process.execPath, [cliFile, ...command, "--jobs", "1", "--json"], {
      cwd: terminal.folder,
      env: terminal.environment(),
    });
    let out = "";
    child.stdout.setEncoding("utf8").on("data", (text: string) => {
      out += text;
    });
    const ended = once(child, "close");
    while (kept().length < 2 && child.exitCode === null) await sleep(2);
    child.kill("SIGINT");
    expect(await ended).toEqual([130, null]);
    const { sessions, undone } = JSON.parse(out) as Replayed;
    const done = new Set(sessions.map(({ session }) => session)).size;
    expect(done).toBeGreaterThanOrEqual(2);
    expect(undone).toBe(8 - done);
    expect((terminal.json(...command) as Replayed).undone).toBe(0);
  });
});

it("loses one session, not the others, when a thread ends under it", async () => {
  const { replayBatch, KnownResults, policies } = await import("../../../replay/index.ts");
  const thread = terminal.write(
    "thread.mjs",
    `import { parentPort } from "node:worker_threads";
     parentPort.on("message", ({ name }) => {
       if (name === "exits") process.exit(7);
       if (name === "throws") throw new Error("out of memory");
       parentPort.postMessage({ kind: "left-out", reason: "was asked", code: "not-found" });
     });`,
  );
  const names = ["a", "exits", "b", "throws", "c"];
  for (const name of names) writeFileSync(path.join(terminal.folder, name), name);
  const { leftOut } = await replayBatch(
    names.map((name) => ({ file: path.join(terminal.folder, name), name })),
    {
      settings: { ttl: "5m", overrides: {} },
      policies: policies.slice(0, 1),
      jobs: 2,
      thread,
      known: new KnownResults(path.join(terminal.folder, "known"), "program"),
      fresh: false,
    },
  );
  expect(Object.fromEntries(leftOut.map(({ file, reason }) => [path.basename(file), reason]))).toEqual({
    a: "was asked",
    b: "was asked",
    c: "was asked",
    exits: "its thread ended with code 7",
    throws: "out of memory",
  });
  expect(readFileSync(path.join(terminal.folder, "a"), "utf8")).toBe("a");
});
