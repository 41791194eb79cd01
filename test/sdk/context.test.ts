// An agent on the official client through a context, against an API that enforces its rules.
import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import Anthropic from "@anthropic-ai/sdk";
import { afterEach, describe, expect, it } from "vitest";
import { type ContextEvents, createContext } from "../../src/sdk/index.ts";
import { temporaryFolder } from "../fixtures/transcript/session.ts";
import { type ScriptedApi, startScriptedApi } from "../scripted-api/index.ts";
import { longWork, promptOf, readPart, readPartTool, type WorkOptions } from "./longWork.ts";

const folder = temporaryFolder();
let api: ScriptedApi | undefined;
afterEach(() => api?.close());

const WINDOW = 60_000;
const models = (model: string) => ({ [model]: { window: WINDOW } });
const clientOf = ({ url }: ScriptedApi) => new Anthropic({ baseURL: url, apiKey: "k", maxRetries: 0 });

async function enforcingApi(work: WorkOptions, bindsThinking = false) {
  api = await startScriptedApi({ scenario: longWork(work), enforce: { window: WINDOW, bindsThinking } });
  return api;
}

function contextOf(server: ScriptedApi, model: string, session: string) {
  const context = createContext({
    client: clientOf(server),
    session,
    folder: folder.path,
    project: "p",
    models: models(model),
  });
  const events: { [Name in keyof ContextEvents]: ContextEvents[Name][] } = {
    edit: [],
    compaction: [],
    recall: [],
    receipt: [],
    warning: [],
  };
  context.on("edit", (event) => events.edit.push(event));
  context.on("compaction", (event) => events.compaction.push(event));
  context.on("recall", (event) => events.recall.push(event));
  context.on("receipt", (event) => events.receipt.push(event));
  context.on("warning", (event) => events.warning.push(event));
  return { context, events };
}

type Opened = ReturnType<typeof contextOf>["context"];

async function createLoop(context: Opened, model: string, turns: readonly number[]) {
  const messages = context.history();
  for (const turn of turns) {
    messages.push({ role: "user", content: promptOf(turn) });
    for (;;) {
      const response = await context.client.messages.create({
        model,
        max_tokens: 4_096,
        system: "You look into things.",
        tools: [readPartTool, ...context.tools],
        messages,
      });
      messages.push({ role: "assistant", content: response.content });
      if (response.stop_reason !== "tool_use") break;
      messages.push({
        role: "user",
        content: await context.answer(response, ({ input }) => readPart(input)),
      });
    }
  }
}

const turnsFrom = (first: number, last: number) =>
  Array.from({ length: last - first + 1 }, (_, at) => first + at);

const bare = (value: unknown) =>
  JSON.stringify(value, (key, field) => (key === "cache_control" ? undefined : field));

describe("a loop on messages.create", () => {
  it.each(["claude-haiku-4-5", "claude-opus-5", "claude-opus-5-5"])(
    "is never refused on %s, is compacted, and keeps its cache",
    async (model) => {
      const server = await enforcingApi(
        { calls: 4, thinks: model !== "claude-haiku-4-5", recallsEvery: 5 },
        model === "claude-opus-5-5",
      );
      const { context, events } = contextOf(server, model, `create-${model}`);
      await createLoop(context, model, turnsFrom(1, 40));
      await context.idle();
      expect(server.refusals.map(({ message }) => message)).toEqual([]);
      expect(events.compaction.length).toBeGreaterThanOrEqual(2);
      expect(events.recall.filter(({ found }) => found).length).toBeGreaterThanOrEqual(2);
      expect(events.warning).toEqual([]);
      const { read = 0, written = 0, uncached = 0 } = server.cache ?? {};
      expect(read / (read + written)).toBeGreaterThan(0.7);
      // Where the calls for summaries go on from the session, they are cached as it is.
      if (model === "claude-opus-5-5") expect(uncached).toBe(0);
      expect(context.notesFile).toBe(
        path.join(folder.path, "projects", "p", `create-${model}`, "session-memory", "summary.md"),
      );
      expect(existsSync(context.notesFile ?? "")).toBe(true);
      expect(readFileSync(context.notesFile ?? "", "utf8")).toContain("# Current State");
    },
  );

  it("goes on in another process with the same bytes", async () => {
    const model = "claude-opus-5-5";
    const server = await enforcingApi({ calls: 3, thinks: true }, true);
    const first = contextOf(server, model, "resumed");
    await createLoop(first.context, model, turnsFrom(1, 14));
    const before = server.requests.at(-1)?.messages ?? [];
    const second = contextOf(server, model, "resumed");
    expect(second.context.history()).toEqual(first.context.history());
    await createLoop(second.context, model, [15]);
    const after = server.requests.find(({ news }) => news.includes("[turn 15]"))?.messages ?? [];
    expect(bare(after.slice(0, before.length))).toBe(bare(before));
    expect(server.refusals.map(({ message }) => message)).toEqual([]);
  });
});

