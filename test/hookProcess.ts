// Runs the built hooks as an agent would: a process of its own, a payload on stdin, a home of its own.
import { spawn, spawnSync } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { createServer, type Server, type Socket } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach } from "vitest";
import {
  type Home,
  hookLog,
  type RuntimeState,
  resolveHome,
  runtimeFile,
  spoolFolder,
  workerSocket,
} from "../src/home/index.ts";
import { type CapturedEvent, isCapturedEvent } from "../src/spool/index.ts";

type Bundle = "capture" | "answer" | "precompact";
export const hookFile = (bundle: Bundle): string =>
  path.resolve(import.meta.dirname, `../dist/hooks/${bundle}.cjs`);

interface HookOutcome {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

/** What a hook leaves when all is well or all is wrong: no exit code, no word. */
export const quiet: HookOutcome = { code: 0, out: "", err: "" };

const base = {
  session_id: "0d52b3bd-0000-4000-8000-000000000001",
  transcript_path: "/home/dev/.claude/projects/-home-dev-app/0d52b3bd.jsonl",
  cwd: "/home/dev/app",
  prompt_id: "df6c2084-0000-4000-8000-000000000002",
  permission_mode: "default",
};

/** Payloads of the shape that Claude Code hands over, with fields of a test's own. */
export const payloads = {
  tool: (more: object = {}): object => ({
    ...base,
    hook_event_name: "PostToolUse",
    tool_name: "Bash",
    tool_input: { command: "npm test", description: "run the tests" },
    tool_response: { stdout: "12 passed", stderr: "", interrupted: false },
    tool_use_id: "toolu_01",
    duration_ms: 64,
    ...more,
  }),
  prompt: (more: object = {}): object => ({
    ...base,
    hook_event_name: "UserPromptSubmit",
    prompt: "add a test",
    ...more,
  }),
  start: (more: object = {}): object => ({
    ...base,
    hook_event_name: "SessionStart",
    source: "startup",
    ...more,
  }),
  preCompact: (more: object = {}): object => ({
    ...base,
    hook_event_name: "PreCompact",
    trigger: "auto",
    custom_instructions: null,
    ...more,
  }),
};

interface HookHouse {
  readonly folder: string;
  readonly home: Home;
  environment(more?: NodeJS.ProcessEnv): NodeJS.ProcessEnv;
  run(bundle: Bundle, input: object | string | Uint8Array, env?: NodeJS.ProcessEnv): HookOutcome;
  /** The same, while this process goes on: for tests in which it plays the worker. */
  runBeside(bundle: Bundle, input: object, env?: NodeJS.ProcessEnv): Promise<HookOutcome>;
  /** The events in the spool; throws for a file that is none. */
  events(): CapturedEvent[];
  log(): string[];
  writeRuntime(runtime: Partial<RuntimeState>): void;
  /** Listens where the worker would, until the test is over. */
  listen(onLine: (line: string, socket: Socket) => void): Promise<void>;
}

const textOf = (input: object | string | Uint8Array): string | Uint8Array =>
  typeof input === "string" || input instanceof Uint8Array ? input : JSON.stringify(input);

/** A fresh home for every test of the calling file. */
export function hookHouse(): HookHouse {
  let folder = "";
  let servers: Server[] = [];
  beforeEach(() => {
    folder = mkdtempSync(path.join(tmpdir(), "throughline-hook-"));
    // As an installation leaves it: hooks make it only where they are sure that it is wanted.
    mkdirSync(home().state, { recursive: true, mode: 0o700 });
    servers = [];
  });
  afterEach(() => {
    for (const server of servers) server.close();
    rmSync(folder, { recursive: true, force: true });
  });
  const environment = (more: NodeJS.ProcessEnv = {}): NodeJS.ProcessEnv => ({
    PATH: process.env.PATH,
    THROUGHLINE_HOME: path.join(folder, "home"),
    ...more,
  });
  const home = (): Home =>
    resolveHome({ env: environment(), platform: process.platform, homeFolder: folder });
  const readLines = (file: string): string[] =>
    existsSync(file) ? readFileSync(file, "utf8").split("\n").filter(Boolean) : [];
  return {
    get folder() {
      return folder;
    },
    get home() {
      return home();
    },
    environment,
    run(bundle, input, env) {
      const { status, stdout, stderr } = spawnSync(process.execPath, [hookFile(bundle)], {
        cwd: folder,
        env: environment(env),
        input: textOf(input),
        encoding: "utf8",
      });
      return { code: status, out: stdout, err: stderr };
    },
    runBeside: (bundle, input, env) => runHook(bundle, input, environment(env)),
    events() {
      const spool = spoolFolder(home());
      const names = existsSync(spool) ? readdirSync(spool).filter((name) => name.endsWith(".json")) : [];
      return names.sort().map((name) => {
        const event: unknown = JSON.parse(readFileSync(path.join(spool, name), "utf8"));
        if (!isCapturedEvent(event)) throw new Error(`${name} holds no event`);
        return event;
      });
    },
    log: () => readLines(hookLog(home())),
    writeRuntime(runtime) {
      mkdirSync(home().state, { recursive: true, mode: 0o700 });
      writeFileSync(runtimeFile(home()), JSON.stringify(runtime));
    },
    async listen(onLine) {
      mkdirSync(home().state, { recursive: true, mode: 0o700 });
      const server = createServer((socket) => {
        socket.on("error", () => socket.destroy());
        socket.on("data", (chunk) => onLine(String(chunk), socket));
        server.once("close", () => socket.destroy());
      });
      servers.push(server);
      await new Promise<void>((resolve) => server.listen(workerSocket(home()), resolve));
    },
  };
}

/** Runs a hook in exactly that environment, while this process goes on. */
export function runHook(bundle: Bundle, input: object, env: NodeJS.ProcessEnv): Promise<HookOutcome> {
  return new Promise((resolve) => {
    const child = spawn(process.execPath, [hookFile(bundle)], { env });
    let [out, err] = ["", ""];
    child.stdout.on("data", (chunk) => {
      out += chunk;
    });
    child.stderr.on("data", (chunk) => {
      err += chunk;
    });
    child.on("close", (code) => resolve({ code, out, err }));
    child.stdin.end(JSON.stringify(input));
  });
}
