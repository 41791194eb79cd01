// Model sessions of `claude-cli`: one process for many questions, resumed by id, replaced when it fails or grows too long.
import { setTimeout as wait } from "node:timers/promises";
import { afterEach, describe, expect, it } from "vitest";
import { modelFor, question } from "../../../test/fixtures/models/asking.ts";
import { streamingProgram } from "../../../test/fixtures/models/program.ts";
import type { LanguageModel, ModelOutcome, ModelSettings } from "../index.ts";

const models: LanguageModel[] = [];
afterEach(async () => {
  for (const model of models.splice(0)) await model.close?.();
});

function sessionsOf(command: string, settings: Partial<ModelSettings> = {}) {
  const model = modelFor(
    { provider: "claude-cli", command, retries: 1, ...settings },
    { env: { PATH: "/usr/bin:/bin" } },
  );
  models.push(model);
  return (key: string, content: string, resume?: string): Promise<ModelOutcome> =>
    model.complete({
      ...question,
      system: "Be brief.",
      messages: [{ role: "user", content }],
      session: { key, ...(resume === undefined ? {} : { resume }) },
    });
}

const echo = "(text) => ({ result: 'heard ' + text })";
const idOf = (outcome: ModelOutcome) => (outcome.ok ? outcome.reply.session : undefined);
const starts = (log: Record<string, unknown>[]) =>
  log.flatMap(({ start }) => (Array.isArray(start) ? [start] : []));
const resumed = (args: unknown[] | undefined) => args?.[args.indexOf("--resume") + 1];

describe.skipIf(process.platform === "win32")("a model session", () => {
  it("is one process for all questions of a key, silent to our hooks and outside of every project", async () => {
    const { command, log } = streamingProgram(echo);
    const ask = sessionsOf(command);
    const [first, second] = [await ask("s", "one"), await ask("s", "two")];
    expect(first).toMatchObject({ ok: true, reply: { text: "heard one", usage: { input: 10, output: 4 } } });
    expect(second).toMatchObject({ ok: true, reply: { text: "heard two", session: idOf(first) } });
    expect(starts(log())).toHaveLength(1);
    expect(log()[0]).toMatchObject({ nested: "1", cwd: expect.stringMatching(/throughline-wording$/) });
    expect(starts(log())[0]?.join(" ")).toBe(
      "-p --input-format stream-json --output-format stream-json --verbose --model haiku --tools  --setting-sources  --strict-mcp-config --system-prompt Be brief. --safe-mode --disable-slash-commands",
    );
  });

  it("is resumed by its id by another process, also after another session was asked about", async () => {
    const { command, log } = streamingProgram(echo);
    const ask = sessionsOf(command);
    await ask("s", "one", "model-of-yesterday");
    const other = await ask("t", "two");
    expect(await ask("s", "three")).toMatchObject({ ok: true, reply: { session: "model-of-yesterday" } });
    const [first, second, third] = starts(log());
    expect([resumed(first), resumed(third)]).toEqual(["model-of-yesterday", "model-of-yesterday"]);
    expect(second).not.toContain("--resume");
    expect(idOf(other)).toMatch(/^model-\d+$/);
  });

  it("takes its id from each init message", async () => {
    const { command, log } = streamingProgram(
      `(text, count) => { print({ type: "system", subtype: "init", session_id: "turn-" + count }); return text === "die" ? process.exit(0) : { result: text }; }`,
    );
    const ask = sessionsOf(command, { retries: 0 });
    expect(idOf(await ask("s", "one"))).toBe("turn-1");
    expect(idOf(await ask("s", "two"))).toBe("turn-2");
    await ask("s", "die");
    await ask("s", "three");
    expect(resumed(starts(log()).at(-1))).toBe("turn-3");
  });

  it("that is killed costs a retry, which resumes it", async () => {
    const { command, log } = streamingProgram(
      `(text, count, args) => text === "two" && !args.includes("--resume") ? process.kill(process.pid, "SIGKILL") && undefined : { result: text }`,
    );
    const ask = sessionsOf(command);
    const first = await ask("s", "one");
    expect(await ask("s", "two")).toMatchObject({ ok: true, reply: { text: "two", session: idOf(first) } });
    expect(resumed(starts(log())[1])).toBe(idOf(first));
  });

  it("that hangs is ended, resumed once, and then given up for a new one", async () => {
    const { command, log } = streamingProgram(
      `(text, count, args) => args.includes("--resume") ? undefined : { result: text }`,
    );
    const ask = sessionsOf(command, { timeoutSeconds: 1, retries: 0 });
    expect(await ask("s", "one", "sick")).toMatchObject({ ok: false, error: { kind: "timeout" } });
    expect(await ask("s", "one", "sick")).toMatchObject({ ok: false, error: { kind: "timeout" } });
    expect(await ask("s", "one", "sick")).toMatchObject({ ok: true, reply: { text: "one" } });
    expect(starts(log()).map(resumed)).toEqual(["sick", "sick", "-p"]);
    const alive = log().filter(({ pid }) => typeof pid === "number" && isAlive(pid));
    expect(alive).toHaveLength(1);
  });

  it("whose transcript is gone is begun anew at once", async () => {
    const { command, log } = streamingProgram(
      `(text, count, args) => args.includes("--resume") ? { is_error: true, result: undefined, subtype: "error_during_execution", errors: ["No conversation found with session ID: x"] } : { result: text }`,
    );
    expect(await sessionsOf(command)("s", "one", "gone")).toMatchObject({ ok: true, reply: { text: "one" } });
    expect(starts(log())).toHaveLength(2);
  });

  it("is followed by a new one when it has grown to 30,000 tokens", async () => {
    const { command, log } = streamingProgram(
      `(text, count) => ({ result: text, usage: { input_tokens: 100, cache_read_input_tokens: 14000 * count, cache_creation_input_tokens: 0, output_tokens: 50 } })`,
    );
    const ask = sessionsOf(command);
    for (const text of ["one", "two", "three", "four"]) await ask("s", text);
    const questions = log().map((line) => ("start" in line ? "start" : line.asked));
    expect(questions).toEqual(["start", "one", "two", "three", "start", "four"]);
  });

  it("counts against the day's tokens by the usage that the stream reports", async () => {
    const { command } = streamingProgram(
      `(text) => ({ result: text, usage: { input_tokens: 900, cache_read_input_tokens: 5000, cache_creation_input_tokens: 0, output_tokens: 100 } })`,
    );
    const ask = sessionsOf(command, { dailyTokens: 41_000 });
    expect(await ask("s", "one")).toMatchObject({ ok: true });
    expect(await ask("s", "two")).toMatchObject({ ok: true });
    expect(await ask("s", "three")).toMatchObject({ ok: false, error: { kind: "over-budget" } });
  });

  it("ends with the model that opened it", async () => {
    const { command, log } = streamingProgram(echo);
    await sessionsOf(command)("s", "one");
    const pid = Number(log()[0]?.pid);
    expect(isAlive(pid)).toBe(true);
    await models.pop()?.close?.();
    for (let tries = 0; isAlive(pid) && tries < 100; tries++) await wait(20);
    expect(isAlive(pid)).toBe(false);
  });
});

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