describe("a loop on messages.stream", () => {
  it("is never refused, is compacted, and goes on in another process", async () => {
    const model = "claude-opus-5-5";
    const server = await enforcingApi({ calls: 3, thinks: true, recallsEvery: 5 }, true);
    const { context, events } = contextOf(server, model, "stream");
    await streamLoop(context, model, turnsFrom(1, 24));
    const resumed = contextOf(server, model, "stream");
    expect(resumed.context.history()).toEqual(context.history());
    await streamLoop(resumed.context, model, [25]);
    expect(server.refusals.map(({ message }) => message)).toEqual([]);
    expect(events.compaction.length).toBeGreaterThanOrEqual(1);
    expect(events.warning).toEqual([]);
  });

  async function streamLoop(context: Opened, model: string, turns: readonly number[]) {
    const messages = context.history();
    for (const turn of turns) {
      messages.push({ role: "user", content: promptOf(turn) });
      for (;;) {
        const stream = context.client.messages.stream({
          model,
          max_tokens: 4_096,
          tools: [readPartTool, ...context.tools],
          messages,
        });
        const response = await stream.finalMessage();
        messages.push({ role: "assistant", content: response.content });
        if (response.stop_reason !== "tool_use") break;
        messages.push({
          role: "user",
          content: await context.answer(response, ({ input }) => readPart(input)),
        });
      }
    }
  }

  it("that is left in the middle does not stop the next request", async () => {
    const model = "claude-opus-5";
    const server = await enforcingApi({ calls: 0 });
    const { context, events } = contextOf(server, model, "left");
    const messages = [{ role: "user" as const, content: promptOf(1) }];
    const stream = context.client.messages.stream({ model, max_tokens: 100, messages });
    for await (const _event of stream) break;
    const response = await context.client.messages.create({ model, max_tokens: 100, messages });
    expect(response.stop_reason).toBe("end_turn");
    expect(events.warning).toEqual([]);
  });
});

describe.each([false, true])("the tool runner (stream: %s)", (stream) => {
  it("runs the context's tools, is never refused, and is compacted", async () => {
    const model = "claude-opus-5-5";
    const server = await enforcingApi({ calls: 3, thinks: true, recallsEvery: 4 }, true);
    const { context, events } = contextOf(server, model, `runner-${stream}`);
    const runnable = {
      ...readPartTool,
      parse: (input: unknown) => input,
      run: async (input: unknown) => readPart(input),
    };
    for (const turn of turnsFrom(1, 24)) {
      const runner = context.client.beta.messages.toolRunner({
        model,
        max_tokens: 4_096,
        stream,
        thread: false,
        tools: [runnable, ...context.tools],
        messages: [...context.history(), { role: "user", content: promptOf(turn) }],
      });
      await runner.runUntilDone();
    }
    expect(server.refusals.map(({ message }) => message)).toEqual([]);
    expect(server.requests.filter(({ kind }) => kind === "message").length).toBeGreaterThanOrEqual(96);
    expect(events.compaction.length).toBeGreaterThanOrEqual(1);
    expect(events.recall.filter(({ found }) => found).length).toBeGreaterThanOrEqual(2);
    expect(events.warning).toEqual([]);
  });
});

describe("policy seed", () => {
  it.each([undefined, { type: "adaptive" as const }])(
    "sends directives that the API takes, with thinking %o",
    async (thinking) => {
      const server = await enforcingApi({ calls: 2, thinks: thinking !== undefined });
      const context = createContext({
        client: clientOf(server),
        session: "seed",
        folder: "memory",
        policy: "seed",
        models: models("claude-opus-5"),
      });
      const messages = context.history();
      for (const turn of turnsFrom(1, 3)) {
        messages.push({ role: "user", content: promptOf(turn) });
        for (;;) {
          const response = await context.client.messages.create({
            model: "claude-opus-5",
            max_tokens: 4_096,
            tools: [readPartTool, ...context.tools],
            messages,
            ...(thinking ? { thinking } : {}),
          });
          messages.push({ role: "assistant", content: response.content });
          if (response.stop_reason !== "tool_use") break;
          messages.push({
            role: "user",
            content: await context.answer(response, ({ input }) => readPart(input)),
          });
        }
      }
      expect(server.refusals.map(({ message }) => message)).toEqual([]);
      const sent = JSON.stringify(server.requests.at(-1)?.body.context_management);
      expect(sent).toContain("clear_tool_uses_20250919");
      expect(sent.includes("clear_thinking_20251015")).toBe(thinking !== undefined);
    },
  );
});

describe("the words of a compaction", () => {
  it.each(["claude-haiku-4-5", "claude-opus-5", "claude-opus-5-5"])(
    "are asked of the same client on %s: its own system sentence, thinking off, no call, one turn, outside the context",
    async (model) => {
      const server = await enforcingApi({ calls: 2, thinks: true }, model === "claude-opus-5-5");
      const context = createContext({
        client: clientOf(server),
        session: `words-${model}`,
        folder: "memory",
        policy: "seed",
        models: models(model),
      });
      const from: string[] = [];
      context.on("compaction", (event) => from.push(event.from));
      await createLoop(context, model, turnsFrom(1, 40));
      expect(server.refusals.map(({ message }) => message)).toEqual([]);
      const summaries = server.requests.filter(({ body }) =>
        JSON.stringify(body.system ?? "").includes("summariz"),
      );
      expect(from.length).toBeGreaterThanOrEqual(1);
      expect(from.every((source) => source === "model")).toBe(true);
      expect(summaries).toHaveLength(from.length);
      for (const { body, messages } of summaries) {
        expect([undefined, "disabled"]).toContain((body.thinking as { type?: string } | undefined)?.type);
        expect(body.tools === undefined || JSON.stringify(body.tool_choice) === '{"type":"none"}').toBe(true);
        expect(body.context_management).toBeUndefined();
        expect(JSON.stringify(messages.at(-1))).toContain("REMINDER");
      }
      expect(JSON.stringify(context.history())).not.toContain("<analysis>");
    },
  );
});
