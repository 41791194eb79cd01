// What the mod makes of a worker's answers, and of answers that make no sense.
import { expect, type TestBody, test } from "claude-code/testing";

/** A worker that answers every request of one kind; the others are declined. */
const workerAnswers = (on: Parameters<TestBody>[1], op: string, data: unknown): void => {
  on("env.get", (_$, e) => ({ value: e.name === "HOME" ? "/home/me" : undefined }));
  on("env.set", () => ({ value: {} }));
  on("clock.now", () => ({ value: 0 }));
  // The deadline does not come.
  on("clock.after", () => new Promise(() => undefined));
  on("session.id", () => ({ value: "s1" }));
  on("session.root", () => ({ value: "/home/me/app" }));
  on("session.model", () => ({ value: "claude-opus-5-5" }));
  on("fs.exists", () => ({ value: false }));
  on("fs.stat", () => ({ value: { kind: "file", size: 1, mtimeMs: 0, isLink: false } }));
  on("fs.read", (_$, e) => ({
    value: e.path.endsWith("token") ? "secret\n" : JSON.stringify({ port: 4242 }),
  }));
  on("http.fetch", (_$, e) => {
    const isAsked =
      e.url === `http://127.0.0.1:4242/mods/${op}` && e.init?.headers?.authorization === "Bearer secret";
    return { value: { status: isAsked ? 200 : 409, ok: isAsked, headers: {}, text: JSON.stringify(data) } };
  });
};

const messages = [{ role: "user" as const, text: "hello", toolUses: [], handle: "h1" }];

test("a compaction is the worker's, as it answers it", async ($, on) => {
  workerAnswers(on, "compact", { messages: [{ role: "user", text: "the summary", toolUses: [] }] });
  const result = await $.session.compact({ trigger: "manual", messages });
  expect(result.messages?.map(({ text }) => text)).toEqual(["the summary"]);
});

test("a compaction is left to Claude Code where the worker's answer makes no sense", async ($, on) => {
  workerAnswers(on, "compact", { messages: [{ role: "nobody" }] });
  on("session.compact", () => ({ messages: [{ role: "user", text: "by Claude Code", toolUses: [] }] }));
  const result = await $.session.compact({ trigger: "auto", messages });
  expect(result.messages?.map(({ text }) => text)).toEqual(["by Claude Code"]);
});
