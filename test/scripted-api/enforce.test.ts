// The rules that the scripted API enforces: each refuses what breaks it, and takes what does not.
import { afterEach, describe, expect, it } from "vitest";
import type { JsonObject } from "../../src/lib/index.ts";
import { type ScriptedApi, startScriptedApi } from "./index.ts";

let api: ScriptedApi | undefined;
afterEach(() => api?.close());

const WINDOW = 2_000;
const start = async () => {
  api = await startScriptedApi({
    scenario: () => ({ thinking: "so", text: "said" }),
    enforce: { window: WINDOW, bindsThinking: true, minCacheable: 10 },
  });
  return api;
};

const user = (content: unknown) => ({ role: "user", content });

async function post(body: JsonObject, headers: Record<string, string> = {}) {
  const response = await fetch(`${api?.url}/v1/messages`, {
    method: "POST",
    headers,
    body: JSON.stringify({ model: "m", max_tokens: 10, ...body }),
  });
  const answer = (await response.json()) as {
    content: JsonObject[];
    usage: Record<string, number>;
    error?: { message: string };
  };
  return { status: response.status, ...answer };
}

describe("an API that enforces its rules", () => {
  it("refuses a prompt over the window, with its size, whatever it would clear", async () => {
    await start();
    const long = user("x".repeat(4 * WINDOW));
    const clearing = { context_management: { edits: [{ type: "clear_tool_uses_20250919" }] } };
    const answer = await post(
      { messages: [long], ...clearing },
      { "anthropic-beta": "context-management-2025-06-27" },
    );
    expect(answer.error?.message).toMatch(/^prompt is too long: \d+ tokens > 2000 maximum$/);
  });

  it("refuses thinking whose conversation was changed, and takes it where it was not", async () => {
    const { refusals } = await start();
    const first = user("hello");
    const { content } = await post({ messages: [first] });
    const reply = { role: "assistant", content };
    expect((await post({ messages: [first, reply, user("on")] })).status).toBe(200);
    const marked = user([{ type: "text", text: "hello", cache_control: { type: "ephemeral" } }]);
    expect((await post({ messages: [marked, reply, user("on")] })).status).toBe(200);
    expect((await post({ messages: [user("hullo"), reply, user("on")] })).status).toBe(400);
    expect((await post({ system: "be kind", messages: [first, reply, user("on")] })).status).toBe(400);
    expect(refusals.map(({ message }) => /bound to a different conversation/.test(message))).toEqual([
      true,
      true,
    ]);
  });

  it("takes thinking that goes from one end, and refuses a gap in the middle", async () => {
    await start();
    const messages: JsonObject[] = [];
    for (const words of ["one", "two", "three"]) {
      messages.push(user(words));
      messages.push({ role: "assistant", content: (await post({ messages })).content });
    }
    const without = (...gone: number[]) =>
      messages.map((message, at) =>
        gone.includes(at) ? { ...message, content: (message.content as JsonObject[]).slice(1) } : message,
      );
    const next = user("four");
    expect((await post({ messages: [...without(1), next] })).status).toBe(200);
    expect((await post({ messages: [...without(5), next] })).status).toBe(200);
    expect((await post({ messages: [...without(3), next] })).status).toBe(400);
  });

  it("refuses fields without their beta, and clearing of thinking without thinking", async () => {
    await start();
    const body = {
      messages: [user("hello")],
      context_management: { edits: [{ type: "clear_thinking_20251015", keep: "all" }] },
    };
    const headers = { "anthropic-beta": "context-management-2025-06-27" };
    expect((await post(body)).error?.message).toContain("Extra inputs");
    expect((await post(body, headers)).error?.message).toContain("requires `thinking`");
    expect((await post({ ...body, thinking: { type: "adaptive" } }, headers)).status).toBe(200);
  });

  it("reads from the cache what was written at a breakpoint, and nothing behind a change", async () => {
    await start();
    const marked = (text: string) => user([{ type: "text", text, cache_control: { type: "ephemeral" } }]);
    const [text, more] = ["a sentence of some length ".repeat(20), "and some more of it ".repeat(20)];
    const first = (await post({ messages: [marked(text)] })).usage;
    expect(first.cache_creation_input_tokens).toBeGreaterThan(100);
    const second = (await post({ messages: [user(text), marked(more)] })).usage;
    expect(second.cache_read_input_tokens).toBe(first.cache_creation_input_tokens);
    const third = (await post({ messages: [user(`${text}!`), marked(more)] })).usage;
    expect(third.cache_read_input_tokens).toBe(0);
  });

  it("reads the system prompt from the cache where the messages behind it are others", async () => {
    await start();
    const marked = (text: string) => [{ type: "text", text, cache_control: { type: "ephemeral" } }];
    const system = marked("how to answer, at some length ".repeat(70));
    const messages = (text: string) => [user(marked(text.repeat(120)))];
    await post({ system, messages: messages("one conversation ") });
    const other = (await post({ system, messages: messages("another conversation ") })).usage;
    expect(other.cache_read_input_tokens).toBeGreaterThan(500);
    expect(other.cache_creation_input_tokens).toBeGreaterThan(500);
    expect(other.input_tokens).toBe(0);
  });
});
