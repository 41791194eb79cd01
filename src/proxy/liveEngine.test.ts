// Which refusals are answered with another request, and what the worker is asked about a request.
import { describe, expect, it } from "vitest";
import type { ModelRequest } from "./engine.ts";
import { liveEngine, readRefusal, summaryBody } from "./liveEngine.ts";

const refusal = (message: string, attempt = 0) => ({
  status: 400,
  body: Buffer.from(JSON.stringify({ type: "error", error: { type: "invalid_request_error", message } })),
  attempt,
});

describe("a refusal", () => {
  it("names its numbers where the API does", () => {
    expect(readRefusal(refusal("prompt is too long: 208380 tokens > 200000 maximum"))).toEqual({
      attempt: 0,
      tokens: 208_380,
      limit: 200_000,
    });
    expect(
      readRefusal(
        refusal("input length and `max_tokens` exceed context limit: 188240 + 21333 > 200000, decrease", 1),
      ),
    ).toEqual({ attempt: 1, tokens: 188_240, limit: 200_000 });
    expect(readRefusal(refusal("Prompt is too long"))).toEqual({ attempt: 0 });
  });

  it("of thinking is told apart", () => {
    const message = "messages.3.content.0: Invalid `signature` in `thinking` block";
    expect(readRefusal(refusal(message))).toEqual({ attempt: 0, isThinking: true });
  });

  it.each(["max_tokens: must be positive", "thinking.budget_tokens: too large", "no such model", ""])(
    "of another kind is the client's: %j",
    (message) => expect(readRefusal(refusal(message))).toBeUndefined(),
  );

  it("that is no JSON is the client's", () => {
    expect(readRefusal({ status: 400, body: Buffer.from("<html>"), attempt: 0 })).toBeUndefined();
  });
});

const conversation = {
  model: "claude-x",
  tools: [{ name: "t" }],
  messages: [{ role: "user", content: "hi" }],
};

function requestWith(
  headers: Record<string, string>,
  body: unknown = conversation,
  path = "/v1/messages",
): ModelRequest {
  return {
    path,
    headers,
    body: Buffer.from(JSON.stringify(body)),
    ask: async () => ({ status: 200, body: Buffer.from('{"content":[{"type":"text","text":"words"}]}') }),
  };
}

interface Asked {
  readonly session: string;
  readonly agent?: string;
  readonly model: string;
}

/** What the worker is asked about a request. */
async function asked(request: ModelRequest): Promise<Asked[]> {
  const questions: Asked[] = [];
  const engine = liveEngine({
    project: "/work",
    env: {},
    seam: {
      ask: async (_, question) => {
        questions.push(question);
        return undefined;
      },
      tell: () => undefined,
      record: async () => undefined,
      say: () => undefined,
    },
  });
  expect(await engine.edit(request)).toBeUndefined();
  return questions;
}

describe("the worker", () => {
  const session = { "x-claude-code-session-id": "s1" };

  it("is asked about conversations of sessions and subagents", async () => {
    expect(await asked(requestWith(session))).toMatchObject([{ session: "s1", model: "claude-x" }]);
    const [question] = await asked(requestWith({ ...session, "x-claude-code-agent-id": "a1" }));
    expect(question).toMatchObject({ session: "s1", agent: "a1" });
  });

  it("is not asked about counts, questions on the side, summaries and threads that the API holds", async () => {
    const summary = {
      ...conversation,
      messages: [{ role: "user", content: "CRITICAL: Respond with TEXT ONLY" }],
    };
    const { tools: _, ...without } = conversation;
    expect(await asked(requestWith(session, conversation, "/v1/messages/count_tokens"))).toEqual([]);
    expect(
      await asked(requestWith({ ...session, "anthropic-beta": "claude-code-side-query-2026-09-29" })),
    ).toEqual([]);
    expect(await asked(requestWith(session, without))).toEqual([]);
    expect(await asked(requestWith(session, summary))).toEqual([]);
    expect(await asked(requestWith({}, { ...conversation, thread: { type: "create" } }))).toEqual([]);
  });

  it("knows the conversation of another client by its first message", async () => {
    const longer = {
      ...conversation,
      messages: [...conversation.messages, { role: "assistant", content: "yes" }],
    };
    const [first] = await asked(requestWith({}));
    const [second] = await asked(requestWith({}, longer));
    const [other] = await asked(
      requestWith({}, { ...conversation, messages: [{ role: "user", content: "else" }] }),
    );
    expect(first?.session).toMatch(/^proxy-[0-9a-f]{32}$/);
    expect(second?.session).toBe(first?.session);
    expect(other?.session).not.toBe(first?.session);
  });

  it("is not asked about bytes that are no text", async () => {
    const request = { ...requestWith(session), body: Buffer.from([0x7b, 0xff, 0x7d]) };
    expect(await asked(request)).toEqual([]);
  });
});

describe("the request for a summary", () => {
  it("sends the conversation and our words once, with a breakpoint where the cache of the session ends", () => {
    const rows = [
      { role: "user", content: "go" },
      { role: "assistant", content: [{ type: "tool_use", id: "t1", name: "Bash", input: {} }] },
      { role: "user", content: [{ type: "tool_result", tool_use_id: "t1", content: "done" }] },
      { role: "user", content: "Summarise." },
    ];
    const text = JSON.stringify({ model: "m", stream: true, system: "s", messages: [], max_tokens: 9 });
    const wanted = { prompt: "Summarise.", messages: rows.map((row) => JSON.stringify(row)), maxTokens: 100 };
    const sent = JSON.parse(summaryBody(text, wanted)?.toString("utf8") ?? "");
    const marked = {
      type: "tool_result",
      tool_use_id: "t1",
      content: "done",
      cache_control: { type: "ephemeral" },
    };
    expect(sent).toEqual({
      ...{ model: "m", system: "s", max_tokens: 100 },
      messages: [rows[0], rows[1], { role: "user", content: [marked] }, rows[3]],
    });
  });
});
