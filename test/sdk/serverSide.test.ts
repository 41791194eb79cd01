// What the API does with the context by itself: reported in receipts, left to it where the caller asks for it, and deleted in its cache.
import Anthropic from "@anthropic-ai/sdk";
import { afterEach, describe, expect, it } from "vitest";
import { blocksOf, type Message } from "../../src/messages/index.ts";
import type { Receipt } from "../../src/pipeline/index.ts";
import { type ContextOptions, createContext } from "../../src/sdk/index.ts";
import { temporaryFolder } from "../fixtures/transcript/session.ts";
import {
  type ApiRequest,
  type Reply,
  type ScriptedApi,
  say,
  startScriptedApi,
  tool,
  use,
} from "../scripted-api/index.ts";

const folder = temporaryFolder();
let api: ScriptedApi | undefined;
afterEach(() => api?.close());

const model = "claude-opus-5";
const readTool = {
  name: "Read",
  description: "Read a file.",
  input_schema: { type: "object" as const, properties: { file_path: { type: "string" } } },
};

interface Setting {
  readonly takesCacheEdits?: boolean;
  readonly reply?: (request: ApiRequest) => Reply;
  readonly options?: Partial<ContextOptions>;
}

async function contextOn({ takesCacheEdits = false, reply = () => say("ok"), options = {} }: Setting) {
  api ??= await startScriptedApi({
    scenario: (request: ApiRequest) => reply(request),
    enforce: { window: 200_000, takesCacheEdits },
  });
  const context = createContext({
    client: new Anthropic({ baseURL: api.url, apiKey: "k", maxRetries: 0 }),
    session: "s",
    folder: "memory",
    policy: "seed",
    summaries: false,
    ...options,
  });
  const receipts: Receipt[] = [];
  context.on("receipt", (receipt) => receipts.push(receipt));
  return { api, context, receipts };
}

afterEach(() => {
  api = undefined;
});

const clearedByServer = {
  applied_edits: [{ type: "clear_tool_uses_20250919", cleared_tool_uses: 8, cleared_input_tokens: 50_000 }],
};

describe.each([false, true])("what the API cleared (stream: %s)", (stream) => {
  it("is in the receipt of the next request, and counts to the size of what was sent", async () => {
    const { context, receipts } = await contextOn({
      reply: () => say("ok", { contextManagement: clearedByServer, usage: { input_tokens: 10_000 } }),
    });
    const messages = [{ role: "user" as const, content: "go" }];
    const request = { model, max_tokens: 100, messages };
    if (stream) await context.client.messages.stream(request).finalMessage();
    else await context.client.messages.create(request);
    const next = [...context.history(), { role: "user" as const, content: "on" }];
    await context.client.messages.create({ ...request, messages: next });
    expect(receipts[0]).not.toHaveProperty("appliedEdits");
    expect(receipts[1]?.appliedEdits).toEqual(clearedByServer.applied_edits);
    expect(receipts[1]?.tokens.after).toBeGreaterThan(60_000);
  });
});

describe("a request that manages the context itself", () => {
  it.each([
    ["context_management", { edits: [{ type: "clear_tool_uses_20250919" }] }],
    ["compaction", { type: "summarize" }],
  ])("by %s keeps its own, and the receipt says that our levels stand back", async (field, value) => {
    const { context, receipts } = await contextOn({});
    const { request, betas } = await context.prepare({
      model,
      messages: [{ role: "user", content: "go" }],
      [field]: value,
    });
    expect(request).toMatchObject({ [field]: value });
    expect(Object.keys(request).filter((key) => key === "context_management")).toHaveLength(
      field === "context_management" ? 1 : 0,
    );
    expect(betas).toEqual([]);
    expect(receipts[0]?.levels).toContainEqual(
      expect.objectContaining({ level: "microcompact", waiting: expect.stringContaining("by itself") }),
    );
  });
});

