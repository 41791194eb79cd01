// The Vercel AI SDK on a model that a context wraps, against an API that enforces its rules.
import { createAnthropic } from "@ai-sdk/anthropic";
import {
  generateText,
  jsonSchema,
  type ModelMessage,
  stepCountIs,
  streamText,
  tool,
  wrapLanguageModel,
} from "ai";
import { afterEach, describe, expect, it } from "vitest";
import {
  aiLanguageModel,
  aiTools,
  contextMiddleware,
  createContext,
  fromModelMessages,
  toModelMessages,
} from "../../src/sdk/index.ts";
import { type ScriptedApi, startScriptedApi } from "../scripted-api/index.ts";
import { longWork, promptOf, readPart, readPartTool } from "./longWork.ts";

let api: ScriptedApi | undefined;
afterEach(() => api?.close());

const WINDOW = 55_000;
const modelId = "claude-opus-5-5";
const providerOptions = { anthropic: { thinking: { type: "adaptive" as const } } };

async function wrapped(turns: { readonly calls: number }) {
  api = await startScriptedApi({
    scenario: longWork({ ...turns, thinks: true, recallsEvery: 4 }),
    enforce: { window: WINDOW, bindsThinking: true },
  });
  const plain = createAnthropic({ baseURL: `${api.url}/v1`, apiKey: "k" })(modelId);
  const context = createContext({
    session: "ai",
    folder: "memory",
    models: { [modelId]: { window: WINDOW } },
    summaries: aiLanguageModel(plain),
  });
  const counts = { compaction: 0, recall: 0, warning: [] as string[] };
  context.on("compaction", () => counts.compaction++);
  context.on("recall", ({ found }) => (counts.recall += found ? 1 : 0));
  context.on("warning", ({ message }) => counts.warning.push(message));
  const model = wrapLanguageModel({ model: plain, middleware: contextMiddleware(context, "v3") });
  const tools = {
    read_part: tool({
      description: readPartTool.description,
      inputSchema: jsonSchema<unknown>(readPartTool.input_schema),
      execute: async (input) => readPart(input),
    }),
    ...aiTools(context, (schema) => jsonSchema<unknown>(schema)),
  };
  return {
    api,
    context,
    counts,
    call: { model, tools, providerOptions, stopWhen: stepCountIs(20), maxOutputTokens: 4_096 },
  };
}

describe("the AI SDK with the middleware of a context", () => {
  it("generates without a refused request, and is compacted", async () => {
    const { api, counts, call } = await wrapped({ calls: 3 });
    const messages: ModelMessage[] = [];
    for (let turn = 1; turn <= 20; turn++) {
      messages.push({ role: "user", content: promptOf(turn) });
      const { response } = await generateText({ ...call, messages });
      messages.push(...response.messages);
    }
    expect(api.refusals.map(({ message }) => message)).toEqual([]);
    expect(counts.compaction).toBeGreaterThanOrEqual(1);
    expect(counts.recall).toBeGreaterThanOrEqual(2);
    expect(counts.warning).toEqual([]);
    const { read = 0, written = 0 } = api.cache ?? {};
    expect(read / (read + written)).toBeGreaterThan(0.6);
  });

  it("streams without a refused request, and is compacted", async () => {
    const { api, counts, call } = await wrapped({ calls: 3 });
    const messages: ModelMessage[] = [];
    for (let turn = 1; turn <= 20; turn++) {
      messages.push({ role: "user", content: promptOf(turn) });
      const result = streamText({ ...call, messages });
      await result.consumeStream();
      messages.push(...(await result.response).messages);
    }
    expect(api.refusals.map(({ message }) => message)).toEqual([]);
    expect(counts.compaction).toBeGreaterThanOrEqual(1);
    expect(counts.warning).toEqual([]);
  });
});

describe("messages of the AI SDK", () => {
  it("come back as they were", () => {
    const messages = [
      {
        role: "user",
        content: [
          { type: "text", text: "look" },
          { type: "file", mediaType: "image/png", data: "AAAA" },
        ],
      },
      {
        role: "assistant",
        content: [
          { type: "reasoning", text: "hm", providerOptions: { anthropic: { signature: "s" } } },
          { type: "text", text: "I look." },
          { type: "tool-call", toolCallId: "t1", toolName: "read", input: { path: "a" } },
        ],
      },
      {
        role: "tool",
        content: [
          {
            type: "tool-result",
            toolCallId: "t1",
            toolName: "read",
            output: { type: "json", value: { a: 1 } },
          },
        ],
      },
      { role: "user", content: "and?", providerOptions: { x: { y: 1 } } },
    ] as const;
    const { messages: converted, system } = fromModelMessages([
      { role: "system", content: "be kind" },
      ...messages,
    ]);
    expect(system).toBe("be kind");
    expect(converted.map(({ role }) => role)).toEqual(["user", "assistant", "user", "user"]);
    const [user, assistant, result, last] = toModelMessages(converted);
    expect([user, assistant, result]).toEqual(messages.slice(0, 3));
    expect(last).toEqual({
      role: "user",
      content: [{ type: "text", text: "and?" }],
      providerOptions: { x: { y: 1 } },
    });
    // Through JSON, as a resumed conversation comes.
    expect(toModelMessages(JSON.parse(JSON.stringify(converted))).slice(0, 2)).toEqual(messages.slice(0, 2));
  });
});
