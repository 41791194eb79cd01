// The provider `openai-compatible` against servers that stream well, badly and not at all.
import { afterEach, describe, expect, it } from "vitest";
import { impatient, modelFor, question } from "../../../test/fixtures/models/asking.ts";
import {
  type Answer,
  type AnsweringServer,
  chunks,
  delta,
  json,
  pieces,
  serve,
} from "../../../test/fixtures/models/server.ts";
import type { ModelDeps, ModelSettings } from "../index.ts";

let server: AnsweringServer | undefined;
afterEach(async () => {
  await server?.close();
  server = undefined;
});

async function asked(
  answers: readonly Answer[],
  settings: Partial<ModelSettings> = {},
  deps: Partial<ModelDeps> = {},
  request = question,
) {
  server = await serve(...answers);
  const baseUrl = `${server.url}/v1/`;
  const model = modelFor({ provider: "openai-compatible", model: "local-model", baseUrl, ...settings }, deps);
  return { outcome: await model.complete(request), asked: server.asked };
}

const usage = { prompt_tokens: 40, completion_tokens: 6, prompt_tokens_details: { cached_tokens: 30 } };

describe("an answer", () => {
  it("is put together from its chunks, with what it cost", async () => {
    const { outcome, asked: requests } = await asked([
      chunks(delta("Nothing "), delta("new.", "stop"), { model: "local-model", choices: [], usage }),
    ]);
    expect(outcome).toEqual({
      ok: true,
      reply: {
        text: "Nothing new.",
        blocks: [{ type: "text", text: "Nothing new." }],
        model: "local-model",
        stopReason: "end_turn",
        usage: { input: 10, cacheRead: 30, cacheWrite5m: 0, cacheWrite1h: 0, output: 6 },
      },
    });
    expect(requests[0]).toMatchObject({
      path: "/v1/chat/completions",
      headers: { authorization: "Bearer key-for-tests" },
      body: { model: "local-model", stream: true, max_tokens: 100, messages: question.messages },
    });
  });

  it("survives any cutting of its bytes, any line end, comments, and a missing end", async () => {
    const text = `: WORKING\r\n\r\ndata: ${JSON.stringify(delta("一二三", null))}\r\n\r\ndata:${JSON.stringify(delta("!", "stop"))}`;
    const bytes = new TextEncoder().encode(text);
    const { outcome } = await asked([pieces(Array.from(bytes, (byte) => Uint8Array.of(byte)))]);
    expect(outcome).toMatchObject({ ok: true, reply: { text: "一二三!", stopReason: "end_turn" } });
  });

  it("may come whole from a server that does not stream", async () => {
    const message = { role: "assistant", content: "whole" };
    const { outcome } = await asked([json(200, { choices: [{ message, finish_reason: "length" }], usage })]);
    expect(outcome).toMatchObject({ ok: true, reply: { text: "whole", stopReason: "max_tokens" } });
  });

  it("is without what the model thought aloud", async () => {
    const { outcome } = await asked([
      chunks(delta("<think>let me see\n"), delta("</think>\n\nYes.", "stop")),
    ]);
    expect(outcome).toMatchObject({ ok: true, reply: { text: "Yes." } });
  });

  it("may be a call", async () => {
    const part = (call: object) => ({ choices: [{ delta: { tool_calls: [{ index: 0, ...call }] } }] });
    const { outcome } = await asked([
      chunks(
        part({ id: "c1", function: { name: "Read", arguments: '{"a":' } }),
        part({ function: { arguments: "1}" } }),
        delta("", "tool_calls"),
      ),
    ]);
    expect(outcome).toMatchObject({
      ok: true,
      reply: {
        stopReason: "tool_use",
        blocks: [{ type: "tool_use", id: "c1", name: "Read", input: { a: 1 } }],
      },
    });
  });
});

describe("a request", () => {
  it("is words alone, in turns", async () => {
    const { asked: requests } = await asked(
      [chunks(delta("ok", "stop"))],
      {},
      {},
      {
        purpose: "test",
        maxTokens: 10,
        system: [{ type: "text", text: "Be brief." }],
        messages: [
          { role: "user", content: "look" },
          { role: "system", content: "a note" },
          {
            role: "assistant",
            content: [
              { type: "thinking", thinking: "hm", signature: "s" },
              { type: "tool_use", id: "t1", name: "Read", input: { file: "a" } },
            ],
          },
          {
            role: "user",
            content: [
              { type: "tool_result", tool_use_id: "t1", content: [{ type: "text", text: "body" }] },
              { type: "image", source: {} },
            ],
          },
        ],
      },
    );
    expect(requests[0]?.body.messages).toEqual([
      { role: "system", content: "Be brief." },
      { role: "user", content: "look\n\na note" },
      { role: "assistant", content: '[call of Read: {"file":"a"}]' },
      { role: "user", content: "[result: body]\n\n[image]" },
    ]);
  });

  it("needs the name of a model", async () => {
    const { outcome, asked: requests } = await asked([chunks(delta("ok", "stop"))], { model: "" });
    expect(outcome).toMatchObject({ ok: false, error: { kind: "unavailable" } });
    expect(requests).toEqual([]);
  });

  it("goes without a key where there is none", async () => {
    const { asked: requests } = await asked([chunks(delta("ok", "stop"))], {}, { env: {} });
    expect(requests[0]?.headers).not.toHaveProperty("authorization");
  });
});

