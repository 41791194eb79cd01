// The provider `claude-cli` with programs that answer, refuse, print nonsense, hang or are not there.
import path from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { modelFor, question, temporaryFolder } from "../../../test/fixtures/models/asking.ts";
import { program } from "../../../test/fixtures/models/program.ts";
import type { ModelRequest, ModelSettings } from "../index.ts";
import { environment } from "./claudeCli.ts";

function ask(
  command: string,
  settings: Partial<ModelSettings> = {},
  request: ModelRequest = question,
  signal?: AbortSignal,
) {
  const model = modelFor(
    { provider: "claude-cli", command, ...settings },
    { env: { PATH: "/usr/bin:/bin" } },
  );
  return model.complete(request, signal === undefined ? {} : { signal });
}

const success = {
  type: "result",
  subtype: "success",
  is_error: false,
  result: "Nothing new.",
  stop_reason: "end_turn",
  usage: { input_tokens: 10, output_tokens: 4, cache_read_input_tokens: 2, cache_creation_input_tokens: 0 },
  modelUsage: { "claude-haiku-5-5": {} },
};

const isGone = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
    return false;
  } catch {
    return true;
  }
};

async function untilGone(pids: readonly number[]): Promise<boolean> {
  for (let tries = 0; tries < 200; tries++) {
    if (pids.every(isGone)) return true;
    await wait(50);
  }
  return false;
}

describe.skipIf(process.platform === "win32")("claude -p", () => {
  it("is given the prompt on its input, and no tools, no settings, no hooks of ours", async () => {
    const { command, seen } = program(
      `seen({ args: process.argv.slice(2), input: readFileSync(0, "utf8"), nested: process.env.THROUGHLINE_NESTED, cwd: process.cwd() });
       print(${JSON.stringify(success)});`,
    );
    const outcome = await ask(
      command,
      { model: "sonnet" },
      { ...question, system: "Be brief.", effort: "low" },
    );
    expect(outcome).toEqual({
      ok: true,
      reply: {
        text: "Nothing new.",
        blocks: [{ type: "text", text: "Nothing new." }],
        model: "claude-haiku-5-5",
        stopReason: "end_turn",
        usage: { input: 10, cacheRead: 2, cacheWrite5m: 0, cacheWrite1h: 0, output: 4 },
      },
    });
    expect(seen()).toMatchObject({ input: "What is new?", nested: "1" });
    const { args, cwd } = seen() as { args: string[]; cwd: string };
    expect(cwd).not.toBe(process.cwd());
    expect(args.join(" ")).toBe(
      "-p --output-format json --model sonnet --tools  --setting-sources  --strict-mcp-config --system-prompt Be brief. --effort low --safe-mode --no-session-persistence --disable-slash-commands",
    );
  });

  it("of an older version is asked again without the flags it does not know", async () => {
    const { command } = program(
      `const odd = process.argv.find((arg) => ["--safe-mode", "--no-session-persistence"].includes(arg));
       if (odd) { process.stderr.write("error: unknown option '" + odd + "'\\n"); process.exit(1); }
       print(${JSON.stringify(success)});`,
    );
    expect(await ask(command)).toMatchObject({ ok: true, reply: { text: "Nothing new." } });
  });

  it("may print warnings before its result", async () => {
    const { command } = program(
      `console.log("warning: something"); console.log("{}"); print(${JSON.stringify(success)});`,
    );
    expect(await ask(command)).toMatchObject({ ok: true });
  });

  it("that is missing is said to be, with what to do", async () => {
    const outcome = await ask(path.join(temporaryFolder(), "claude"));
    expect(outcome).toMatchObject({ ok: false, error: { kind: "unavailable" } });
    expect(!outcome.ok && outcome.error.message).toMatch(/was not found; install .* llm\.command/);
  });

  it.each([
    ["garbage", `console.log("\\u001b[31mboo");`, "malformed"],
    ["nothing", "", "malformed"],
    ["JSON that is no result", `console.log("[1, 2]\\n{}");`, "malformed"],
    ["an error and ends with it", `console.error("no way"); process.exit(3);`, "unavailable"],
    [
      "a result without a text",
      `print({ type: "result", subtype: "error_during_execution" });`,
      "unavailable",
    ],
  ])("that prints %s is a failure", async (_what, body, kind) => {
    const { command } = program(body);
    expect(await ask(command)).toMatchObject({ ok: false, error: { kind } });
  });

  it.each([
    [
      "too long",
      {
        result:
          "Prompt is too long · the request is ~208380 tokens (limit 200000) but this conversation is short",
        api_error_status: 400,
      },
      { kind: "prompt-too-long", gap: 8_380 },
    ],
    [
      "too long without numbers",
      { result: "Too much.", terminal_reason: "prompt_too_long", api_error_status: 400 },
      { kind: "prompt-too-long" },
    ],
    ["429", { result: "slow down", api_error_status: 429 }, { kind: "rate-limited" }],
    ["529", { result: "Overloaded", api_error_status: 529 }, { kind: "overloaded" }],
    ["401", { result: "Invalid API key", api_error_status: 401 }, { kind: "unauthorized" }],
    ["no login", { result: "Not logged in · Please run /login" }, { kind: "unauthorized" }],
    ["a spent subscription", { result: "Claude usage limit reached" }, { kind: "rate-limited" }],
  ])("that reports %s is understood", async (_what, result, error) => {
    const { command } = program(
      `print(${JSON.stringify({ type: "result", is_error: true, ...result })}); process.exitCode = 1;`,
    );
    expect(await ask(command, { retries: 0 })).toMatchObject({ ok: false, error });
  });

  it("that hangs is a timeout", async () => {
    const { command } = program(`process.on("SIGTERM", () => {}); setInterval(() => {}, 1000);`);
    const outcome = await ask(command, { timeoutSeconds: 0.5 });
    expect(outcome).toMatchObject({ ok: false, error: { kind: "timeout" } });
  });

  it("that is given up is ended with everything it started", async () => {
    const { command, seen } = program(
      `const child = require("node:child_process").spawn(process.execPath, ["-e", "setInterval(() => {}, 1000)"], { stdio: "inherit" });
       process.on("SIGTERM", () => {});
       seen([process.pid, child.pid]);
       setInterval(() => {}, 1000);`,
    );
    const controller = new AbortController();
    const asked = ask(command, {}, question, controller.signal);
    while (seen() === undefined) await wait(20);
    controller.abort();
    expect(await asked).toMatchObject({ ok: false, error: { kind: "cancelled" } });
    expect(await untilGone(seen() as number[])).toBe(true);
  });

  it("that floods its output is ended", async () => {
    const { command } = program(
      `const line = "x".repeat(1 << 20); const write = () => process.stdout.write(line, write); write();`,
    );
    expect(await ask(command)).toMatchObject({ ok: false });
  });
});

describe("its environment", () => {
  it("is the caller's without the traces of a session, and tells our hooks to be silent", () => {
    const env = environment({
      PATH: "/bin",
      CLAUDECODE: "1",
      CLAUDE_CODE_SESSION_ID: "s",
      CLAUDE_CONFIG_DIR: "/c",
    });
    expect(env).toMatchObject({ PATH: "/bin", CLAUDE_CONFIG_DIR: "/c", THROUGHLINE_NESTED: "1" });
    expect(Object.keys(env)).not.toContain("CLAUDECODE");
    expect(Object.keys(env)).not.toContain("CLAUDE_CODE_SESSION_ID");
  });
});
