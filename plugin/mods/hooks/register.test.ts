// What the mod makes of a worker's answers, of answers that make no sense, and of none.
import { expect, type TestBody, test } from "claude-code/testing";

type On = Parameters<TestBody>[1];

/** Everything around the mod but a worker. */
const surroundings = (on: On): void => {
  on("env.get", (_$, e) => ({ value: e.name === "HOME" ? "/home/me" : undefined }));
  on("env.set", () => ({ value: {} }));
  on("session.id", () => ({ value: "s1" }));
  on("session.root", () => ({ value: "/home/me/app" }));
  on("session.model", () => ({ value: "claude-opus-5-5" }));
  on("session.version", () => ({ value: { version: "2.1.325" } }));
  on("process.run", () => ({
    value: { exitCode: 0, stdout: "7\n", stderr: "", isStdoutTruncated: false, isStderrTruncated: false },
  }));
  on("fs.exists", () => ({ value: false }));
  on("fs.read", (_$, e) => ({
    value: e.path.endsWith("token") ? "secret\n" : JSON.stringify({ port: 4242 }),
  }));
};

/** A worker that answers every request of one kind; the others are declined. */
const workerAnswers = (on: On, op: string, data: unknown): void => {
  surroundings(on);
  // The deadline does not come.
  on("clock.after", () => new Promise(() => undefined));
  on("http.fetch", (_$, e) => {
    const isAsked =
      e.url === `http://127.0.0.1:4242/mods/${op}` && e.init?.headers?.authorization === "Bearer secret";
    return { value: { status: isAsked ? 200 : 409, ok: isAsked, headers: {}, text: JSON.stringify(data) } };
  });
};

const messages = [{ role: "user" as const, text: "hello", toolUses: [], handle: "h1" }];

/** Claude Code's own compaction. */
const ownCompaction = (on: On): void => {
  on("session.compact", () => ({ messages: [{ role: "user", text: "by Claude Code", toolUses: [] }] }));
};

test("a compaction is the worker's, as it answers it", async ($, on) => {
  workerAnswers(on, "compact", { messages: [{ role: "user", text: "the summary", toolUses: [] }] });
  const result = await $.session.compact({ trigger: "manual", messages });
  expect(result.messages?.map(({ text }) => text)).toEqual(["the summary"]);
});

test("a compaction is left to Claude Code where the worker's answer makes no sense", async ($, on) => {
  workerAnswers(on, "compact", { messages: [{ role: "nobody" }] });
  ownCompaction(on);
  const result = await $.session.compact({ trigger: "auto", messages });
  expect(result.messages?.map(({ text }) => text)).toEqual(["by Claude Code"]);
});

test("a worker that says nothing is given up when its time is over", async ($, on) => {
  surroundings(on);
  ownCompaction(on);
  on("clock.after", () => ({ value: undefined }));
  on("http.fetch", () => new Promise(() => undefined));
  const result = await $.session.compact({ trigger: "auto", messages });
  expect(result.messages?.map(({ text }) => text)).toEqual(["by Claude Code"]);
});

test("a prompt enters with what the worker has for it", async ($, on) => {
  workerAnswers(on, "prompt", { context: "the ferry was late" });
  on("prompt.submit", (_$, e) => ({ text: e.text, context: e.context }));
  const result = await $.prompt.submit({
    text: "why was it late",
    wait: false,
    origin: { kind: "composer" },
  });
  expect(result.context).toEqual(["the ferry was late"]);
});

test("a tool is answered by the worker", async ($, on) => {
  workerAnswers(on, "tool", { text: "the whole text" });
  const result = await $.tool.call({ tool: "mcp__mods-throughline__recall", handle: "tl:1" });
  expect(result.result).toEqual("the whole text");
});
