// Claude Code in print mode (`claude -p`): uses the user's login; no tools, no settings; one process a question, or a model session.
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { tmpdir } from "node:os";
import { defined, isObject, parseJson, systemErrorCode } from "../../lib/index.ts";
import { textOf } from "../../messages/index.ts";
import type { ProviderSettings } from "../createModel.ts";
import { defaults, type ModelRequest, type Provider } from "../model.ts";
import { noResult, notStarted, outcomeOf } from "./claudeResult.ts";
import { modelSessions } from "./claudeStream.ts";
import { onePrompt } from "./plainText.ts";

const DEFAULT_MODEL = "haiku";
const LONGEST_OUTPUT = 16 * 1024 * 1024;
/** How long to wait for a killed program to exit. */
const GRACE = 2_000;

/** Flags that are left out for older versions that reject them. */
const optionalFlags = ["--safe-mode", "--no-session-persistence", "--disable-slash-commands"];

export function claudeCli(settings: ProviderSettings): Provider {
  const command = settings.command || defaults.command;
  let flags: readonly string[] = optionalFlags;
  const sessions = modelSessions({
    command,
    env: environment(settings.env),
    folder: settings.folder,
    end: endGroup,
  });
  const provider: Provider = async (request, signal) => {
    const args = argumentsFor(request.model ?? (settings.model || DEFAULT_MODEL), request);
    if (request.session)
      return sessions.ask({ ...request.session, args, prompt: onePrompt(request.messages) }, signal);
    const prompt = onePrompt(request.messages);
    for (;;) {
      const run = await runProgram(
        command,
        ["-p", "--output-format", "json", ...args, ...flags],
        prompt,
        environment(settings.env),
        signal,
      );
      const unknown = flags.find((flag) => run.stderr.includes(`unknown option '${flag}'`));
      if (unknown === undefined || signal.aborted)
        return readRun(run, command, request.model ?? settings.model);
      // One flag fewer each time, so that this ends.
      flags = flags.filter((flag) => flag !== unknown);
    }
  };
  return Object.assign(provider, { close: sessions.close });
}

function argumentsFor(model: string, { system, effort }: ModelRequest) {
  const instructions = textOf(system);
  return [
    "--model",
    model,
    "--tools",
    "",
    "--setting-sources",
    "",
    "--strict-mcp-config",
    ...(instructions === "" ? [] : ["--system-prompt", instructions]),
    ...(effort === undefined ? [] : ["--effort", effort]),
  ];
}

/** Keeps our hooks out of it, and hides from it that it runs inside the calling session. */
export function environment(env: ProviderSettings["env"]): Record<string, string | undefined> {
  const kept = Object.entries(env).filter(
    ([name]) =>
      !/^(CLAUDECODE|CLAUDE_PID|CLAUDE_ENV_FILE|CLAUDE_EFFORT|CLAUDE_PROJECT_DIR|AI_AGENT)$|^CLAUDE_CODE_(SESSION_ID|ENTRYPOINT|SSE_PORT)$/.test(
        name,
      ),
  );
  return {
    ...Object.fromEntries(kept),
    THROUGHLINE_NESTED: "1",
    // We retry ourselves.
    CLAUDE_CODE_MAX_RETRIES: "0",
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
    DISABLE_AUTOUPDATER: "1",
  };
}

interface Run {
  readonly stdout: string;
  readonly stderr: string;
  readonly code: number | null;
  /** Set when the program could not be started. */
  readonly problem?: unknown;
}

/** Runs the program until it exits or the signal aborts; then kills its whole process group. */
function runProgram(
  command: string,
  args: readonly string[],
  input: string,
  env: Record<string, string | undefined>,
  signal: AbortSignal,
): Promise<Run> {
  return new Promise((resolve) => {
    let child: ChildProcess;
    try {
      // In a folder that is no project, and as the leader of a process group that can be ended as a whole.
      child = spawn(command, args, { cwd: tmpdir(), env, detached: process.platform !== "win32" });
    } catch (error) {
      // `spawn` throws for arguments that are too long or a folder that does not exist.
      return resolve({ stdout: "", stderr: "", code: null, problem: error });
    }
    const output = { stdout: "", stderr: "" };
    let grace: NodeJS.Timeout | undefined;
    const stop = () => {
      endGroup(child);
      // A grandchild may hold the pipes open after the program has exited.
      grace = setTimeout(() => finish(null), GRACE);
    };
    const finish = (code: number | null, problem?: Error) => {
      signal.removeEventListener("abort", stop);
      clearTimeout(grace);
      child.stdout?.destroy();
      child.stderr?.destroy();
      resolve(defined({ ...output, code, problem }));
    };
    const collect = (name: "stdout" | "stderr") => (chunk: string) => {
      output[name] += chunk;
      if (output[name].length > LONGEST_OUTPUT) stop();
    };
    child.stdout?.setEncoding("utf8").on("data", collect("stdout"));
    child.stderr?.setEncoding("utf8").on("data", collect("stderr"));
    child.on("error", (problem) => finish(null, problem));
    child.once("close", (code) => finish(code));
    // A program that exits without reading its input is judged by its output.
    child.stdin?.on("error", () => child.stdin?.destroy());
    child.stdin?.end(input);
    if (signal.aborted) stop();
    else signal.addEventListener("abort", stop, { once: true });
  });
}

function endGroup({ pid }: ChildProcess) {
  if (pid === undefined) return;
  if (process.platform === "win32") {
    spawnSync("taskkill", ["/pid", String(pid), "/t", "/f"], { stdio: "ignore" });
    return;
  }
  try {
    process.kill(-pid, "SIGKILL");
  } catch (error) {
    // Gone already.
    if (systemErrorCode(error) !== "ESRCH") throw error;
  }
}

function readRun({ stdout, stderr, code, problem }: Run, command: string, askedFor: string) {
  if (problem !== undefined) return notStarted(problem, command);
  const result = lastObject(stdout);
  return result?.type === "result"
    ? outcomeOf(result, askedFor)
    : noResult(command, code, stderr.trim() || stdout.trim());
}

/** The result is printed last; there may be warnings before it. */
function lastObject(stdout: string) {
  for (const line of stdout.trim().split("\n").toReversed()) {
    const value = parseJson(line);
    if (isObject(value)) return value;
  }
  const whole = parseJson(stdout);
  return isObject(whole) ? whole : undefined;
}
