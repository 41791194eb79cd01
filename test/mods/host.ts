// Drives the real mod as Claude Code does: its hooks in a chain, and behind `$` real files, real requests and real programs.
import { spawn } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { request } from "node:http";
import { text } from "node:stream/consumers";
import { setTimeout as sleep } from "node:timers/promises";
import { vi } from "vitest";
import type { ClassicEvent, Engine, HttpAnswer, HttpInit, Json } from "../../plugin/mods/hooks/engine.ts";
import { hookFile } from "../hookProcess.ts";

/** As much as Claude Code sends, and as long as it waits for an answer. */
const LONGEST_BODY = 4 * 1024 * 1024;
const GIVES_UP_AFTER_MS = 30_000;

type Next = (e: Json) => Promise<Json>;
type Hook = ($: Engine, e: Json, next: Next) => Json | Promise<Json>;
type Matcher = Readonly<Record<string, string | RegExp>>;

interface Registered {
  readonly event: string;
  readonly matcher: Matcher;
  readonly hook: Hook;
}

export interface HostOptions {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly folder: string;
  readonly session: string;
  /** What stands for the command hook of an event that was not taken. */
  readonly commandHook?: (payload: ClassicEvent, env: NodeJS.ProcessEnv) => Promise<unknown>;
}

export interface Host {
  /** Raises an event; `bottom` is what Claude Code does itself. */
  raise(event: string, e: Json, bottom?: (e: Json) => Promise<Json>): Promise<Json>;
  /** An event as command hooks get it. They run beneath the mod, unless it says that it has taken this one. */
  classic(name: string, more?: Json): Promise<Json>;
  /** Events that were left to the command hooks. */
  readonly left: string[];
  /** Programs that the mod has run. */
  readonly programs: (readonly string[])[];
  readonly tools: string[];
  /** Requests that are on their way and not ended by anybody. */
  requests(): number;
}

const matches = (matcher: Matcher, e: Json): boolean =>
  Object.entries(matcher).every(([key, wanted]) =>
    wanted instanceof RegExp ? wanted.test(String(e[key])) : e[key] === wanted,
  );

function runProgram(
  [command = "", ...args]: readonly string[],
  { stdin = "", env }: { stdin?: string; env: NodeJS.ProcessEnv },
): Promise<{ exitCode: number; stdout: string }> {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { env });
    let stdout = "";
    child.stdout.on("data", (chunk) => {
      stdout += chunk;
    });
    child.on("error", reject);
    child.on("close", (code) => resolve({ exitCode: code ?? 1, stdout }));
    // A program that is done need not have read.
    child.stdin.on("error", () => child.stdin.destroy());
    child.stdin.end(stdin);
  });
}

/** A request as Claude Code sends it: by the socket where one is named. */
function fetched(
  url: string,
  { method, headers, body, socketPath }: HttpInit,
  signal: AbortSignal,
): Promise<HttpAnswer> {
  return new Promise((resolve, reject) => {
    const way = socketPath === undefined ? {} : { socketPath };
    const sent = request(url, { method, headers, signal, agent: false, ...way }, (answer) => {
      answer.on("error", reject);
      text(answer).then((told) => resolve({ status: answer.statusCode ?? 0, text: told }), reject);
    });
    sent.on("error", reject);
    signal.addEventListener("abort", reject);
    sent.end(body);
  });
}

/** The hook of the hooks lane itself. */
const capture = (payload: ClassicEvent, env: NodeJS.ProcessEnv): Promise<unknown> =>
  runProgram([process.execPath, hookFile("capture")], { stdin: JSON.stringify(payload), env });

/** A fresh copy of the mod, as a new process of Claude Code has it. */
export async function openHost(options: HostOptions): Promise<Host> {
  const { folder, session, commandHook = capture } = options;
  const environment: Record<string, string | undefined> = { ...options.env };
  const hooks: Registered[] = [];
  const [left, programs, tools]: [string[], (readonly string[])[], string[]] = [[], [], []];
  let requests = 0;
  const raise: Host["raise"] = (event, e, bottom = async () => ({})) => {
    const chain = hooks.filter((one) => one.event === event && matches(one.matcher, e));
    const from = async (at: number, inner: Json): Promise<Json> => {
      const found = chain[at];
      return found === undefined ? bottom(inner) : found.hook($, inner, (passed) => from(at + 1, passed));
    };
    return from(0, e);
  };
  const requested = async (url: string, init: Json): Promise<Json> => {
    if (String(init.body).length > LONGEST_BODY) throw new Error("over the 4194304-character limit");
    // Who settles above ends what is beneath.
    const settled = new AbortController();
    const signal = AbortSignal.any([settled.signal, AbortSignal.timeout(GIVES_UP_AFTER_MS)]);
    try {
      return await raise("http.fetch", { url, init }, async () => {
        requests += 1;
        try {
          return { value: await fetched(url, init as unknown as HttpInit, signal) };
        } finally {
          requests -= 1;
        }
      });
    } finally {
      settled.abort();
    }
  };
  const $: Engine = {
    clock: {
      after: (ms, run) => {
        const timer = setTimeout(run, ms);
        return { cancel: () => clearTimeout(timer) };
      },
    },
    env: {
      get: async (name) => environment[name],
      set: async (name, value) => {
        environment[name] = value;
      },
    },
    fs: {
      read: async (file) => readFileSync(file, "utf8"),
      write: async (file, text) => writeFileSync(file, text),
      exists: async (file) => existsSync(file),
    },
    http: { fetch: async (url, init) => (await requested(url, { ...init })).value as never },
    model: { fork: async () => ({ isAnswered: false }) },
    process: {
      run: async (argv, init = {}) => {
        programs.push(argv);
        return runProgram(argv, { stdin: init.stdin ?? "", env: { ...environment, ...init.env } });
      },
    },
    session: {
      id: async () => session,
      root: async () => folder,
      model: async () => "claude-opus-5-5",
      version: async () => ({ version: "2.1.325" }),
    },
    tool: { register: async ({ name }) => tools.push(name) },
    ui: {
      log: () => undefined,
      resolve: () => ({ Box: (props) => ({ Box: props }), Text: (props) => ({ Text: props }) }),
    },
  };
  vi.resetModules();
  const { register } = await import("../../plugin/mods/hooks/register.ts");
  register((event: string, first: unknown, second?: unknown) => {
    const [matcher, hook] = second === undefined ? [{}, first] : [first, second];
    hooks.push({ event, matcher: matcher as Matcher, hook: hook as Hook });
  });
  return {
    raise,
    async classic(name, more = {}) {
      const payload = {
        hook_event_name: name,
        session_id: session,
        transcript_path: `${folder}/${session}.jsonl`,
        cwd: folder,
        prompt_id: "p1",
        ...more,
      };
      return raise(`classic.${name}`, payload, async () => {
        // A process gets the environment as it is when it starts, which is not at once.
        await sleep(0);
        if (environment.THROUGHLINE_TAKEN === session) return {};
        left.push(name);
        await commandHook(payload, { ...environment });
        return {};
      });
    },
    left,
    programs,
    tools,
    requests: () => requests,
  };
}