/** Reads one file a turn, `calls` in all, and then only talks. */
async function readFiles(context: Awaited<ReturnType<typeof contextOn>>["context"], turns: number) {
  const messages = context.history();
  for (let turn = 0; turn < turns; turn++) {
    messages.push({ role: "user", content: `file ${turn}` });
    for (;;) {
      const response = await context.client.messages.create({
        model,
        max_tokens: 100,
        tools: [readTool],
        messages,
      });
      messages.push({ role: "assistant", content: response.content });
      if (response.stop_reason !== "tool_use") break;
      messages.push({
        role: "user",
        content: await context.answer(response, () => "text of a file ".repeat(50)),
      });
    }
  }
  return messages;
}

const callsThenTalks = ({ messages }: ApiRequest): Reply =>
  JSON.stringify(messages.at(-1)).includes("tool_result")
    ? say("read")
    : use(tool("Read", { file_path: `${messages.length}.ts` }));

const editsIn = (request: ApiRequest | undefined) =>
  (request?.messages ?? []).flatMap(({ content }) =>
    typeof content === "string" ? [] : content.filter(({ type }) => type === "cache_edits"),
  );

describe("the cached path", () => {
  const options = { cacheEdits: true } as const;

  it("sends nothing of it where the probe is refused, and probes once", async () => {
    const { api, context } = await contextOn({ reply: callsThenTalks, options });
    await readFiles(context, 9);
    expect(api.refusals.map(({ request }) => request.body.max_tokens)).toEqual([1]);
    expect(api.requests.filter((request) => request.body.max_tokens !== 1).flatMap(editsIn)).toEqual([]);
  });

  it("deletes all but the five newest results in the cache, pinned, and leaves the messages as they are", async () => {
    const setting = { takesCacheEdits: true, reply: callsThenTalks };
    const disk = { ...options, folder: folder.path, project: "p" };
    const { api, context, receipts } = await contextOn({ ...setting, options: disk });
    const messages = await readFiles(context, 9);
    expect(api.refusals).toEqual([]);
    const deleted = api.calls.slice(0, 4).map(({ id }) => ({ type: "delete", cache_reference: id }));
    expect(editsIn(api.requests.at(-1)).flatMap(({ edits }) => edits)).toEqual(deleted);
    expect(JSON.stringify(context.history())).toBe(JSON.stringify(messages));
    expect(JSON.stringify(messages)).not.toContain("cache_");
    // What was sent before is what is sent again: the prefix stays in the cache.
    const [before, after] = api.requests.slice(-2).map((request) => request.messages);
    expect(blocksAsSent(after?.slice(0, before?.length))).toBe(blocksAsSent(before));
    expect(receipts.every(({ levels }) => levels.every(({ before }) => before === 0))).toBe(true);
    const first = api.calls[0]?.id ?? "";
    const [recall] = context.tools.filter(({ name }) => name === "recall");
    expect(await recall?.run({ handle: first })).toContain("text of a file");
    // Another process goes on with the same edits.
    const again = await contextOn({ ...setting, options: disk });
    const { request, cacheEdits } = await again.context.prepare({
      model,
      tools: [readTool],
      messages: [...again.context.history(), { role: "user", content: "and?" }],
    });
    expect(blocksAsSent(request.messages.slice(0, after?.length))).toBe(blocksAsSent(after));
    expect(cacheEdits).toEqual([]);
  });

  it("gives way when the level clears by time, and begins anew behind it", async () => {
    const { api, context, receipts } = await contextOn({
      takesCacheEdits: true,
      reply: callsThenTalks,
      options,
    });
    await readFiles(context, 8);
    const state = context.session.runtime;
    state.state = { ...state.state, lastRequestAt: Date.now() - 61 * 60_000 };
    await readFiles(context, 1);
    expect(receipts.filter(({ levels }) => levels.some(({ before }) => before > 0))).toHaveLength(1);
    const [clearing, next] = api.requests.slice(-2);
    expect(JSON.stringify(clearing?.messages)).toContain("[Old tool result content cleared]");
    expect(editsIn(clearing)).toEqual([]);
    // Three were cleared here; with the ninth result the fourth is one too many.
    const fourth = { type: "delete", cache_reference: api.calls[3]?.id };
    expect(editsIn(next).flatMap(({ edits }) => edits)).toEqual([fourth]);
  });

  it("needs a client for its probe", () => {
    expect(() => createContext({ session: "s", folder: "memory", policy: "seed", ...options })).toThrow(
      "needs a client",
    );
  });
});

