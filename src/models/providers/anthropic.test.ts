// The provider `anthropic` with the official client, against a scripted Messages API.
import { afterEach, describe, expect, it } from "vitest";
import { impatient, modelFor, question } from "../../../test/fixtures/models/asking.ts";
import {
  type Answer,
  type AnsweringServer,
  json,
  pieces,
  serve,
} from "../../../test/fixtures/models/server.ts";
import {
  anything,
  on,
  overloaded,
  promptTooLong,
  type Reply,
  rateLimited,
  refuse,
  type ScriptedApi,
  say,
  startScriptedApi,
  tool,
  use,
} from "../../../test/scripted-api/index.ts";
import { messageBody } from "../messageStream.ts";

let api: ScriptedApi | undefined;
let server: AnsweringServer | undefined;
afterEach(async () => {
  await api?.close();
  await server?.close();
  api = undefined;
  server = undefined;
});

async function scripted(...replies: Reply[]): Promise<ScriptedApi> {
  api = await startScriptedApi({ scenario: [on(anything, ...replies)] });
  return api;
}

async function raw(...answers: Answer[]): Promise<AnsweringServer> {
  server = await serve(...answers);
  return server;
}

describe("an answer", () => {
  it("is put together from its stream, with what it cost", async () => {
    const { url, requests } = await scripted(
      say(["Nothing.", "Or a little — 一点."], {
        thinking: "hm",
        usage: { input_tokens: 12, cache_read_input_tokens: 30, output_tokens: 5 },
      }),
    );
    const outcome = await modelFor({ baseUrl: url, model: "claude-sonnet-5-5" }).complete(question);
    expect(outcome).toEqual({
      ok: true,
      reply: {
        text: "Nothing.\nOr a little — 一点.",
        blocks: [
          { type: "thinking", thinking: "hm", signature: "c2NyaXB0ZWQ=" },
          { type: "text", text: "Nothing." },
          { type: "text", text: "Or a little — 一点." },
        ],
        model: "claude-sonnet-5-5",
        stopReason: "end_turn",
        usage: { input: 12, cacheRead: 30, cacheWrite5m: 0, cacheWrite1h: 0, output: 5 },
      },
    });
    expect(requests).toHaveLength(1);
    expect(requests[0]?.body).toMatchObject({ stream: true, max_tokens: 100, messages: question.messages });
    expect(JSON.stringify(requests[0]?.headers)).toContain("key-for-tests");
  });

  it("may be a call, put together as well", async () => {
    const { url } = await scripted(use(tool("Read", { file_path: "a.ts" }, "toolu_1")));
    const outcome = await modelFor({ baseUrl: url }).complete(question);
    expect(outcome).toMatchObject({
      ok: true,
      reply: {
        text: "",
        stopReason: "tool_use",
        blocks: [{ type: "tool_use", id: "toolu_1", name: "Read", input: { file_path: "a.ts" } }],
      },
    });
  });

  it("passes over events and blocks it does not know", async () => {
    const events = [
      { type: "message_start", message: { model: "m", usage: { input_tokens: 1 } } },
      { type: "ping" },
      { type: "content_block_start", index: 0, content_block: { type: "compaction", content: null } },
      { type: "content_block_delta", index: 0, delta: { type: "compaction_delta", content: "all of it" } },
      { type: "content_block_delta", index: 7, delta: { type: "text_delta", text: "nowhere" } },
      { type: "content_block_delta", index: 0, delta: { type: "new_delta", more: 1 } },
      { type: "something_new" },
      {
        type: "message_delta",
        delta: { stop_reason: "compaction" },
        usage: { output_tokens: 3, input_tokens: null },
      },
      { type: "message_stop" },
    ];
    const { url } = await raw(
      pieces(events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`)),
    );
    const outcome = await modelFor({ baseUrl: url }).complete(question);
    expect(outcome).toMatchObject({
      ok: true,
      reply: {
        blocks: [{ type: "compaction", content: "all of it" }],
        stopReason: "compaction",
        usage: { input: 1, output: 3 },
      },
    });
  });
});

describe("a request", () => {
  it("keeps the main call's parts as they are and adds its own", () => {
    const body = messageBody("m", {
      purpose: "compact",
      maxTokens: 9,
      messages: [],
      system: [{ type: "text", text: "s" }],
      tools: [{ name: "Read" }],
      toolChoice: "none",
      thinking: { type: "adaptive" },
      effort: "high",
      body: { output_config: { format: "x" }, metadata: { user_id: "u" }, model: "not this" },
    });
    expect(body).toEqual({
      model: "m",
      max_tokens: 9,
      stream: true,
      messages: [],
      system: [{ type: "text", text: "s" }],
      tools: [{ name: "Read" }],
      tool_choice: { type: "none" },
      thinking: { type: "adaptive" },
      output_config: { format: "x", effort: "high" },
      metadata: { user_id: "u" },
    });
  });

  it("leaves out a choice among no tools, and turns thinking off when asked", () => {
    const body = messageBody("m", { ...question, toolChoice: "none", thinking: "off" });
    expect(body).not.toHaveProperty("tool_choice");
    expect(body.thinking).toEqual({ type: "disabled" });
  });

  it("names its betas in the header", async () => {
    const { url, requests } = await scripted(say("ok"));
    await modelFor({ baseUrl: url }).complete({ ...question, betas: ["a-1", "b-2"] });
    expect(requests[0]?.headers["anthropic-beta"]).toBe("a-1,b-2");
    expect(requests[0]?.path).toContain("beta=true");
  });

  it("is not sent without a key", async () => {
    const { url, requests } = await scripted(say("ok"));
    const outcome = await modelFor({ baseUrl: url, apiKeyEnv: "MY_KEY" }).complete(question);
    expect(outcome).toMatchObject({ ok: false, error: { kind: "unauthorized" } });
    expect(!outcome.ok && outcome.error.message).toContain("MY_KEY");
    expect(requests).toEqual([]);
  });
});

describe("a failure", () => {
  it("that says how long to wait is waited for", async () => {
    const pauses: number[] = [];
    const { url, requests } = await scripted(rateLimited(7), say("now"));
    const outcome = await modelFor({ baseUrl: url }, { timing: impatient(pauses) }).complete(question);
    expect(outcome).toMatchObject({ ok: true, reply: { text: "now" } });
    expect(pauses).toEqual([7_350]);
    expect(requests).toHaveLength(2);
  });

  it("that asks for longer than there is time for is given back at once", async () => {
    const pauses: number[] = [];
    const { url, requests } = await scripted(rateLimited(600), say("never"));
    const outcome = await modelFor({ baseUrl: url }, { timing: impatient(pauses) }).complete(question);
    expect(outcome).toMatchObject({ ok: false, error: { kind: "rate-limited", retryAfter: 600_000 } });
    expect(pauses).toEqual([]);
    expect(requests).toHaveLength(1);
  });

  it("of an overloaded server is tried again, as often as allowed and no more", async () => {
    const { url, requests } = await scripted(overloaded(), overloaded(), overloaded(), say("late"));
    const outcome = await modelFor({ baseUrl: url, retries: 2 }).complete(question);
    expect(outcome).toMatchObject({ ok: false, error: { kind: "overloaded" } });
    expect(requests).toHaveLength(3);
  });

  it.each([
    ["before the first byte", { breaks: "before" } as const],
    ["in the middle of the stream", { breaks: "during", text: "half" } as const],
    [
      "with an error event",
      { text: "half", streamError: { type: "overloaded_error", message: "Overloaded" } },
    ],
    ["with a fault of the server", refuse({ status: 500, type: "api_error", message: "Internal" })],
  ])("that cuts the answer %s is tried again", async (_where, reply) => {
    const { url, requests } = await scripted(reply, say("whole"));
    const outcome = await modelFor({ baseUrl: url }).complete(question);
    expect(outcome).toMatchObject({ ok: true, reply: { text: "whole" } });
    expect(requests).toHaveLength(2);
  });

  it("by a prompt that is too long says by how much, and is not tried again", async () => {
    const { url, requests } = await scripted(promptTooLong(208_380, 200_000), say("never"));
    const outcome = await modelFor({ baseUrl: url }).complete(question);
    expect(outcome).toMatchObject({
      ok: false,
      error: { kind: "prompt-too-long", tokens: 208_380, limit: 200_000, gap: 8_380 },
    });
    expect(requests).toHaveLength(1);
  });

  it("by a prompt that is too long may come without numbers", async () => {
    const { url } = await scripted(
      refuse({ status: 400, type: "invalid_request_error", message: "Prompt is too long" }),
    );
    const outcome = await modelFor({ baseUrl: url }).complete(question);
    expect(outcome).toEqual({
      ok: false,
      error: { kind: "prompt-too-long", message: "400 Prompt is too long" },
    });
  });

  it("of a gateway that answers in HTML is told by its status", async () => {
    const { url } = await raw((response) => {
      response.writeHead(413, { "content-type": "text/html" });
      response.end("<html>413 Request Entity Too Large</html>");
    });
    const outcome = await modelFor({ baseUrl: url }).complete(question);
    expect(outcome).toMatchObject({ ok: false, error: { kind: "prompt-too-long" } });
  });

  it.each([
    [401, "authentication_error", "unauthorized"],
    [403, "permission_error", "unauthorized"],
    [404, "not_found_error", "unavailable"],
    [400, "invalid_request_error", "refused"],
  ])("with status %i is final", async (status, type, kind) => {
    const { url, requests } = await scripted(refuse({ status, type, message: "no" }), say("never"));
    const outcome = await modelFor({ baseUrl: url }).complete(question);
    expect(outcome).toMatchObject({ ok: false, error: { kind } });
    expect(requests).toHaveLength(1);
  });

  it("of the model's own will is a refusal", async () => {
    const { url } = await scripted(say("I would rather not.", { stopReason: "refusal" }));
    const outcome = await modelFor({ baseUrl: url }).complete(question);
    expect(outcome).toEqual({ ok: false, error: { kind: "refused", message: "I would rather not." } });
  });

  it("of a stream that is no stream is malformed", async () => {
    const { url, asked } = await raw(pieces(["event: message_start\ndata: {not json\n\n"]));
    const outcome = await modelFor({ baseUrl: url }).complete(question);
    expect(outcome).toMatchObject({ ok: false, error: { kind: "malformed" } });
    expect(asked).toHaveLength(1);
  });

  it("of a body that is not a stream at all is no answer", async () => {
    const { url } = await raw(json(200, "hello"));
    const outcome = await modelFor({ baseUrl: url, retries: 0 }).complete(question);
    expect(outcome).toMatchObject({ ok: false, error: { kind: "unavailable" } });
  });

  it("to connect names where", async () => {
    const { url, close } = await serve();
    await close();
    const outcome = await modelFor({ baseUrl: url, retries: 1 }).complete(question);
    expect(outcome).toMatchObject({ ok: false, error: { kind: "unavailable", transient: true } });
  });

  it.each([
    ["that never begins", pieces([], "never")],
    ["that stops in the middle", pieces(['event: ping\ndata: {"type":"ping"}\n\n'], "never")],
  ])("of an answer %s is a timeout", async (_when, answer) => {
    const { url, asked } = await raw(answer);
    const outcome = await modelFor({ baseUrl: url, timeoutSeconds: 0.3 }).complete(question);
    expect(outcome).toMatchObject({ ok: false, error: { kind: "timeout" } });
    expect(asked.length).toBeLessThanOrEqual(1);
  });

  it("by the caller is reported as such", async () => {
    const controller = new AbortController();
    const { url } = await raw((response) => {
      response.writeHead(200, { "content-type": "text/event-stream" });
      response.write(": here\n\n", () => controller.abort());
    });
    const outcome = await modelFor({ baseUrl: url }).complete(question, { signal: controller.signal });
    expect(outcome).toMatchObject({ ok: false, error: { kind: "cancelled" } });
  });
});
