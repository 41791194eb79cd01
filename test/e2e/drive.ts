// Drives the real CLI: prompts in, one line of JSON after another out, until it ends or is killed.
import { once } from "node:events";
import { existsSync, readdirSync } from "node:fs";
import path from "node:path";
import { createInterface } from "node:readline";
import { isObject, type JsonObject, parseJson } from "../../src/lib/index.ts";
import type { Sandbox } from "./sandbox.ts";

export interface ClaudeOptions {
  readonly binary: string;
  readonly sandbox: Sandbox;
  readonly home: string;
  readonly cwd: string;
  /** One prompt on the command line, as in `claude -p "…"`. */
  readonly prompt?: string;
  /** Prompts on stdin, each sent when the one before is answered. */
  readonly prompts?: readonly string[];
  readonly args?: readonly string[];
  /** A settings file of this run alone. */
  readonly settings?: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly timeout?: number;
}

export interface ClaudeRun {
  readonly exitCode: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly timedOut: boolean;
  /** Every line of stdout. */
  readonly events: readonly JsonObject[];
  readonly stderr: string;
  /** The answer to each prompt. */
  readonly answers: readonly string[];
  /** Session ids in the order in which they appeared. */
  readonly sessions: readonly string[];
}

export interface RunningClaude {
  readonly pid: number;
  kill(signal: NodeJS.Signals): void;
  readonly ended: Promise<ClaudeRun>;
}

/** Never a real one: the CLI wants at least twenty characters. */
const dummyKey = "sk-ant-dummy-00000000000000000000";
const DEFAULT_TIMEOUT = 60_000;

/** The tools that the scenarios use run without a question; nothing else does. */
const standardArgs = [
  "--output-format",
  "stream-json",
  "--verbose",
  "--permission-mode",
  "acceptEdits",
  "--allowedTools",
  "Bash,Read,Write,Edit,Agent,Task",
];

/** The whole environment of a run: nothing is inherited. */
export function claudeEnvironment(home: string, port: number): Record<string, string> {
  return {
    // Node is not on this path unless the system put it there: hooks have to find it by themselves.
    PATH: "/usr/local/sbin:/usr/sbin:/sbin:/usr/bin:/bin",
    HOME: home,
    USER: "tester",
    SHELL: "/bin/sh",
    LANG: "C.UTF-8",
    ANTHROPIC_API_KEY: dummyKey,
    ANTHROPIC_BASE_URL: `http://127.0.0.1:${port}`,
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
    DISABLE_TELEMETRY: "1",
    DISABLE_AUTOUPDATER: "1",
    DISABLE_ERROR_REPORTING: "1",
  };
}

export function startClaude(options: ClaudeOptions): RunningClaude {
  const { binary, sandbox, home, cwd, prompt, prompts = [], args = [], settings, env = {} } = options;
  const command = [
    binary,
    "-p",
    ...(prompt === undefined ? ["--input-format", "stream-json"] : [prompt]),
    ...standardArgs,
    ...(settings === undefined ? [] : ["--settings", settings]),
    ...args,
  ];
  const child = sandbox.spawn(command, {
    cwd,
    env: { ...claudeEnvironment(home, sandbox.port), ...env },
    stdio: ["pipe", "pipe", "pipe"],
  });
  const { stdin, stdout, stderr } = child;
  if (!stdin || !stdout || !stderr) throw new Error("the CLI was started without pipes");
  // A CLI that was killed reads no more prompts.
  stdin.on("error", () => stdin.destroy());
  const waiting = prompt === undefined ? [...prompts] : [];
  const sendNext = (): void => {
    const next = waiting.shift();
    if (next === undefined) stdin.end();
    else stdin.write(`${JSON.stringify(userLine(next))}\n`);
  };
  const events: JsonObject[] = [];
  createInterface(stdout).on("line", (line) => {
    const event = parseJson(line);
    if (!isObject(event)) return;
    events.push(event);
    if (event.type === "result") sendNext();
  });
  let complaints = "";
  stderr.setEncoding("utf8").on("data", (chunk) => {
    complaints += chunk;
  });
  let timedOut = false;
  const timer = setTimeout(() => {
    timedOut = true;
    child.kill("SIGKILL");
    // Waiting for the output must not wait for a process that the CLI left behind with its pipes.
    stdout.destroy();
    stderr.destroy();
  }, options.timeout ?? DEFAULT_TIMEOUT);
  const finish = async (): Promise<ClaudeRun> => {
    const [exitCode, signal] = await once(child, "close");
    clearTimeout(timer);
    return { exitCode, signal, timedOut, events, stderr: complaints, ...conclusions(events) };
  };
  sendNext();
  return { pid: child.pid ?? 0, kill: (signal) => child.kill(signal), ended: finish() };
}

function userLine(words: string): JsonObject {
  return { type: "user", message: { role: "user", content: [{ type: "text", text: words }] } };
}

function conclusions(events: readonly JsonObject[]): Pick<ClaudeRun, "answers" | "sessions"> {
  const results = events.filter(({ type }) => type === "result");
  const sessions = events.flatMap(({ session_id: id }) => (typeof id === "string" ? [id] : []));
  return { answers: results.map(({ result }) => String(result ?? "")), sessions: [...new Set(sessions)] };
}

/** The transcripts that Claude Code keeps below a home, by session id. */
export function transcriptsIn(home: string): Map<string, string> {
  const projects = path.join(home, ".claude", "projects");
  if (!existsSync(projects)) return new Map();
  const files = readdirSync(projects, { recursive: true, encoding: "utf8" });
  return new Map(
    files
      .filter((name) => /^[^/]+\/[0-9a-f-]{36}\.jsonl$/.test(name))
      .map((name) => [path.basename(name, ".jsonl"), path.join(projects, name)]),
  );
}