/** As blocks, which is how the API reads a text too, without what marks them for the cache. */
const blocksAsSent = (messages: readonly object[] = []) =>
  JSON.stringify(
    (messages as readonly Message[]).map((message) => ({ role: message.role, content: blocksOf(message) })),
    (key, field) => (key === "cache_control" || key === "cache_reference" ? undefined : field),
  );

describe("a client that is too old", () => {
  it("is refused with what to install", () => {
    const client = {
      messages: { create: () => undefined },
      withOptions: () => undefined,
      middleware: undefined,
    };
    const old = client as unknown as { middleware: unknown[] } & typeof client;
    expect(() => createContext({ client: old, session: "s", folder: "memory" })).toThrow(
      expect.objectContaining({
        code: "usage",
        fix: expect.stringContaining("npm install @anthropic-ai/sdk@latest"),
      }),
    );
  });
});

describe("a subagent", () => {
  it("has a window of its own that leaves the session's alone, without notes and without the time path", async () => {
    const { context } = await contextOn({
      reply: callsThenTalks,
      options: { folder: folder.path, project: "p" },
    });
    await readFiles(context, 1);
    const before = context.history();
    const helper = context.subagent("search");
    expect(helper.history()).toEqual([]);
    await readFiles(helper, 7);
    const { runtime } = helper.session;
    runtime.state = { ...runtime.state, lastRequestAt: Date.now() - 61 * 60_000 };
    const { receipt } = await helper.prepare({
      model,
      messages: [...helper.history(), { role: "user", content: "and?" }],
    });
    expect(receipt?.levels.filter(({ before }) => before > 0)).toEqual([]);
    expect(context.history()).toEqual(before);
    expect(helper.session.id).toBe("s--search");
    expect(helper.tools.map(({ name }) => name)).not.toContain("notes");
    expect(context.tools.map(({ name }) => name)).toContain("notes");
  });
});

describe.each(["memory", "disk"])("a fork (%s)", (where) => {
  it("begins with the same bytes, and goes its own way", async () => {
    const options = {
      session: `forked-${where}`,
      project: "p",
      folder: where === "disk" ? folder.path : "memory",
      policy: "seed",
      settings: {},
    } as const;
    const { api, context } = await contextOn({ reply: callsThenTalks, options });
    const big = "a long line of output\n".repeat(3_000);
    const messages = context.history();
    messages.push({ role: "user", content: "go" });
    const first = await context.client.messages.create({ model, max_tokens: 9, tools: [readTool], messages });
    messages.push({ role: "assistant", content: first.content });
    messages.push({ role: "user", content: await context.answer(first, () => big) });
    await context.client.messages.create({ model, max_tokens: 9, tools: [readTool], messages });
    const sent = api.requests.at(-1)?.messages ?? [];
    expect(JSON.stringify(sent)).toContain("persisted-output");

    const fork = context.fork("review");
    expect(fork.history()).toEqual(context.history());
    const asked = [...fork.history(), { role: "user" as const, content: "review it" }];
    await fork.client.messages.create({ model, max_tokens: 9, tools: [readTool], messages: asked });
    const again = api.requests.at(-1)?.messages ?? [];
    expect(blocksAsSent(again.slice(0, sent.length))).toBe(blocksAsSent(sent));
    const [recall] = fork.tools.filter(({ name }) => name === "recall");
    expect(await recall?.run({ handle: api.calls[0]?.id })).toContain("a long line of output");
    expect(JSON.stringify(context.history())).not.toContain("review it");
    if (where === "disk") expect(context.fork("review").history()).toEqual(fork.history());
  });
});