describe("a failure", () => {
  it.each([
    [
      "OpenAI",
      400,
      "This model's maximum context length is 8192 tokens. However, your messages resulted in 9000 tokens.",
      { tokens: 9_000, limit: 8_192, gap: 808 },
    ],
    [
      "OpenRouter",
      400,
      "This endpoint's maximum context length is 128000 tokens. However, you requested about 150000 tokens (149000 of text input, 1000 in the output).",
      { tokens: 150_000, limit: 128_000, gap: 22_000 },
    ],
    [
      "Gemini",
      400,
      "The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).",
      { tokens: 1_200_000, limit: 1_048_576, gap: 151_424 },
    ],
    [
      "llama.cpp",
      400,
      "request (5,000 tokens) exceeds the available context size (4,096 tokens), try increasing it",
      { tokens: 5_000, limit: 4_096, gap: 904 },
    ],
    ["an unknown server", 400, "context window exceeded", {}],
  ])("by a prompt that is too long is understood from %s", async (_server, status, message, sizes) => {
    const { outcome } = await asked([json(status, { error: { message, code: status } })]);
    expect(outcome).toMatchObject({ ok: false, error: { kind: "prompt-too-long", ...sizes } });
    expect(!outcome.ok && "gap" in outcome.error).toBe("gap" in sizes);
  });

  it("by a prompt that is too long may name its sizes as fields", async () => {
    const error = { message: "too large", type: "exceed_context_size_error", n_prompt_tokens: 50, n_ctx: 40 };
    const { outcome } = await asked([json(400, { error })]);
    expect(outcome).toMatchObject({ ok: false, error: { kind: "prompt-too-long", gap: 10 } });
  });

  it.each([
    ["in seconds", { "retry-after": "3" }, {}, 3_150],
    ["in milliseconds", { "retry-after-ms": "40" }, {}, 42],
    ["in the body", {}, { details: [{ retryDelay: "34s" }] }, 35_700],
  ])("that says %s how long to wait is waited for", async (_how, headers, more, pause) => {
    const pauses: number[] = [];
    const { outcome } = await asked(
      [json(429, { error: { message: "slow down", ...more } }, headers), chunks(delta("now", "stop"))],
      {},
      { timing: impatient(pauses) },
    );
    expect(outcome).toMatchObject({ ok: true, reply: { text: "now" } });
    expect(pauses).toEqual([pause]);
  });

  it.each([
    ["a cut connection", pieces([`data: ${JSON.stringify(delta("half"))}\n\n`], "cut")],
    ["a stream without an end", pieces([`data: ${JSON.stringify(delta("half"))}\n\n`])],
    ["an overloaded server", json(503, { error: "loading model" })],
    ["a fault of the server", json(502, "<html>Bad Gateway</html>")],
    ["an error in the stream", pieces(['data: {"error":{"code":502,"message":"upstream"}}\n\n'])],
  ])("by %s is tried again", async (_what, first) => {
    const { outcome, asked: requests } = await asked([first, chunks(delta("whole", "stop"))]);
    expect(outcome).toMatchObject({ ok: true, reply: { text: "whole" } });
    expect(requests).toHaveLength(2);
  });

  it.each([
    ["401", json(401, { error: { message: "bad key" } }), "unauthorized"],
    ["404", json(404, { error: 'model "x" not found, try pulling it first' }), "unavailable"],
    ["an event that is not JSON", pieces(["data: {broken\n\n"]), "malformed"],
    ["a page instead of an answer", json(200, "hello"), "malformed"],
    ["the server's filter", chunks(delta("", "content_filter")), "refused"],
  ])("by %s is final", async (_what, first, kind) => {
    const { outcome, asked: requests } = await asked([first, chunks(delta("never", "stop"))]);
    expect(outcome).toMatchObject({ ok: false, error: { kind } });
    expect(requests).toHaveLength(1);
  });

  it("to answer in time is a timeout", async () => {
    const slow = pieces([`data: ${JSON.stringify(delta("half"))}\n\n`], "never");
    const { outcome } = await asked([slow], { timeoutSeconds: 0.3 });
    expect(outcome).toMatchObject({ ok: false, error: { kind: "timeout" } });
  });
});
